"""The state of a match as a flat vector, and the effect of a shot on it apart from the motion of the stones.

| field | meaning |
|---|---|
| 0 | time: shots thrown since the start of the match; time mod 16 is the number of the shot in its end |
| 1 | hammer: the team, 0 or 1, that throws second in this end |
| 2 | lead: points of team 0 minus those of team 1 in the finished ends |
| 3 + 2 i, 4 + 2 i | x and y of stone i, m, rows as in `curling.sheet`; (0, 0) where absent |

After the last shot of an end the sheet is empty; only the final state of the match keeps its stones.
"""

import numpy as np

from curling.rules import is_foul, next_hammer, row, score, thrower
from curling.sheet import STONES, TEAM_STONES
from curling.value import value_of
from planners.base import Array, require
from planners.jit import MATRIX, VECTOR, helper, int64, kernel, typeof

TIME, HAMMER, LEAD, FIRST_STONE = range(4)
STATE_DIM = FIRST_STONE + 2 * STONES

REWARDS = ("points", "win", "win_probability")  # params[REWARD] is an index into it
POINTS, WIN, WIN_PROBABILITY = range(3)

# indices into a model's params; NOISE has four entries; VALUES, of `curling.value.win_probabilities`, go on to
# params[NETWORK], where the weights of `curling.end_network` begin, if there are any
LAW, SPIN, CAP, TEE_VX, TEE_VY, TEE, IN_HOUSE = range(7)
FREE_GUARD, NO_TICK, ENDS, LAST_END, REWARD = range(7, 12)
VX_UNIT, VY_ZERO, VY_UNIT, NETWORK, NOISE = range(12, 17)
VALUES = NOISE + 4


@helper
def hammer_of(state: Array) -> int:
    """The team that throws second in this end."""
    return 1 if state[HAMMER] > 0.5 else 0


@helper
def shot_of(state: Array) -> int:
    """Number of the next shot in its end, 0..15."""
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


@kernel(typeof((0.0, True))(VECTOR, MATRIX, VECTOR, VECTOR))
def apply_rules(state: Array, stones: Array, next_state: Array, params: Array) -> tuple[float, bool]:
    """Apply the rules after a shot: free guard zone, score, hammer, end of the match.

    `stones` are those at rest after it, [16, 2], NaN where absent; `next_state` receives the next state.

    Returns:
        Team 0's reward, and whether the episode is over: the match, or with win probabilities the end.
    """
    shot, hammer = shot_of(state), hammer_of(state)
    tee, in_house = params[TEE], params[IN_HOUSE]
    free_guard, no_tick = int(params[FREE_GUARD]), int(params[NO_TICK])
    kept = stones
    if shot < free_guard:
        before = state[FIRST_STONE:].reshape((STONES, 2))
        if is_foul(before, stones, shot, thrower(shot, hammer), free_guard, no_tick, tee, in_house):
            kept = before
    for i in range(STONES):
        present = kept[i, 1] > 0.0
        next_state[FIRST_STONE + 2 * i] = kept[i, 0] if present else 0.0
        next_state[FIRST_STONE + 2 * i + 1] = kept[i, 1] if present else 0.0
    next_state[TIME] = state[TIME] + 1.0
    next_state[HAMMER] = state[HAMMER]
    next_state[LEAD] = state[LEAD]
    if shot < STONES - 1:
        return 0.0, False
    points = score(kept, tee, in_house)
    lead = state[LEAD] + points
    next_state[HAMMER] = next_hammer(points, hammer)
    next_state[LEAD] = lead
    ends_played = next_state[TIME] / STONES
    over = ends_played >= params[LAST_END] or (ends_played >= params[ENDS] and lead != 0.0)
    if not over:
        next_state[FIRST_STONE:] = 0.0
    if params[REWARD] == POINTS:
        return float(points), over
    if not over and params[REWARD] == WIN:
        return 0.0, False
    left = int(params[LAST_END] - ends_played)
    return value_of(params[VALUES : int(params[NETWORK])], left, hammer_of(next_state), int(lead)), True


@helper
def worth_of(state: Array, params: Array, worth: Array) -> None:
    """Write what -8..8 points in this end are worth to the team with the hammer, [17]: its chance to win, 0 to 1.

    For points they are worth 0 to 1 in equal steps.
    """
    hammer, left = hammer_of(state), int(params[LAST_END]) - int(state[TIME]) // STONES - 1
    values = params[VALUES : int(params[NETWORK])]
    for points in range(-TEAM_STONES, TEAM_STONES + 1):
        points0 = points if hammer == 0 else -points
        if params[REWARD] == POINTS:
            worth[points + TEAM_STONES] = 0.5 + points / STONES
        else:
            value = value_of(values, left, next_hammer(points0, hammer), int(state[LEAD]) + points0)
            worth[points + TEAM_STONES] = value if hammer == 0 else 1.0 - value
