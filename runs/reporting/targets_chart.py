"""The chart of targets, the share of them that each planner reaches by a budget; and their section of a page."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator
from numpy.typing import NDArray

from bonspiel.planners.model import Array
from bonspiel.runs.counting import Steps
from bonspiel.runs.progress import counted
from bonspiel.runs.reporting import targets
from bonspiel.runs.reporting.charts import image
from bonspiel.runs.reporting.drawing import PLAIN, save_figure, styled, svg
from bonspiel.runs.reporting.styles import GREY, INK, of_planners
from bonspiel.runs.reporting.tables import Cell, table, text
from bonspiel.runs.reporting.targets import SIMULATIONS, STEPS, TIME, Targets
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.targets import TARGETS, Ratio, Reached, Runtime

BEST = "best known"
MOST_BANDS = 6  # more hide each other
LINE = 0.16  # inches for a planner's name
DOTTED: Any = (0, (1, 1.2))


def draw(found: Targets) -> Figure:
    """The figure of all planners, whose names stand at the ends of their curves, the largest share first."""
    if not found.shares:
        raise ValueError("there is nothing to draw: no planner has played all problems")
    styles = of_planners(found.shares)
    height = max(4.0, LINE * (len(found.shares) + 2) + 1.1)
    with styled((7.2, height)) as figure:
        axes = figure.add_axes((0.09, 0.72 / height, 0.58, 1.0 - 1.1 / height))
        for place, (name, of) in enumerate(found.shares.items()):
            style, (x, inside) = styles[name], played(found.budgets, of)
            shown: Any = {"drawstyle": "steps-post", "gid": name, "zorder": 3, **style.look(4.2)}
            axes.plot(x, of.share[inside], lw=1.2, markevery=max(1, len(x) // 6), **shown)
            if place < MOST_BANDS:
                band: Any = {"color": style.colour, "alpha": 0.13, "linewidth": 0, "step": "post", "zorder": 2}
                axes.fill_between(x, of.low[inside], of.high[inside], **band)
        axes.plot(found.budgets, found.best, color=INK, ls=DOTTED, lw=1.6, drawstyle="steps-post", zorder=4, gid=BEST)
        _axes(axes, found)
        ends = {
            name: (of.largest, float(of.share[played(found.budgets, of)[1]][-1])) for name, of in found.shares.items()
        }
        colours = {name: style.colour for name, style in styles.items()} | {BEST: INK}
        _names(axes, {BEST: (float(found.budgets[-1]), float(found.best[-1])), **ends}, colours, LINE / (height - 1.1))
    return figure


def played(budgets: Array, of: Reached) -> tuple[Array, NDArray[np.bool_]]:
    """The budgets between a planner's smallest and largest, and where they are, [budgets]."""
    inside = (budgets >= of.smallest) & (budgets <= of.largest)
    return budgets[inside], inside


def save(found: Targets, file: Path) -> list[Path]:
    """Write the figure as PNG and SVG; returns their paths."""
    return save_figure(draw(found), file)


def _axes(axes: Axes, found: Targets) -> None:
    least, most = found.budgets[0], found.budgets[-1]
    axes.set_xscale("log")
    axes.set(ylim=(-0.02, 1.02), xlim=(least, most) if most > least else (least / 1.5, most * 1.5))
    narrow = (1.0, 2.0, 3.0, 5.0, 7.0) if most < 10.0 * least else (1.0, 3.0)
    where = LogLocator(subs=narrow, numticks=12) if most > least else FixedLocator([least])
    axes.xaxis.set(major_locator=where, major_formatter=PLAIN, minor_locator=NullLocator())
    note = "what the smallest played budget reaches counts from there"
    axes.set_xlabel(f"{found.cost} per decision\n({note})")
    axes.set_ylabel(f"share of the {found.pairs} (problem, target) pairs reached")
    scores = ", ".join(f"{target:g}" for target in TARGETS)
    axes.set_title(
        f"targets: mean scores of {scores} in {counted(len(found.runtimes), 'problem')}", loc="left", fontsize=9
    )


def _names(axes: Axes, ends: dict[str, tuple[float, float]], colours: dict[str, str], apart: float) -> None:
    """The names beside the axes, apart by this part of their height, with lines to the ends of the curves."""
    order = sorted(ends, key=lambda name: -ends[name][1])
    for name, y in zip(order, spread([ends[one][1] for one in order], apart * 1.04), strict=True):
        axes.annotate(
            f"{name}  {ends[name][1]:.2f}",
            ends[name],
            (1.06, (y + 0.02) / 1.04),
            textcoords="axes fraction",
            annotation_clip=False,
            va="center",
            fontsize=7.5,
            color=colours[name],
            arrowprops={"arrowstyle": "-", "color": GREY, "lw": 0.5, "alpha": 0.6, "shrinkA": 2, "relpos": (0, 0.5)},
        )


def spread(places: Sequence[float], apart: float) -> list[float]:
    """Descending places moved apart, as little as a pass up and a pass down do, within 0 and 1 if there is room."""
    found = np.minimum(np.asarray(places, np.float64), 1.0)
    for i in range(1, len(found)):
        found[i] = min(found[i], found[i - 1] - apart)
    for i in reversed(range(len(found))):
        found[i] = max(found[i], found[i + 1] + apart if i + 1 < len(found) else 0.0)
    return [*map(float, found)]


BEYOND = 1e6  # times the largest budget is where tables sort what no budget reached


def section(store: Store, steps: Mapping[str, Mapping[str, Steps | None]]) -> str:
    """The section, empty where nothing was played that could be scored; steps go by problem and planner."""
    per_simulation = {(env, name): found[1] for env, of in steps.items() for name, found in of.items() if found}
    found = [targets.targets([store], cost, per_simulation) for cost in (SIMULATIONS, STEPS, TIME)]
    shown = [one for one in found if one.runtimes]
    lines = "".join(f"<p>{escape(line)}.</p>" for line in dict.fromkeys(line for one in found for line in one.notes))
    if not (shown or lines):
        return ""
    said = f'<p class="muted">{escape(targets.RULE)}. {SAID}</p>' if shown else ""
    tables = f'<div class="choice">{"".join(map(_table, shown))}</div>' if shown else ""
    charts = "".join(_chart(one) for one in shown if one.shares)
    return f'<section><h2 id="targets">Runtime to targets</h2>{said}{charts}{tables}{lines}</section>'


SAID = (
    "Between played budgets the running maximum is linear in the logarithm of the budget. &le; marks the smallest "
    "played budget, &gt; the largest: beyond them nothing is guessed. In brackets is the ratio to the best planner. A "
    "chart shows the share of all problems' targets reached by a budget (Hansen et al. 2022) with 95 % bands; what "
    "the smallest budget reaches counts from there."
)


def _chart(found: Targets) -> str:
    words = f"Share of {found.pairs} targets reached, by {found.cost} of a decision"
    return image(words, svg(draw(found)))


def _table(found: Targets) -> str:
    caption = f"{found.cost.capitalize()} of a decision to a mean score [95 % interval] (ratio to the best planner)"
    head = ["problem", "planner", *(f"{target:g}" for target in TARGETS)]
    return table(caption, head, _rows(found), f"{found.cost}|targets")


def _rows(found: Targets) -> Iterator[list[Cell]]:
    for problem, runtimes in found.runtimes.items():
        times = found.ratios(problem)
        for name, of in runtimes.items():
            yield [text(found.head(problem)), text(name), *map(_cell, of, times[name])]


def _cell(runtime: Runtime, ratio: Ratio | None) -> Cell:
    first, _, band = targets.runtime_text(runtime).partition(" [")
    small = [f"[{band}"] * bool(band) + [f"({targets.ratio_text(ratio)})"] * (ratio is not None)
    shown = f"{escape(first)} <small>{escape(' '.join(small))}</small>" if small else escape(first)
    value = runtime.largest * BEYOND if math.isinf(runtime.budget) else runtime.budget
    return shown.replace("&lt;=", "&le;").replace("&gt;=", "&ge;"), value
