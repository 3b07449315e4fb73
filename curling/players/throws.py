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
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, float64, helper, int64, kernel, typeof
from bonspiel.planners.model import Array, Rng

CUBE = float64[:, :, ::1]


@helper
def _prospects(after: Array, worth: float, over: bool, params: Array, scratch: Scratch) -> tuple[float, float]:
    """Team 0's probability to win, and its expected lead after the end; what is certain where the end is over."""
    lead = after[LEAD]
    if not over:
        of_hammer = 1.0 - 2.0 * hammer_of(after)
        worth = 0.5 + of_hammer * (expected_worth(after, params, scratch.network) - 0.5)
        for k in range(SCORES):
            lead += of_hammer * (k - TEAM_STONES) * scratch.network[CHANCES + k]
    return worth, lead


@kernel(typeof(None)(VECTOR, MATRIX, MATRIX, VECTOR, MATRIX, MATRIX, SCRATCH))
def value_throws(
    state: Array, aims: Array, errors: Array, params: Array, values: Array, points: Array, scratch: Scratch
) -> None:
    """Write what the network expects after each aim with each error, [aims, errors]; after the end what is certain."""
    sign, after = 1.0 - 2.0 * team_of(state), scratch.after[: len(state)]
    for i in range(len(aims)):
        for j in range(len(errors)):
            worth, over = step_with_errors(state, aims[i], errors[j], after, params, scratch.stones, scratch.workspace)
            worth, lead = _prospects(after, worth, over, params, scratch)
            values[i, j] = worth if sign > 0.0 else 1.0 - worth
            points[i, j] = sign * (lead - state[LEAD])


@helper
def _throw_with_luck(
    state: Array, aim: Array, errors: Array, others: Array, after: Array, params: Array, scratch: Scratch
) -> tuple[float, bool, float, float]:
    """Throw with errors, which writes `after`: the reward, whether the end is over, and the luck of this throw.

    Luck is how much more the network expects after it than after the same aim with `others`, [others, 4], on the mean:
    team 0's probability to win, and its lead.
    """
    worth, over = step_with_errors(state, aim, errors, after, params, scratch.stones, scratch.workspace)
    luck, lead = _prospects(after, worth, over, params, scratch)
    other = scratch.answered[: len(state)]
    for k in range(len(others)):
        value, ended = step_with_errors(state, aim, others[k], other, params, scratch.stones, scratch.workspace)
        value, behind = _prospects(other, value, ended, params, scratch)
        luck -= value / len(others)
        lead -= behind / len(others)
    return worth, over, luck, lead


@kernel(int64(VECTOR, MATRIX, MATRIX, CUBE, CUBE, CUBE, CUBE, VECTOR, RNG, VECTOR, CUBE, CUBE, SCRATCH))
def play_out(
    state: Array,
    aims: Array,
    errors: Array,
    later: Array,
    others: Array,
    tried: Array,
    expected: Array,
    params: Array,
    rng: Rng,
    after: Array,
    outcomes: Array,
    luck: Array,
    scratch: Scratch,
) -> int:
    """Write what comes of each aim with each error if both teams then play on; the number of throws.

    They choose by the network, and what counts is the score of the end. They try more for the last stone of an end, and
    for the one before: a player who misses what is there makes every stone before it look better than it is.

    Args:
        state: the position, [state_dim].
        aims: of the shot, [aims, 3].
        errors: of its throws, [errors, 4].
        later: errors of the throws after each of these, by the number of the shot, [errors, 16, 4].
        others: errors that tell the luck of the throws, for each of these and by the number of the shot, the first ones
            for shot 0, [errors, 16 * others, 4].
        tried: aims that each of these tries without errors beside the candidates, [errors, tried, 3]; all for the last
            stone, a quarter for the one before, and else a sixteenth.
        expected: errors with which the best of them are compared, [errors, most, 4]; all, a half, and else a quarter.
        params: of the model, with weights.
        rng: not drawn from.
        after: scratch, [state_dim].
        outcomes: receives the team's probability to win and its points in this end, [2, aims, errors].
        luck: receives the luck of all throws in both, by the network, [2, aims, errors]: its mean is 0, whatever the
            network is worth, so that outcomes without it have the same mean, and vary less (Burch et al. 2018, AIVAT).
        scratch: see `curling.players.lookahead`.
    """
    sign, thrown, count = 1.0 - 2.0 * team_of(state), 0, others.shape[1] // later.shape[1]
    now = scratch.after[: len(state)]
    for i in range(len(aims)):
        for j in range(len(errors)):
            shot = shot_of(state)
            given = others[j, shot * count : (shot + 1) * count]
            worth, over, more_worth, more_lead = _throw_with_luck(
                state, aims[i], errors[j], given, now, params, scratch
            )
            thrown += 1 + count
            while not over:
                shot = shot_of(now)
                halvings = min(LAST_SHOT - shot, 2)
                aims_tried, compared = (
                    tried[j, : len(tried[j]) >> 2 * halvings],
                    expected[j, : len(expected[j]) >> halvings],
                )
                _, best, more = best_shot(now, aims_tried, compared, params, rng, scratch)
                reply, given = scratch.replies[best], others[j, shot * count : (shot + 1) * count]
                worth, over, lucky, led = _throw_with_luck(now, reply, later[j, shot], given, after, params, scratch)
                more_worth += lucky
                more_lead += led
                copy(after, now)
                thrown += more + 1 + count
            outcomes[0, i, j] = worth if sign > 0.0 else 1.0 - worth
            outcomes[1, i, j] = sign * (now[LEAD] - state[LEAD])
            luck[0, i, j], luck[1, i, j] = sign * more_worth, sign * more_lead
    return thrown
