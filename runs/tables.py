"""Tables in Markdown, which read well in a terminal too."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bonspiel.runs.experiment import Setting, amount

if TYPE_CHECKING:
    from bonspiel.runs.suite import Suite

NARROWEST = 24  # characters of a name that are kept in one line on a narrow terminal
NOTHING = 1e-10  # below it are errors of rounding
HUGE = 1e15  # from here on not all digits are known


def markdown(rows: Iterable[Sequence[str]]) -> str:
    """A table whose first row is its head; a bar in a cell is escaped."""
    head, *body = ([cell.replace("|", r"\|") for cell in row] for row in rows)
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)


def by_budget(cells: Mapping[str, Mapping[float, str]], unit: str, width: int | None = None) -> str:
    """A row for each planner and a column for each budget; several tables, one below the other, if it is too wide."""
    budgets = sorted({budget for row in cells.values() for budget in row})
    tables = []
    while budgets:
        shown = list(budgets)
        table = _by_budget(cells, shown, unit, width)
        while width is not None and len(shown) > 1 and table.index("\n") > width:
            shown.pop()
            table = _by_budget(cells, shown, unit, width)
        tables.append(table)
        budgets = budgets[len(shown) :]
    return "\n\n".join(tables)


def by_setting(suite: "Suite", cells: Mapping[Setting, str], width: int | None = None) -> Iterator[str]:
    """Tables as from `by_budget`, one for each environment and unit of budget; the suite's labels name the planners."""
    tables: dict[tuple[str, str], dict[str, dict[float, str]]] = {}
    for setting, text in cells.items():
        name = suite.labels(setting.env).get(setting.planner, setting.planner)
        tables.setdefault((setting.env, setting.unit), {}).setdefault(name, {})[setting.budget] = text
    return (f"{env}\n{by_budget(table, unit, width)}" for (env, unit), table in tables.items())


def _by_budget(cells: Mapping[str, Mapping[float, str]], budgets: Sequence[float], unit: str, width: int | None) -> str:
    rows = [["planner", *(amount(budget, unit) for budget in budgets)]]
    for name, row in cells.items():
        first, *more = [name] if width is None else fold(name, max(NARROWEST, width // 3))
        rows.append([first, *(row.get(budget, "") for budget in budgets)])
        rows += [[line, *("" for _ in budgets)] for line in more]
    return markdown(rows)


def fold(text: str, width: int) -> list[str]:
    """A name in lines, broken after commas and spaces."""
    lines = [""]
    for part in re.split(r"(?<=[ ,])", text):
        if lines[-1] and len(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return lines


def figures(numbers: Iterable[float], digits: int = 3) -> list[str]:
    """Numbers of one kind, with `digits` decimals; with significant digits where all decimals are 0, or not known."""
    numbers = list(numbers)
    largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
    if largest < NOTHING or 10.0**-digits <= largest < HUGE:
        style = f"z.{digits}f"
    else:
        style = f"z.{digits if largest < HUGE else 15}g"
    return [f"{number:{style}}" for number in numbers]


def estimate(interval: tuple[float, float, float], digits: int = 3) -> str:
    """`value [low, high]` of an estimate with its interval; only the value where `low` is NaN."""
    value, low, high = figures(interval, digits)
    return value if math.isnan(interval[1]) else f"{value} [{low}, {high}]"


def without_nan(value: Any) -> Any:
    """The same for JSON: null for NaN, and lists for tuples."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
