"""Tables of the page and the provenance, as HTML; every text in them is escaped."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from bonspiel.runs.counting import Steps
from bonspiel.runs.experiment import Setting, amount
from bonspiel.runs.progress import counted
from bonspiel.runs.provenance import texts
from bonspiel.runs.reporting.chart import UNITS
from bonspiel.runs.reporting.notes import facts
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.curves import Column, Panel
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.statistics.timing import TOLERANCE, Timing
from bonspiel.runs.tables import figures

MOST = 200  # failures that are listed

Cell = tuple[str, float | None]  # HTML, and the value to sort by


def text(value: str) -> Cell:
    """A cell of text."""
    return escape(value), None


def number(value: float, digits: str = ",.3f") -> Cell:
    """A cell with a number."""
    return f"{value:{digits}}".replace("-", "\N{MINUS SIGN}"), value


def estimate(interval: Interval) -> Cell:
    """A cell with a value, and below it its interval."""
    value, low, high = (part.replace("-", "\N{MINUS SIGN}") for part in figures(interval))
    band = "" if math.isnan(interval.low) else f" <small>[{low}, {high}]</small>"
    return f"{value}{band}", interval.value


NOTHING: Cell = ("", None)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], name: str = "") -> str:
    """A table that can be sorted by every column; the first column names the rows. Scripts find it by `name`."""
    # long names of problems break after their signs
    names = (re.sub(r"(?<=[:,_(])(?=.)", "<wbr>", escape(one)) for one in head)
    columns = "".join(f'<th scope="col"><button type="button">{name}</button></th>' for name in names)
    body = "".join(f"<tr>{''.join(map(_cell, range(len(row)), row))}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f'<table data-name="{escape(name)}"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(place: int, cell: Cell) -> str:
    shown, value = cell
    if place == 0:
        return f'<th scope="row">{shown}</th>'
    return f"<td>{shown}</td>" if value is None else f'<td data-value="{value:.9g}">{shown}</td>'


def of_budgets(panel: Panel, name: str, column: Column) -> str:
    """One estimate of every planner and budget."""
    rows, bands = [], False
    for planner, curve in panel.curves.items():
        values = {budget: column(summary) for budget, summary in curve}
        bands |= any(not math.isnan(interval.low) for interval in values.values())
        cells = {budget: estimate(interval) for budget, interval in values.items()}
        rows.append([text(panel.label(planner)), *(cells.get(budget, NOTHING) for budget in panel.budgets)])
    caption = f"{name.capitalize()}{' [95 % interval]' * bands} by {UNITS[panel.unit]}"
    head = ["planner", *(f"{budget:,g}" for budget in panel.budgets)]
    return table(caption, head, rows, f"{name}|{panel.env}|{panel.unit}")


def of_improvement(
    labels: Mapping[str, str], found: Mapping[tuple[str, str], Interval], caption: str, name: str
) -> str:
    """The probability that an episode of the row's planner scores more than one of the column's, shaded by it."""
    planners = [planner for planner in labels if any(planner in pair for pair in found)]
    rows = []
    for row in planners:
        cells: list[Cell] = [text(labels[row])]
        for column in planners:
            if (row, column) not in found:
                cells.append(("\N{EN DASH}", None))
                continue
            shown, value = estimate(found[row, column])
            side = "more" if value is not None and value > 0.5 else "less"
            share = round(200 * abs((value or 0.0) - 0.5))
            cells.append((f'<span class="{side}" style="--share:{share}%">{shown}</span>', value))
        rows.append(cells)
    return table(caption, ["planner", *(labels[planner] for planner in planners)], rows, f"improvement|{name}")


def of_steps(env: str, labels: Mapping[str, str], found: Mapping[str, Steps | None], speed: Mapping[str, float]) -> str:
    """Model steps by planner, None where they could not be counted, and simulations a second by planner."""
    rows = []
    for planner, steps in found.items():
        rate = speed.get(planner, math.nan)
        fast = number(rate, ",.0f") if math.isfinite(rate) else NOTHING
        cells = text("not counted"), NOTHING, NOTHING
        if steps:
            n, each = steps.simulations, steps.per_simulation
            cells = number(n, ",.0f"), number(each), number(n * each, ",.0f")
        rows.append([text(labels[planner]), *cells, fast])
    steps_per = [f"model steps per {unit}" for unit in ("simulation", "decision")]
    head = ["planner", "simulations per decision", *steps_per, "simulations per second in the run"]
    return table("Model steps beside simulations", head, rows, f"steps|{env}")


def of_timings(timings: Mapping[Setting, Timing], labels: Mapping[str, Mapping[str, str]]) -> str:
    """Times of decisions with time budgets; late settings are marked. Labels are by environment and planner's text."""
    rows = []
    for setting, one in timings.items():
        late = number(100 * one.share, ".2f")
        marked = (f'<strong class="bad">{late[0]}</strong>', late[1]) if one.late else late
        names = text(labels[setting.env][setting.planner]), text(setting.env)
        counts = number(setting.budget, ",g"), number(one.decisions, ",.0f")
        rows.append([*names, *counts, *map(number, (one.median, one.p99, one.longest)), marked])
    caption = f"Time budgets and times of decisions; late is more than {TOLERANCE:.0%} over the budget"
    head = ["planner", "environment", "budget, ms", "decisions", "median, ms", "99 %, ms", "longest, ms", "late, %"]
    return table(caption, head, rows, "timing")


def of_failures(failures: Sequence[tuple[str, str, float, str, int, str]]) -> str:
    """Failed episodes with their errors."""
    rows = []
    for env, planner, budget, unit, episode, error in failures[:MOST]:
        rows.append([text(planner), text(env), text(amount(budget, unit)), number(episode, ",.0f"), text(error)])
    caption = f"{counted(len(failures), 'episode')} failed" + f", the first {MOST} of them" * (len(failures) > MOST)
    return table(caption, ["planner", "environment", "budget", "episode", "error"], rows, "failures")


def provenance(store: Store) -> str:
    """The facts of a run and of all its parts, if several were merged."""
    parts = [_facts(facts(store))]
    for one in store.provenance.get("merged", []):
        parts.append(f"<h3>{escape(str(one.get('run', 'a part')))}</h3>{_facts(one)}")
    return "".join(parts)


def _facts(facts: Mapping[str, Any]) -> str:
    rows = [f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in texts(facts).items() if name != "run"]
    return f"<dl>{''.join(rows)}</dl>"
