"""The probability to win a match of mixed doubles, and the best set-up of every end, by dynamic programming.

Before an end one team decides its set-up, see `curling.match.mixed_doubles`: it takes the hammer or leaves it to the
other team, and once a match it may take the hammer with a power play. Tables of end scores are those of
`curling.match.value`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.match.value import LEADS, MOST_LEAD, POINTS, table_from_counts
from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array

CHOICES = ("center_guard", "center_house", "pp_left", "pp_right")  # names of the servers
CENTER_GUARD, CENTER_HOUSE, PP_LEFT, PP_RIGHT = range(4)
POWERS = 4  # which teams have their power play: 2 if the one that decides, and 1 if the other one

# numbers of ends with -8..8 points of the team with the hammer, in three rounds of self-play of `presearch`, each with
# decisions by the table of the round before
SELF_PLAY = (0, 0, 0, 1, 1, 28, 93, 447, 2, 538, 378, 218, 77, 16, 1, 0, 0)
SELF_PLAY_POWER_PLAY = (0, 0, 0, 0, 0, 6, 37, 304, 1, 512, 442, 249, 182, 64, 3, 0, 0)

Choices = NDArray[np.int64]


def _after_end(table: Sequence[float], sign: int, again: Array, other: Array) -> Array:
    """The decider's probability to win before an end that it begins with each lead, [41].

    Args:
        table: points of the team with the hammer, [17].
        sign: 1 if that is the team that decides, -1 if it is the other one.
        again: the probability after the end where the team that decides now, decides again, by its lead, [41].
        other: that of the other team where it decides, by its lead, [41].
    """
    leads = np.arange(-MOST_LEAD, MOST_LEAD + 1)
    value = np.zeros(LEADS)
    for chance, scored in zip(table, POINTS, strict=True):
        points = sign * scored
        after = np.clip(leads + points, -MOST_LEAD, MOST_LEAD)
        # who did not score decides, after a blank end who did not decide
        value += chance * (again[MOST_LEAD + after] if points < 0 else 1.0 - other[MOST_LEAD - after])
    return value


def setup_values(ends: int, extra_ends: int = 0, tie: float = 0.5) -> tuple[Array, Choices]:
    """The probability to win before the set-up of an end, for the team that decides it, and its best choice.

    Args:
        ends: ends of the match.
        extra_ends: extra ends after a tie, until a team scores; there are no power plays in them.
        tie: value of a final tie, 0 to 1, for the team that would decide next.

    Returns:
        Two arrays [ends + extra_ends + 1, 4, 41]: row i with i ends left, extra ends included; then POWERS; then
        20 + the lead of the team that decides. Choices are indices into CHOICES, CENTER_HOUSE where all are equal.
    """
    hammer, power_play = table_from_counts(SELF_PLAY), table_from_counts(SELF_PLAY_POWER_PLAY)
    leads = np.arange(-MOST_LEAD, MOST_LEAD + 1)
    decided = 0.5 + 0.5 * np.sign(leads)
    values = np.empty((ends + extra_ends + 1, POWERS, LEADS))
    choices = np.full(values.shape, CENTER_HOUSE, np.int64)
    values[0] = np.where(leads == 0, tie, decided)
    for left in range(1, len(values)):
        then = values[left - 1]
        for powers in range(POWERS):
            own, other = divmod(powers, 2)
            swapped = 2 * other + own
            options = {
                CENTER_HOUSE: _after_end(hammer, 1, then[powers], then[swapped]),
                CENTER_GUARD: _after_end(hammer, -1, then[powers], then[swapped]),
            }
            if own and left > extra_ends:
                options[PP_RIGHT] = _after_end(power_play, 1, then[other], then[2 * other])
            table = np.array(list(options.values()))
            values[left, powers] = table.max(0)
            choices[left, powers] = np.array(list(options))[table.argmax(0)]
        if left <= extra_ends:
            values[left] = np.where(leads == 0, values[left], decided)
    return values, choices


@helper
def _place(tables: Array, left: int, decider: int, lead: int, power_0: float, power_1: float) -> int:
    """The place in the first half of `tables` of the team that decides."""
    row = min(max(left, 0), len(tables) // (2 * POWERS * LEADS) - 1)
    own = min(max(lead if decider == 0 else -lead, -MOST_LEAD), MOST_LEAD)
    powers = 2.0 * power_0 + power_1 if decider == 0 else 2.0 * power_1 + power_0
    return (row * POWERS + int(powers)) * LEADS + MOST_LEAD + own


@helper
def decider_value(tables: Array, left: int, decider: int, lead: int, power_0: float, power_1: float) -> float:
    """Team 0's probability to win with this lead and `left` ends left, before `decider` sets up the next one.

    `tables` are both of `setup_values` as one flat vector; `power_0` and `power_1` are 1 for teams that have their
    power play, else 0.
    """
    value = tables[_place(tables, left, decider, lead, power_0, power_1)]
    return value if decider == 0 else 1.0 - value


@helper
def best_choice(tables: Array, left: int, decider: int, lead: int, power_0: float, power_1: float) -> int:
    """The best choice of `decider`, an index into CHOICES; see `decider_value`."""
    return int(tables[len(tables) // 2 + _place(tables, left, decider, lead, power_0, power_1)])
