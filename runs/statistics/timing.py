"""Times of decisions against their time budgets."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.runs.experiment import Setting
from bonspiel.runs.progress import counted
from bonspiel.runs.tables import markdown

TOLERANCE = 0.05  # a decision is late if it exceeds its budget by a larger share


class Timing(NamedTuple):
    """The decisions of one setting with a time budget."""

    decisions: int  # their number
    median: float  # of their times, milliseconds
    p99: float  # the 99th percentile
    longest: float
    late: int  # the number that took over 5 % more than the budget

    @property
    def share(self) -> float:
        """The part of the decisions that was late."""
        return self.late / self.decisions


def timing(times: Iterable[tuple[Setting, NDArray[np.float32]]]) -> dict[Setting, Timing]:
    """The times of every setting with at least one decision, from the seconds of all decisions, [decisions]."""
    found = {}
    for setting, seconds in times:
        if len(seconds):
            took = 1e3 * seconds.astype(np.float64)
            median, p99, longest = np.quantile(took, (0.5, 0.99, 1.0)).tolist()
            late = int((took > (1.0 + TOLERANCE) * setting.budget).sum())
            found[setting] = Timing(len(took), median, p99, longest, late)
    return found


def verdict(timings: Mapping[Setting, Timing]) -> str:
    """A sentence on late decisions."""
    decisions, late = (sum(column) for column in zip(*((t.decisions, t.late) for t in timings.values()), strict=True))
    if not late:
        return f"None of the {decisions:,} decisions took over {TOLERANCE:.0%} more than its time budget."
    setting, worst = max(timings.items(), key=lambda item: item[1].longest / item[0].budget)
    mostly = sum(t.share > 0.5 for t in timings.values())
    often = "No planner was late in more than half of its decisions with a budget."
    if mostly:
        budgets = f"{mostly} of {counted(len(timings), 'time budget')}"
        often = f"With {budgets} more than half of a planner's decisions were late."
    return (
        f"**Time budgets were overrun**: {late:,} of {decisions:,} decisions ({late / decisions:.2%}) took over "
        f"{TOLERANCE:.0%} more than their budget. {often} The longest beyond its budget was of {setting.planner} in "
        f"{setting.env}: {worst.longest:.3g} ms instead of {setting.budget:g} ms."
    )


def table(timings: Mapping[Setting, Timing]) -> str:
    """A table in Markdown with a row for every setting."""
    head = ["environment", "planner", "budget, ms", "decisions", "median, ms", "99 %, ms", "longest, ms", "late"]
    rows = [head]
    for (env, planner, budget, *_), t in timings.items():
        rows.append(
            [env, planner, f"{budget:g}", f"{t.decisions:,}", *(f"{ms:.3f}" for ms in t[1:4]), f"{t.share:.2%}"]
        )
    return markdown(rows)
