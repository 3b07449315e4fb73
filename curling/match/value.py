"""The probability to win a match, by dynamic programming over the scores of its ends.

A table of end scores holds the probabilities of -8..8 points for the team with the hammer, in this order.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.curling.ice.physics import physics_of
from bonspiel.curling.ice.sheet import TEAM_STONES
from bonspiel.curling.match.rules import next_hammer
from bonspiel.planners.checks import require, require_positive
from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array

POINTS = range(-TEAM_STONES, TEAM_STONES + 1)
PRIOR_ENDS = 10.0  # weight of the thesis's table in estimates, in ends
MOST_LEAD = 20  # larger leads count as 20
LEADS = 2 * MOST_LEAD + 1

# Digital Curling 2, from self-play, as measured for the 2017 thesis; from -8 to 8 points; normalised by `check_table`
_AGAINST_HAMMER = 5.47291e-06, 5.47291e-05, 5.47291e-05, 0.000547291, 0.00547291, 0.0156369, 0.0547291, 0.172006
_WITH_HAMMER = 0.0390922, 0.390922, 0.195461, 0.070366, 0.0390922, 0.0125095, 0.00312738, 0.000781844, 0.000195461
THESIS = _AGAINST_HAMMER + _WITH_HAMMER

# numbers of last ends of two-end games with -8..8 points, in self-play of `presearch`
SELF_PLAY = {
    "fcv1": (0, 0, 0, 0, 0, 1, 6, 24, 1, 33, 56, 22, 12, 3, 2, 0, 0),
    "dc2": (0, 0, 0, 0, 0, 2, 8, 11, 2, 38, 24, 11, 3, 1, 0, 0, 0),
}


def check_table(table: Sequence[float]) -> tuple[float, ...]:
    """The table, normalised, from [17] probabilities or counts of -8..8 points for the team with the hammer.

    Raises:
        ValueError: wrong length, a negative or non-finite number, or no number above 0.
    """
    allowed = f"{len(POINTS)} finite numbers of at least 0, not all 0"
    real = all(isinstance(weight, int | float) and 0.0 <= weight < math.inf for weight in table)
    require(len(table) == len(POINTS) and real and sum(table) > 0.0, "table", table, allowed)
    return tuple(float(weight) / sum(table) for weight in table)


def load_table(path: str | Path) -> tuple[float, ...]:
    """Load a table from a JSON file {points: probability}, such as {"-1": 0.2, "0": 0.1, "1": 0.7}, others being 0.

    Raises:
        ValueError: no such file, or not a table.
    """
    try:
        given: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"table={str(path)!r}: must be a JSON file of end scores ({error})") from None
    require(isinstance(given, dict), "table", str(path), "an object {points: probability}")
    known = {str(points) for points in POINTS}
    for points in given:
        require(points in known, f"points in {path}", points, f"a whole number from {POINTS[0]} to {POINTS[-1]}")
    return check_table([given.get(str(points), 0.0) for points in POINTS])


def table_text(table: Sequence[float]) -> str:
    """The table as the JSON text that `load_table` reads."""
    weights = zip(POINTS, table, strict=True)
    return json.dumps({str(points): weight for points, weight in weights}, indent=1) + "\n"


def estimate_table(points: Sequence[int], prior_ends: float = PRIOR_ENDS) -> tuple[float, ...]:
    """Estimate a table from the points of the team with the hammer in each end, [n].

    The thesis's table, with a weight of `prior_ends` ends, smooths it, so that no score is impossible.

    Raises:
        ValueError: points that are not a whole number from -8 to 8.
    """
    for scored in points:
        require(scored in POINTS, "points", scored, f"a whole number from {POINTS[0]} to {POINTS[-1]}")
    return table_from_counts([points.count(scored) for scored in POINTS], prior_ends)


def table_from_counts(counts: Sequence[int], prior_ends: float = PRIOR_ENDS) -> tuple[float, ...]:
    """`estimate_table` from the numbers of ends with -8..8 points, [17]."""
    require_positive("prior_ends", prior_ends)
    return check_table((np.array(counts) + prior_ends * np.array(check_table(THESIS))).tolist())


def table_of(table: str | Sequence[float] | None, physics: str) -> tuple[float, ...]:
    """The table of `Curling.table`: "thesis", a path, 17 numbers, or None for self-play under this physics.

    Raises:
        ValueError: not a table.
    """
    if table is None:
        return table_from_counts(SELF_PLAY[physics_of(physics).experience])
    if table == "thesis":
        return check_table(THESIS)
    return load_table(table) if isinstance(table, str) else check_table(table)


def win_probabilities(ends: int, extra_ends: int = 0, tie: float = 0.5, table: Sequence[float] = THESIS) -> Array:
    """The probability to win before an end, for the team with the hammer in it.

    Args:
        ends: ends of the match.
        extra_ends: extra ends after a tie, until a team scores.
        tie: value of a final tie, 0 to 1, for the team that would have the hammer next.
        table: of end scores, [17].

    Returns:
        [ends + extra_ends + 1, 41]: row i with i ends left, extra ends included; column 20 + lead.
    """
    chances = np.array(check_table(table))[:, None]
    leads = np.arange(-MOST_LEAD, MOST_LEAD + 1)
    after = np.clip(leads + np.array(POINTS)[:, None], -MOST_LEAD, MOST_LEAD)  # [17, 41]
    keeps = np.array([next_hammer(points, 0) == 0 for points in POINTS])[:, None]
    column = MOST_LEAD + np.where(keeps, after, -after)
    decided = 0.5 + 0.5 * np.sign(leads)
    values = np.empty((ends + extra_ends + 1, LEADS))
    values[0] = decided
    values[0, MOST_LEAD] = tie
    for left in range(1, len(values)):
        following = values[left - 1][column]
        values[left] = (chances * np.where(keeps, following, 1.0 - following)).sum(0)
        if left <= extra_ends:
            values[left] = np.where(leads == 0, values[left], decided)
    return values


@helper
def value_of(values: Array, left: int, hammer: int, lead: int) -> float:
    """Team 0's probability to win with this lead and `left` ends left, extra ends included.

    `values` are `win_probabilities` as a flat vector; `hammer` is the team with the hammer in the next end.
    """
    row = min(max(left, 0), len(values) // LEADS - 1)
    own = min(max(lead if hammer == 0 else -lead, -MOST_LEAD), MOST_LEAD)
    value = values[row * LEADS + MOST_LEAD + own]
    return value if hammer == 0 else 1.0 - value
