"""Tables in Markdown, which read well in a terminal too."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a look at a run is not to wait for scipy
    from runs.statistics.sample import Interval


def markdown(rows: Iterable[Sequence[str]]) -> str:
    """A table whose first row is its head."""
    head, *body = rows
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)


def estimate(interval: "Interval") -> str:
    """`value [low, high]`, the value alone where there is no interval."""
    value, low, high = (f"{number:z.3f}" for number in interval)
    return value if math.isnan(interval.low) else f"{value} [{low}, {high}]"
