"""The chart of a run: reward against budget, and if wanted the regret, for each environment and unit of budget."""

from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

from bonspiel.planners import Array
from bonspiel.runs.reporting.drawing import PLAIN, label_budgets, save_figure, styled
from bonspiel.runs.reporting.styles import GREY, INK, Style, of_planners
from bonspiel.runs.statistics.curves import Column, Panel, columns
from bonspiel.runs.statistics.scale import BOUND, CONSTANT, DO_NOTHING, OPTIMUM, RANDOM, REFERENCE
from bonspiel.runs.tables import fold

NOUNS = {"simulations": "simulation", "steps": "model step", "ms": "millisecond"}
UNITS = {unit: f"{noun}s per decision" for unit, noun in NOUNS.items()}
RESOLUTION = 1e-3  # regrets below this part of the range from score 0 to 1 are drawn at the foot of their panel
COLUMNS = 2  # panels side by side; on a page more would be too small to read
HEIGHTS = (1.45, 1.0)  # of rewards and regrets
LABEL = 56  # characters in a line of the legend
APART = 1.02  # factor between the bars of two planners that have played the same budget
LEVELS: dict[str, tuple[str, Any, float]] = {  # colour, line and place of the name, from 0 at the left to 1
    **{OPTIMUM: (INK, "-", 1.0), REFERENCE: (INK, (0, (6, 2)), 1.0), BOUND: (INK, (0, (1, 1)), 1.0)},
    **{RANDOM: (GREY, (0, (4, 2)), 1.0), DO_NOTHING: (GREY, (0, (1, 2)), 0.0)},
    CONSTANT: (GREY, (0, (4, 1, 1, 1)), 0.5),
}
# keeps words readable where curves cross them
VEIL: Any = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5}


def ticks(panel: Panel) -> list[float] | None:
    """Labels of the axis of budgets: every budget if they lie close together, None for powers of ten."""
    return panel.budgets if panel.budgets[-1] < 100 * panel.budgets[0] else None


def apart(place: int, curves: int) -> float:
    """The factor that moves the bars of a curve next to those of the others."""
    return APART ** (place - 0.5 * (curves - 1))


def floor(panel: Panel) -> float:
    """The regret below which all are drawn alike; the panel's optimum must be known."""
    known = panel.known
    assert known.optimum is not None
    reach = abs(known.optimum) if known.zero is None else known.optimum - known.levels[known.zero]
    return RESOLUTION * (reach if reach > 0.0 else 1.0)


def draw(panels: Sequence[Panel], *, regret: bool = False) -> Figure:
    """The figure of some panels; with `regret` also the regrets, where the optimum is known."""
    if not panels:
        raise ValueError("there is nothing to draw: no panel has a result")
    heights = HEIGHTS if regret and any(panel.known.optimum is not None for panel in panels) else HEIGHTS[:1]
    columns = min(COLUMNS, len(panels))
    blocks = -(-len(panels) // columns)
    longest = max(sum(len(fold(panel.label(text), LABEL)) for text in panel.curves) for panel in panels)
    size = 4.8 * columns, blocks * (0.3 + 2.16 * sum(heights) + 0.18 * longest)
    with styled(size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)) as figure:
        axes = figure.subplots(blocks * len(heights), columns, squeeze=False, height_ratios=heights * blocks)
        cells = axes.reshape(blocks, len(heights), columns).swapaxes(1, 2).reshape(-1, len(heights))
        for place, (ours, panel) in enumerate(zip(cells, panels, strict=False)):
            styles = of_planners(text for other in panels if other.env == panel.env for text in other.curves)
            _panel(list(ours), panel, styles, named=place % columns == 0)
        for unused in cells[len(panels) :].flat:
            unused.set_axis_off()
        figure.align_ylabels()
    return figure


def save(panels: Sequence[Panel], folder: Path, *, regret: bool = False) -> list[Path]:
    """Write chart.png and chart.svg, the same bytes for the same panels; returns their paths."""
    return save_figure(draw(panels, regret=regret), folder / "chart.png")


def _panel(axes: Sequence[Axes], panel: Panel, styles: dict[str, Style], *, named: bool) -> None:
    top, lowest = axes[0], axes[-1]
    reward(top, panel, styles)
    if lowest is not top:
        lowest.sharex(top)
        top.tick_params(labelbottom=False)
        _regret(lowest, panel, styles)
    budget_axis(lowest, panel)
    if named:
        top.set_ylabel("mean return, 95 % interval")
        if lowest is not top:
            lowest.set_ylabel("regret (optimum \N{MINUS SIGN} mean)")
    handles, labels = top.get_legend_handles_labels()
    lines = ["\n".join(fold(label, LABEL)) for label in labels]
    below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 4, "handlelength": 3.2}
    lowest.legend(handles, lines, ncols=2 if max(map(len, labels)) < 30 else 1, **below)


def in_legend(label: str) -> str:
    """A name as a legend of matplotlib shows it as it is: there "_" begins hidden names, and "$" formulas."""
    text = label.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _curve(axes: Axes, look: Style, label: str, x: Array, y: Array, low: Array, high: Array) -> None:
    (line,) = axes.plot(x, y, lw=1.4, zorder=3, **look.look(7.5 if look.marker == "*" else 4.8))
    line.set(label=in_legend(label), gid=label)
    if len(x) > 1:
        axes.fill_between(x, low, high, color=look.colour, alpha=0.16, linewidth=0, zorder=2)
    else:
        bar: Any = {"color": look.colour, "linestyle": look.line, "linewidth": 1.2}
        axes.plot([*x, *x], [*low, *high], marker="_", markersize=6, zorder=2.5, **bar)


def _points(panel: Panel, column: Column) -> dict[str, Array]:
    """For each planner budgets, estimates of the column, lower and upper bounds, [4, n]."""
    curves = panel.curves.items()
    found = {text: np.array([(budget, *column(summary)) for budget, summary in curve]).T for text, curve in curves}
    if len(panel.budgets) == 1:
        for place, points in enumerate(found.values()):
            points[0] *= apart(place, len(found))
    return found


def reward(axes: Axes, panel: Panel, styles: dict[str, Style]) -> None:
    """Draw the mean returns of a panel, and the levels that are known."""
    axes.set_title(panel.env, loc="left")
    for text, points in _points(panel, attrgetter("interval")).items():
        _curve(axes, styles[text], panel.label(text), *points)
    levels = panel.known.levels
    for name in filter(levels.__contains__, LEVELS):
        _level(axes, levels[name], name, *LEVELS[name])
    axes.margins(y=0.1)


def _level(axes: Axes, value: float, name: str, colour: str, line: Any, x: float) -> None:
    """A line with its name at the left end, x = 0, in the middle, or at the right end, x = 1; baselines' are below."""
    above = colour == INK
    axes.axhline(value, color=colour, linewidth=1.0, linestyle=line, zorder=1.5)
    label = f"{name} {value:.3f}".replace("-", "\N{MINUS SIGN}")
    end = {0.0: "left", 0.5: "center", 1.0: "right"}[x]
    place: Any = {"xycoords": ("axes fraction", "data"), "ha": end, "va": "bottom" if above else "top"}
    offset, size = (2.0 - 4.0 * x, 3 if above else -3), rcParams["font.size"] - 1.0
    _note(axes, label, (x, value), offset, fontsize=size, color=colour, **place)


def _note(axes: Axes, text: str, place: tuple[float, float], offset: tuple[float, float], **style: Any) -> None:
    axes.annotate(text, place, offset, textcoords="offset points", bbox=VEIL, **style)


def _regret(axes: Axes, panel: Panel, styles: dict[str, Style]) -> None:
    if panel.known.optimum is None:
        axes.text(0.5, 0.5, "the optimum is not known", transform=axes.transAxes, ha="center", va="center", color=GREY)
        axes.set_yticks([])
        return
    least = floor(panel)
    axes.set_yscale("log")
    touched = False
    for text, (x, *estimate) in _points(panel, columns(panel)["regret"]).items():
        mean, low, high = (np.maximum(value, least) for value in estimate)
        touched = touched or bool((low <= least).any())
        _curve(axes, styles[text], panel.label(text), x, mean, low, high)
    if touched:
        axes.axhspan(0, least, color="#f2f2f2", linewidth=0, zorder=0)
        axes.set_ylim(bottom=least / 1.6)
        label = f"within {least:.2g} of the optimum"
        _note(axes, label, (0, 0), (4, 2), fontsize=7.5, color=GREY, xycoords="axes fraction", va="bottom")
    _log_labels(axes.yaxis, *axes.get_ylim())


def _log_labels(axis: Axis, low: float, high: float) -> None:
    """Numbers in full at powers of ten, and between these where there would be too few."""
    if high < 10.0 * low:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(LogLocator(subs=(1.0,) if high > 100.0 * low else (1.0, 2.0, 5.0), numticks=12))
    axis.set_major_formatter(PLAIN)
    axis.set_minor_formatter(NullFormatter())


def budget_axis(axes: Axes, panel: Panel) -> None:
    """Scale and label the axis of budgets."""
    budgets = panel.budgets
    axes.set_xscale("log")
    axes.set_xlabel(UNITS[panel.unit])
    if len(budgets) == 1:
        axes.set_xlim(budgets[0] / 1.5, budgets[0] * 1.5)
    _log_labels(axes.xaxis, *axes.get_xlim())
    if labelled := ticks(panel):
        label_budgets(axes, labelled)
