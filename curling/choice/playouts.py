"""Playouts of curling, by the default policy or by what the network expects, compiled."""

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.choice.candidates import NO_KEY, key_of_draw
from bonspiel.curling.choice.policy import default_shot
from bonspiel.curling.choice.territory import REGIONS, write_owners
from bonspiel.curling.dynamics import proceed, spin_of
from bonspiel.curling.ice.engines.analytic import WORKSPACE, shoot
from bonspiel.curling.ice.execution import noisy_velocity
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES
from bonspiel.curling.match.rules import score
from bonspiel.curling.match.state import (
    FREE_GUARD,
    IN_HOUSE,
    LAW,
    NETWORK,
    PER_THROWER,
    POINTS,
    REWARD,
    TEE,
    TIME,
    apply_rules,
    breaks_rule,
    hammer_of,
    is_mixed,
    read_stones,
    row_of,
    shot_of,
    team_of,
    thrower_at,
)
from bonspiel.curling.network.end_network import WORKSPACE as NETWORK_WORKSPACE
from bonspiel.curling.network.end_network import expected_worth, forget
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, boolean, compiled, helper, int64, kernel, uint64
from bonspiel.planners.model import Array, Rng


@helper
def _copy_stones(stones: Array, to: Array) -> None:
    for i in range(STONES):
        to[i, 0], to[i, 1] = stones[i, 0], stones[i, 1]


@kernel(boolean(VECTOR, VECTOR, VECTOR, MATRIX, MATRIX, VECTOR, MATRIX))
def _better_thrown_away(
    state: Array, scratch: Array, params: Array, stones: Array, after: Array, aim: Array, workspace: Array
) -> bool:
    """Return whether the last stone of an end is better thrown away, as even a precise throw would be worth less.

    The default policy does not know that keeping the hammer can be worth more than a point.
    """
    reward, _ = apply_rules(state, stones, scratch, params)
    _copy_stones(stones, after)
    law = int(params[LAW])
    shoot(after, row_of(state), aim[0], aim[1], spin_of(aim[2], params), law, workspace)
    hit, _ = apply_rules(state, after, scratch, params)
    return (reward - hit) * (1.0 - 2.0 * team_of(state)) > 0.0


@helper
def _trace(law: int, stones: Array, team: int, aims: Array, keys: NDArray[np.uint64], movers: Array) -> int:
    """Write the key of the aim in the first row and its player, and the end of the trace; return the number of keys."""
    key = key_of_draw(law, stones, team, aims[0], aims[1])
    if key == NO_KEY:
        return 0
    keys[0], movers[0], movers[1] = key, 1.0 - 2.0 * team, 0.0
    return 1


@kernel(VECTOR, VECTOR, int64, VECTOR, RNG, MATRIX, MATRIX, MATRIX, MATRIX, uint64[::1], VECTOR, VECTOR)
def _play_out(
    state: Array,
    scratch: Array,
    depth: int,
    params: Array,
    rng: Rng,
    stones: Array,
    after: Array,
    aims: Array,
    workspace: Array,
    keys: NDArray[np.uint64],
    movers: Array,
    owners: Array,
) -> float:
    """`rollout` with scratch space, where `aims` are [2, 3]; with room for `owners` it is `traced_rollout`."""
    # a kernel, because allocations in the same function would add reference counts to the loop
    law, free_guard, total = int(params[LAW]), int(params[FREE_GUARD]), 0.0
    aim, traced, known = aims[0], len(owners) > 0, 0
    read_stones(state, stones)
    for _ in range(depth):
        shot, team = shot_of(state), team_of(state)
        default_shot(law, stones, shot, team, free_guard, is_mixed(params), aim, rng)
        if shot < free_guard:
            _copy_stones(stones, after)
        if shot < LAST_SHOT or not _better_thrown_away(state, scratch, params, stones, after, aim, workspace):
            if traced:
                known += _trace(law, stones, team, aims, keys[known:], movers[known:])
            at = thrower_at(state, params)
            vx, vy = noisy_velocity(aim[0], aim[1], params[at], params[at + 1 : at + PER_THROWER], rng)
            shoot(stones, row_of(state), vx, vy, spin_of(aim[2], params), law, workspace)
        if shot < LAST_SHOT and depth > 1:
            # the stones are written to the state when the end is over
            if shot < free_guard and breaks_rule(after, stones, shot, team, params):
                _copy_stones(after, stones)
            state[TIME] += 1.0
            continue
        if traced and shot == LAST_SHOT:
            traced = False
            write_owners(stones, params[TEE], owners)
            owners[REGIONS] = np.sign(score(stones, params[TEE], params[IN_HOUSE]))
        reward, over = proceed(state, stones, scratch, params)
        total += reward
        if over:
            break
        state, scratch = scratch, state
        read_stones(state, stones)
    return total


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of at most `depth` shots of `curling.choice.policy` by both teams.

    The last stone of an end is thrown away if that is worth more than its aim. At a depth of 1 `scratch` receives the
    next state.
    """
    stones, after, aims, workspace = np.empty((STONES, 2)), np.empty((STONES, 2)), np.empty((2, 3)), np.empty(WORKSPACE)
    keys, none = np.empty(0, np.uint64), np.empty(0)
    return _play_out(state, scratch, depth, params, rng, stones, after, aims, workspace, keys, none, none)


@compiled("traced_rollout")
def traced_rollout(
    state: Array,
    scratch: Array,
    depth: int,
    params: Array,
    rng: Rng,
    keys: NDArray[np.uint64],
    movers: Array,
    owners: Array,
) -> float:
    """`rollout`, which also writes what was in the end under way: candidates played, owners of cells, who scored.

    Of the shots of `curling.choice.policy` some tee draws and freezes are candidates; others have no keys. Before the
    end is over nobody owns anything.
    """
    stones, after, aims, workspace = np.empty((STONES, 2)), np.empty((STONES, 2)), np.empty((2, 3)), np.empty(WORKSPACE)
    movers[0] = 0.0
    owners[:] = 0.0
    return _play_out(state, scratch, depth, params, rng, stones, after, aims, workspace, keys, movers, owners)


@helper
def value_within(state: Array, params: Array, workspace: Array) -> float:
    """`value` with a workspace of `curling.network.end_network`; there must be weights."""
    expected, sign = expected_worth(state, params, workspace), 1.0 - 2.0 * hammer_of(state)
    return sign * STONES * (expected - 0.5) if params[REWARD] == POINTS else 0.5 + sign * (expected - 0.5)


@compiled("rollout")
def value(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Value of the end under way by the network of `curling.network.end_network`, for points of this end alone.

    Without weights it is a playout, as of `rollout`.
    """
    if int(params[NETWORK]) == len(params):
        return rollout(state, scratch, depth, params, rng)
    workspace = np.empty(NETWORK_WORKSPACE)
    forget(workspace)
    return value_within(state, params, workspace)
