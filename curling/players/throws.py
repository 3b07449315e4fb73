"""Values and points of throws with given errors, by the learned value and by playouts to the end of the end; compiled.

Throw number j meets the same errors with every aim, and so do all later throws of its playout (common random numbers).
Values and points are those of the team that throws the shot at hand.
"""

from bonspiel.curling.dynamics import step_with_errors
from bonspiel.curling.ice.sheet import LAST_SHOT, TEAM_STONES
from bonspiel.curling.match.state import LEAD, hammer_of, shot_of, team_of
from bonspiel.curling.network.end_inputs import SCORES
from bonspiel.curling.network.end_network import CHANCES, expected_worth
from bonspiel.curling.players.lookahead import SCRATCH, Scratch, best_shot
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, float64, int64, kernel, typeof
from bonspiel.planners.model import Array, Rng

CUBE = float64[:, :, ::1]


@kernel(typeof(None)(VECTOR, MATRIX, MATRIX, VECTOR, MATRIX, MATRIX, SCRATCH))
def value_throws(
    state: Array, aims: Array, errors: Array, params: Array, values: Array, points: Array, scratch: Scratch
) -> None:
    """Write what the network expects after each aim with each error, [aims, errors]; after the end what is certain."""
    sign, after = 1.0 - 2.0 * team_of(state), scratch.after[: len(state)]
    for i in range(len(aims)):
        for j in range(len(errors)):
            worth, over = step_with_errors(state, aims[i], errors[j], after, params, scratch.stones, scratch.workspace)
            scored = after[LEAD] - state[LEAD]
            if not over:
                of_hammer = 1.0 - 2.0 * hammer_of(after)
                worth = 0.5 + of_hammer * (expected_worth(after, params, scratch.network) - 0.5)
                for k in range(SCORES):
                    scored += of_hammer * (k - TEAM_STONES) * scratch.network[CHANCES + k]
            values[i, j] = worth if sign > 0.0 else 1.0 - worth
            points[i, j] = sign * scored


@kernel(int64(VECTOR, MATRIX, MATRIX, CUBE, CUBE, CUBE, VECTOR, RNG, VECTOR, MATRIX, MATRIX, SCRATCH))
def play_out(
    state: Array,
    aims: Array,
    errors: Array,
    later: Array,
    tried: Array,
    expected: Array,
    params: Array,
    rng: Rng,
    after: Array,
    values: Array,
    points: Array,
    scratch: Scratch,
) -> int:
    """Write what comes of each aim with each error if both teams then play on, [aims, errors]; the number of throws.

    They choose by the network, and what counts is the score of the end. They try more for the last stone of an end, and
    for the one before: a player who misses what is there makes every stone before it look better than it is.

    Args:
        state: the position, [state_dim].
        aims: of the shot, [aims, 3].
        errors: of its throws, [errors, 4].
        later: errors of the throws after each of these, by the number of the shot, [errors, 16, 4].
        tried: aims that each of these tries without errors beside the candidates, [errors, tried, 3]; all for the last
            stone, a quarter for the one before, and else a sixteenth.
        expected: errors with which the best of them are compared, [errors, most, 4]; all, a half, and else a quarter.
        params: of the model, with weights.
        rng: not drawn from.
        after: scratch, [state_dim].
        values: receives the team's probability to win.
        points: receives its points in this end.
        scratch: see `curling.players.lookahead`.
    """
    sign, thrown = 1.0 - 2.0 * team_of(state), 0
    now = scratch.after[: len(state)]
    for i in range(len(aims)):
        for j in range(len(errors)):
            worth, over = step_with_errors(state, aims[i], errors[j], now, params, scratch.stones, scratch.workspace)
            thrown += 1
            while not over:
                shot = shot_of(now)
                halvings = min(LAST_SHOT - shot, 2)
                aims_tried, compared = (
                    tried[j, : len(tried[j]) >> 2 * halvings],
                    expected[j, : len(expected[j]) >> halvings],
                )
                _, best, more = best_shot(now, aims_tried, compared, params, rng, scratch)
                reply = scratch.replies[best]
                worth, over = step_with_errors(
                    now, reply, later[j, shot], after, params, scratch.stones, scratch.workspace
                )
                copy(after, now)
                thrown += more + 1
            values[i, j] = worth if sign > 0.0 else 1.0 - worth
            points[i, j] = sign * (now[LEAD] - state[LEAD])
    return thrown
