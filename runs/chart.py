"""The chart of a run: reward against budget, and below it the regret, one column for each environment and unit."""

from collections.abc import Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

import planners
from planners import Array
from runs.curves import Panel
from runs.statistics import Summary

INK, GREY = "#222222", "#6e6e6e"
# Okabe and Ito's colours (2008), told apart with any kind of colour vision; their yellow is too pale for lines.
COLOURS = (GREY, "#0072B2", "#E69F00", "#D55E00", "#CC79A7", "#009E73", "#56B4E9", "#000000")
MARKERS = ("x", "o", "s", "^", "D", "*", "v", "P", "X", "<", ">")
LINES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
STYLE: Any = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 10.5, "axes.titleweight": "bold",
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": "#e6e6e6", "grid.linewidth": 0.7, "legend.frameon": False, "legend.fontsize": 8.5,
    "svg.hashsalt": "bonspiel", "figure.dpi": 160,
}
UNITS = {"simulations": "simulations per decision", "ms": "milliseconds per decision"}
RESOLUTION = 1e-3  # regrets below this part of the range from random to optimal are drawn at the foot of their panel


class Look(NamedTuple):
    """How a planner is drawn: colour and marker tell the planner, the line its parameters."""

    colour: str
    marker: str
    line: Any
    filled: bool


def looks(texts: Iterable[str]) -> dict[str, Look]:
    """The look of each planner text; colour and marker depend on the planner's place in the registry alone."""
    base = dict(zip(planners.names(), zip(cycle(COLOURS), cycle(MARKERS)), strict=False))
    used: dict[str, int] = {}
    result = {}
    for text in texts:
        name = text.partition(":")[0]
        variant = used[name] = used.get(name, -1) + 1
        colour, marker = base.get(name, (COLOURS[-1], MARKERS[-1]))
        result[text] = Look(colour, marker, LINES[variant % len(LINES)], variant == 0)
    return result


def draw(panels: Sequence[Panel]) -> Figure:
    """The figure of some panels; regrets are drawn where the optimum is known.

    Raises:
        ValueError: there is no panel.
    """
    if not panels:
        raise ValueError("there is nothing to draw: no panel has a result")
    with matplotlib.rc_context(STYLE):
        longest = max(len(panel.curves) for panel in panels)
        layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
        figure = Figure(figsize=(4.8 * len(panels), 5.6 + 0.18 * longest), layout=layout)
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, len(panels), squeeze=False, sharex="col", height_ratios=(1.45, 1))
        for column, panel in enumerate(panels):
            reward, regret = axes[:, column]
            styles = looks(panel.curves)
            _reward(reward, panel, styles)
            _regret(regret, panel, styles)
            _budget_axis(regret, panel)
            handles, labels = reward.get_legend_handles_labels()
            regret.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.26),
                          ncols=2 if max(map(len, labels)) < 30 else 1)
        axes[0, 0].set_ylabel("mean return, 95 % interval")
        axes[1, 0].set_ylabel("regret (optimum \N{MINUS SIGN} mean)")
        figure.align_ylabels()
    return figure


def save(panels: Sequence[Panel], folder: Path) -> list[Path]:
    """Write chart.png and chart.svg, the same bytes for the same panels; returns their paths."""
    figure = draw(panels)
    paths = [folder / "chart.png", folder / "chart.svg"]
    with matplotlib.rc_context(STYLE):
        figure.savefig(paths[0], metadata={"Software": "bonspiel"})
        figure.savefig(paths[1], metadata={"Date": None, "Creator": "bonspiel"})
    return paths


def _curve(axes: Axes, look: Look, label: str, x: Array, y: Array, low: Array, high: Array) -> None:
    line, = axes.plot(x, y, color=look.colour, linestyle=look.line, linewidth=1.4, marker=look.marker, label=label,
                      markersize=7.5 if look.marker == "*" else 4.8, markeredgecolor=look.colour, markeredgewidth=1.0,
                      markerfacecolor=look.colour if look.filled else "white", zorder=3)
    line.set_gid(label)
    axes.fill_between(x, low, high, color=look.colour, alpha=0.16, linewidth=0, zorder=2)


def _points(curve: Sequence[tuple[float, Summary]]) -> Array:
    """Budgets, means, lower and upper bounds, [4, n]."""
    return np.array([(budget, summary.mean, summary.low, summary.high) for budget, summary in curve]).T


def _reward(axes: Axes, panel: Panel, styles: dict[str, Look]) -> None:
    axes.set_title(panel.env, loc="left")
    for text, curve in panel.curves.items():
        _curve(axes, styles[text], panel.label(text), *_points(curve))
    _level(axes, panel.optimum, "optimum", INK, "-", above=True)
    _level(axes, panel.random, "random policy", GREY, (0, (4, 2)), above=False)
    axes.margins(y=0.1)


def _level(axes: Axes, value: float | None, name: str, colour: str, line: Any, *, above: bool) -> None:
    if value is not None:
        axes.axhline(value, color=colour, linewidth=1.0, linestyle=line, zorder=1.5)
        label = f"{name} {value:.3f}".replace("-", "\N{MINUS SIGN}")
        axes.annotate(label, (1, value), (-2, 3 if above else -3), xycoords=("axes fraction", "data"), color=colour,
                      textcoords="offset points", ha="right", va="bottom" if above else "top", fontsize=8)


def _regret(axes: Axes, panel: Panel, styles: dict[str, Look]) -> None:
    if panel.optimum is None:
        axes.text(0.5, 0.5, "the optimum is not known", transform=axes.transAxes, ha="center", va="center", color=GREY)
        axes.set_yticks([])
        return
    scale = panel.optimum - panel.random if panel.random is not None else max(abs(panel.optimum), 1.0)
    floor = RESOLUTION * scale
    axes.set_yscale("log")
    touched = False
    for text, curve in panel.curves.items():
        x, mean, low, high = _points(curve)
        bounds = [np.maximum(panel.optimum - value, floor) for value in (mean, high, low)]
        touched = touched or bool((bounds[1] <= floor).any())
        _curve(axes, styles[text], panel.label(text), x, *bounds)
    if touched:
        axes.axhspan(0, floor, color="#f2f2f2", linewidth=0, zorder=0)
        axes.set_ylim(bottom=floor / 1.6)
        axes.annotate(f"within {floor:.1g} of the optimum", (0, 0), (4, 2), xycoords="axes fraction",
                      textcoords="offset points", ha="left", va="bottom", fontsize=7.5, color=GREY)


def _budget_axis(axes: Axes, panel: Panel) -> None:
    axes.set_xscale("log")
    axes.set_xlabel(UNITS[panel.unit])
    axes.xaxis.set_major_locator(LogLocator(numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda budget, _: f"{budget:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
