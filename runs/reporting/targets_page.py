"""The section of a page on runtimes to targets."""

import math
from collections.abc import Iterator, Mapping
from html import escape

from bonspiel.runs.counting import Steps
from bonspiel.runs.reporting import targets, targets_chart
from bonspiel.runs.reporting.drawing import svg
from bonspiel.runs.reporting.figures import image
from bonspiel.runs.reporting.tables import Cell, table, text
from bonspiel.runs.reporting.targets import SIMULATIONS, STEPS, TIME, Targets
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.targets import TARGETS, Ratio, Runtime

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
    return image(words, svg(targets_chart.draw(found)))


def _table(found: Targets) -> str:
    caption = f"{found.cost.capitalize()} of a decision to a mean score [95 % interval] (ratio to the best planner)"
    head = ["problem", "planner", *(f"{target:g}" for target in TARGETS)]
    return table(caption, head, _rows(found), f"{found.cost}|targets")


def _rows(found: Targets) -> Iterator[list[Cell]]:
    for problem, of_planners in found.runtimes.items():
        times = found.ratios(problem)
        for name, of in of_planners.items():
            yield [text(found.head(problem)), text(name), *map(_cell, of, times[name])]


def _cell(runtime: Runtime, ratio: Ratio | None) -> Cell:
    first, _, band = targets.runtime_text(runtime).partition(" [")
    small = [f"[{band}"] * bool(band) + [f"({targets.ratio_text(ratio)})"] * (ratio is not None)
    shown = f"{escape(first)} <small>{escape(' '.join(small))}</small>" if small else escape(first)
    value = runtime.largest * BEYOND if math.isinf(runtime.budget) else runtime.budget
    return shown.replace("&lt;=", "&le;").replace("&gt;=", "&ge;"), value
