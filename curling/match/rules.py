"""The rules of an end: turns, protected guards, score and hammer; compiled, also callable from Python.

Stones are [16, 2], absent where y is NaN or 0; `tee` and `in_house` are of `curling.ice.sheet.Sheet`, m. Points and
leads are team 0's. The hammer is the team (0 or 1) that throws second in an end; `shot` is the number of a shot in it,
0..15.
"""

import math

from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT, STONE_RADIUS, TEAM_STONES
from bonspiel.planners.jit import MATRIX, boolean, float64, helper, int64, kernel
from bonspiel.planners.model import Array
from bonspiel.planners.registry import look_up

# name: numbers of shots at the start of an end under the free guard zone and the no-tick rule
RULES = {"none": (0, 0), "four_rock": (4, 0), "five_rock": (5, 0), "no_tick": (5, 5)}
MODIFIED = "modified"  # the rule of mixed doubles: the first three shots may remove no stone at all
MIXED_PROTECTED = MIXED_FIRST_SHOT + 3  # its shots below this number are under the rule


def rule_of(name: str | None) -> tuple[int, int]:
    """Numbers of shots at the start of an end under (the free guard zone rule, the no-tick rule).

    Raises:
        ValueError: not one of RULES.
    """
    return look_up("rule", name, RULES)


@kernel(int64(int64, int64))
def thrower(shot: int, hammer: int) -> int:
    """The team that throws a shot."""
    return 1 - hammer if shot % 2 == 0 else hammer


@kernel(int64(int64, int64))
def row(shot: int, hammer: int) -> int:
    """The row of a shot's stone in arrays of stones."""
    return TEAM_STONES * thrower(shot, hammer) + shot // 2


@helper
def _to_tee(stones: Array, i: int, tee: float) -> float:
    """Distance of stone i from the tee; infinite where absent."""
    x, y = stones[i, 0], stones[i, 1] - tee
    return math.sqrt(x * x + y * y) if stones[i, 1] > 0.0 else math.inf


@helper
def _on_centre_line(stones: Array, i: int) -> bool:
    return bool(stones[i, 1] > 0.0 and abs(stones[i, 0]) <= STONE_RADIUS)


@kernel(int64(MATRIX, float64, float64))
def score(stones: Array, tee: float, in_house: float) -> int:
    """Points of an end: above 0 for team 0, below for team 1.

    The team of the stone nearest the tee scores one for each stone in the house nearer than the other team's nearest.
    """
    nearest0 = nearest1 = in_house
    for i in range(TEAM_STONES):
        nearest0 = min(nearest0, _to_tee(stones, i, tee))
        nearest1 = min(nearest1, _to_tee(stones, TEAM_STONES + i, tee))
    points = 0
    for i in range(TEAM_STONES):
        if _to_tee(stones, i, tee) < nearest1:
            points += 1
        if _to_tee(stones, TEAM_STONES + i, tee) < nearest0:
            points -= 1
    return points


@kernel(boolean(MATRIX, MATRIX, int64, int64, int64, int64, float64, float64))
def is_foul(
    before: Array, after: Array, shot: int, team: int, free_guard: int, no_tick: int, tee: float, in_house: float
) -> bool:
    """Return whether a shot removed (or, under the no-tick rule, ticked) a protected guard of the opponent.

    After a foul the stones are put back and the thrown stone is removed. Guards are the stones outside the house in
    front of the tee line; the no-tick rule also keeps those on the centre line in place (Digital Curling 4).
    `before` and `after` are the stones before the shot of `team` and at rest after it; `free_guard` and `no_tick` are
    the numbers of shots under each rule.
    """
    if shot >= free_guard:
        return False
    for i in range((1 - team) * TEAM_STONES, (2 - team) * TEAM_STONES):
        guard = before[i, 1] > 0.0 and before[i, 1] + STONE_RADIUS < tee and _to_tee(before, i, tee) >= in_house
        if guard and not after[i, 1] > 0.0:
            return True
        if guard and shot < no_tick and _on_centre_line(before, i) and not _on_centre_line(after, i):
            return True
    return False


@kernel(boolean(MATRIX, MATRIX))
def removes_stone(before: Array, after: Array) -> bool:
    """Return whether a shot removed a stone of either team, which is a foul early in an end of mixed doubles."""
    for i in range(len(before)):
        if before[i, 1] > 0.0 and not after[i, 1] > 0.0:
            return True
    return False


@kernel(int64(int64, int64))
def next_hammer(points: int, hammer: int) -> int:
    """The hammer of the next end: the scoring team loses it, a blank end keeps it."""
    if points == 0:
        return hammer
    return 1 if points > 0 else 0
