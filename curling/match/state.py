"""The state of a match as a flat vector, and the effect of a shot on it apart from the motion of the stones.

| field | meaning |
|---|---|
| 0 | time: shots thrown since the start of the match; time mod 16 is the number of the shot in its end |
| 1 | hammer: the team, 0 or 1, that throws second in this end |
| 2 | lead: points of team 0 minus those of team 1 in the finished ends |
| 3 + 2 i, 4 + 2 i | x and y of stone i, m, rows as in `curling.ice.sheet`; (0, 0) where absent |
| 35 | in mixed doubles: the team that decides, or has decided, the set-up of this end |
| 36 + team | in mixed doubles: 1 while the team may have its power play, then 0 |

In mixed doubles time mod 16 is 0 before the set-up of an end and 6 after it, see `curling.match.mixed_doubles`.
After the last shot of an end the sheet is empty; only the final state of the match keeps its stones.
"""

import numpy as np

from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT, MIXED_THROWERS, STONES, TEAM_STONES
from bonspiel.curling.match.rules import is_foul, next_hammer, removes_stone, row, score, thrower
from bonspiel.curling.match.setup_value import decider_value
from bonspiel.curling.match.value import value_of
from bonspiel.planners.checks import require
from bonspiel.planners.jit import MATRIX, VECTOR, helper, int64, kernel, typeof
from bonspiel.planners.model import Array

TIME, HAMMER, LEAD, FIRST_STONE = range(4)
STATE_DIM = FIRST_STONE + 2 * STONES
DECIDER, POWER = STATE_DIM, STATE_DIM + 1  # in mixed doubles; POWER + team
MIXED_STATE_DIM = POWER + 2

REWARDS = ("points", "win", "win_probability")  # params[REWARD] is an index into it
POINTS, WIN, WIN_PROBABILITY = range(3)

# indices into a model's params; FIRST_SHOT of an end is above 0 in mixed doubles alone; THROWERS are the
# players of team 0 and of team 1, two each: the largest speed of aims and `Noise.params`, alike in standard
# games; VALUES, of `curling.match.value.win_probabilities` or `curling.match.setup_value.setup_values`, go on to
# params[NETWORK], where the weights of `curling.network.end_network` begin, if there are any
LAW, SPIN, TEE_VX, TEE_VY, TEE, IN_HOUSE = range(6)
FREE_GUARD, NO_TICK, ENDS, LAST_END, REWARD = range(6, 11)
VX_UNIT, VY_ZERO, VY_UNIT, FIRST_SHOT, PATTERN, NETWORK, THROWERS = range(11, 18)
PER_THROWER = 6
VALUES = THROWERS + 4 * PER_THROWER


@helper
def hammer_of(state: Array) -> int:
    """The team that throws second in this end."""
    return 1 if state[HAMMER] > 0.5 else 0


@helper
def shot_of(state: Array) -> int:
    """Number of the next shot in its end, 0..15, in mixed doubles 6..15."""
    return int(state[TIME]) % STONES


@kernel(int64(VECTOR))
def team_of(state: Array) -> int:
    """The team that throws next."""
    return thrower(shot_of(state), hammer_of(state))


@kernel(int64(VECTOR))
def row_of(state: Array) -> int:
    """The row of the stone thrown next."""
    return row(shot_of(state), hammer_of(state))


@kernel(typeof(None)(VECTOR, MATRIX))
def read_stones(state: Array, stones: Array) -> None:
    """Write the stones of a state, [16, 2], NaN where absent."""
    for i in range(STONES):
        x, y = state[FIRST_STONE + 2 * i], state[FIRST_STONE + 2 * i + 1]
        stones[i, 0] = x if y > 0.0 else np.nan
        stones[i, 1] = y if y > 0.0 else np.nan


def stones_of(state: Array) -> Array:
    """The stones of a state, a new array [16, 2], NaN where absent."""
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    return stones


def state_of(stones: Array, shot: int, hammer: int = 1, end: int = 0, lead: int = 0) -> Array:
    """The state of a position with `stones`, [16, 2], NaN where absent, before a shot, 0..15, of an end, from 0.

    `hammer` is the team that throws second, 0 or 1; `lead` the points of team 0 minus those of team 1.

    Raises:
        ValueError: a number out of range, or stones of another shape.
    """
    require(0 <= shot < STONES, "shot", shot, "from 0 to 15")
    require(hammer in (0, 1), "hammer", hammer, "0 or 1")
    require(end >= 0, "end", end, "at least 0")
    require(np.shape(stones) == (STONES, 2), "stones", np.shape(stones), "an array of shape (16, 2)")
    return np.concatenate([[end * STONES + shot, hammer, lead], np.nan_to_num(stones).ravel()]).astype(np.float64)


@helper
def is_mixed(params: Array) -> bool:
    """Return whether the game is mixed doubles."""
    return bool(params[FIRST_SHOT] > 0.0)


@helper
def thrower_at(state: Array, params: Array) -> int:
    """Index of the next thrower's first number in `params`: the largest speed of aims, m/s; `Noise.params` follow."""
    throw = max(shot_of(state) - MIXED_FIRST_SHOT, 0) // 2
    player = MIXED_THROWERS[throw] if is_mixed(params) else 0
    return THROWERS + PER_THROWER * (2 * team_of(state) + player)


@helper
def breaks_rule(before: Array, after: Array, shot: int, team: int, params: Array) -> bool:
    """Return whether a shot removed a stone that the free guard zone rule protects, or its form in mixed doubles."""
    if is_mixed(params):
        return bool(shot < int(params[FREE_GUARD]) and removes_stone(before, after))
    free_guard, no_tick = int(params[FREE_GUARD]), int(params[NO_TICK])
    return bool(is_foul(before, after, shot, team, free_guard, no_tick, params[TEE], params[IN_HOUSE]))


@helper
def _next_hammer_or_decider(state: Array, points: int, params: Array) -> int:
    """The team with the hammer after this end, or in mixed doubles the team that decides the next set-up."""
    if is_mixed(params):
        return int(next_hammer(points, 1 - int(state[DECIDER])))
    return int(next_hammer(points, hammer_of(state)))


@helper
def value_after(state: Array, points: int, params: Array) -> float:
    """Team 0's probability to win the match after this end with `points` points."""
    left = int(params[LAST_END]) - int(state[TIME]) // STONES - 1
    values = params[VALUES : int(params[NETWORK])]
    team, lead = _next_hammer_or_decider(state, points, params), int(state[LEAD]) + points
    if is_mixed(params):
        return decider_value(values, left, team, lead, state[POWER], state[POWER + 1])
    return value_of(values, left, team, lead)


@kernel(typeof((0.0, True))(VECTOR, MATRIX, VECTOR, VECTOR))
def apply_rules(state: Array, stones: Array, next_state: Array, params: Array) -> tuple[float, bool]:
    """Apply the rules after a shot: free guard zone, score, hammer, end of the match.

    `stones` are those at rest after it, [16, 2], NaN where absent; `next_state` receives the next state, which after an
    end of mixed doubles is that before the next set-up.

    Returns:
        Team 0's reward, and whether the episode is over: the match, or with win probabilities the end.
    """
    shot = shot_of(state)
    kept = stones
    if shot < int(params[FREE_GUARD]):
        before = state[FIRST_STONE:STATE_DIM].reshape((STONES, 2))
        if breaks_rule(before, stones, shot, team_of(state), params):
            kept = before
    for i in range(STONES):
        present = kept[i, 1] > 0.0
        next_state[FIRST_STONE + 2 * i] = kept[i, 0] if present else 0.0
        next_state[FIRST_STONE + 2 * i + 1] = kept[i, 1] if present else 0.0
    next_state[TIME] = state[TIME] + 1.0
    next_state[HAMMER] = state[HAMMER]
    next_state[LEAD] = state[LEAD]
    for i in range(STATE_DIM, len(state)):
        next_state[i] = state[i]
    if shot < STONES - 1:
        return 0.0, False
    points = score(kept, params[TEE], params[IN_HOUSE])
    lead = state[LEAD] + points
    team = _next_hammer_or_decider(state, points, params)
    next_state[HAMMER] = team
    if is_mixed(params):
        next_state[DECIDER] = team
    next_state[LEAD] = lead
    ends_played = next_state[TIME] / STONES
    over = ends_played >= params[LAST_END] or (ends_played >= params[ENDS] and lead != 0.0)
    if not over:
        next_state[FIRST_STONE:STATE_DIM] = 0.0
    if params[REWARD] == POINTS:
        return float(points), over
    if not over and params[REWARD] == WIN:
        return 0.0, False
    return value_after(state, points, params), True


@helper
def worth_of(state: Array, params: Array, worth: Array) -> None:
    """Write what -8..8 points in this end are worth to the team with the hammer, [17]: its chance to win, 0 to 1.

    For points they are worth 0 to 1 in equal steps.
    """
    hammer = hammer_of(state)
    for points in range(-TEAM_STONES, TEAM_STONES + 1):
        points0 = points if hammer == 0 else -points
        if params[REWARD] == POINTS:
            worth[points + TEAM_STONES] = 0.5 + points / STONES
        else:
            value = value_after(state, points0, params)
            worth[points + TEAM_STONES] = value if hammer == 0 else 1.0 - value
