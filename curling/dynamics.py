"""The model functions of `curling.model.Curling`, compiled."""

import numpy as np
from numpy.typing import NDArray

from curling.candidates import MOST_CANDIDATES, candidate_shots
from curling.end_network import SCORES, predict
from curling.end_network import WORKSPACE as NETWORK_WORKSPACE
from curling.engines.analytic import WORKSPACE, shoot
from curling.mixed_doubles import begin_end
from curling.noise import noisy_velocity, velocity_with_errors
from curling.policy import default_shot
from curling.sheet import LAST_SHOT, STONES
from curling.state import (
    CAP,
    FREE_GUARD,
    LAW,
    NETWORK,
    NOISE,
    POINTS,
    REWARD,
    SPIN,
    TEE,
    TEE_VX,
    TEE_VY,
    TIME,
    VALUES,
    VX_UNIT,
    VY_UNIT,
    VY_ZERO,
    apply_rules,
    breaks_rule,
    hammer_of,
    is_mixed,
    read_stones,
    row_of,
    shot_of,
    team_of,
    worth_of,
)
from planners.base import Array, Rng
from planners.jit import MATRIX, RNG, VECTOR, boolean, compiled, helper, int64, kernel, typeof


@helper
def _velocity(action: Array, params: Array) -> tuple[float, float]:
    """The velocity of an action's aim, m/s."""
    return params[VX_UNIT] * action[0], params[VY_ZERO] + params[VY_UNIT] * action[1]


@helper
def _write_action(action: Array, vx: float, vy: float, side: float, params: Array) -> None:
    """Write the action that aims at a velocity, m/s."""
    action[0], action[1], action[2] = vx / params[VX_UNIT], (vy - params[VY_ZERO]) / params[VY_UNIT], side


@helper
def _spin(side: float, params: Array) -> float:
    """Spin of a throw, rad/s."""
    return float(params[SPIN] if side >= 0.0 else -params[SPIN])


@kernel(typeof((0.0, True))(VECTOR, MATRIX, VECTOR, VECTOR))
def proceed(state: Array, stones: Array, next_state: Array, params: Array) -> tuple[float, bool]:
    """`apply_rules`; where an end of mixed doubles begins, it is then set up as is best for the team that decides."""
    reward, over = apply_rules(state, stones, next_state, params)
    if not over:
        begin_end(next_state, params)
    return reward, over


@kernel(typeof((0.0, 0.0, 0.0))(VECTOR, VECTOR, RNG))
def release(action: Array, params: Array, rng: Rng) -> tuple[float, float, float]:
    """The throw of an action, with noise: vx and vy, m/s, and spin, rad/s."""
    vx, vy = _velocity(action, params)
    vx, vy = noisy_velocity(vx, vy, params[CAP], params[NOISE:VALUES], rng)
    return vx, vy, _spin(action[2], params)


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Throw with noise on the analytic engine and apply the rules; the reward is team 0's."""
    vx, vy, spin = release(action, params, rng)
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    shoot(stones, row_of(state), vx, vy, spin, int(params[LAW]), np.empty(WORKSPACE))
    return proceed(state, stones, next_state, params)


@compiled("step_exact")
def step_exact(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """`step` without noise; nothing is drawn from rng."""
    vx, vy = _velocity(action, params)
    vx, vy = noisy_velocity(vx, vy, params[CAP], np.zeros(VALUES - NOISE), rng)
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    shoot(stones, row_of(state), vx, vy, _spin(action[2], params), int(params[LAW]), np.empty(WORKSPACE))
    return proceed(state, stones, next_state, params)


@kernel(typeof((0.0, True))(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, MATRIX))
def step_with_errors(
    state: Array, action: Array, errors: Array, next_state: Array, params: Array, stones: Array, workspace: Array
) -> tuple[float, bool]:
    """`step` with given errors of speed, angle, vx and vy, in standard deviations, [4]."""
    vx, vy = _velocity(action, params)
    vx, vy = velocity_with_errors(vx, vy, params[CAP], params[NOISE:VALUES], errors[0], errors[1], errors[2], errors[3])
    read_stones(state, stones)
    shoot(stones, row_of(state), vx, vy, _spin(action[2], params), int(params[LAW]), workspace)
    return proceed(state, stones, next_state, params)


@compiled("actions")
def actions(state: Array, params: Array, out: Array, keys: NDArray[np.uint64]) -> int:
    """Write the rule-based shots of `curling.candidates` and return their number."""
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    free_guard, mixed = int(params[FREE_GUARD]), is_mixed(params)
    n = candidate_shots(int(params[LAW]), stones, shot_of(state), team_of(state), free_guard, mixed, out, keys)
    for i in range(n):
        _write_action(out[i], out[i, 0], out[i, 1], out[i, 2], params)
    return n


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """With equal chances a shot near a candidate, or a draw or hit of either spin anywhere on the sheet."""
    if rng.random() < 0.5:
        aims = np.empty((MOST_CANDIDATES, 3))
        n = actions(state, params, aims, np.empty(MOST_CANDIDATES, np.uint64))
        near = aims[int(rng.random() * n)]
        vx, vy = _velocity(near, params)
        # up to 0.3 m to the side and 2 % of the speed
        vx += vy * 0.3 * (2.0 * rng.random() - 1.0) / params[TEE]
        vy *= 1.0 + 0.02 * (2.0 * rng.random() - 1.0)
        side = near[2]
    else:
        weight = 0.93 + 0.10 * rng.random() if rng.random() < 0.5 else 1.03 + 0.57 * rng.random()
        side = 1.0 if rng.random() < 0.5 else -1.0
        x = 4.0 * rng.random() - 2.0
        vy = params[TEE_VY] * weight
        # a stone twice as fast curls about a quarter as far
        vx = vy * x / params[TEE] + side * params[TEE_VX] / (weight * weight)
    _write_action(action, vx, vy, side, params)


@helper
def _copy_stones(stones: Array, to: Array) -> None:
    for i in range(STONES):
        to[i, 0], to[i, 1] = stones[i, 0], stones[i, 1]


@kernel(boolean(VECTOR, VECTOR, VECTOR, MATRIX, MATRIX, VECTOR, MATRIX))
def _better_thrown_away(
    state: Array, scratch: Array, params: Array, stones: Array, after: Array, aim: Array, workspace: Array
) -> bool:
    """Whether to throw the last stone of an end away, because even a precise throw would be worth less.

    The default policy does not know that keeping the hammer can be worth more than a point.
    """
    reward, _ = apply_rules(state, stones, scratch, params)
    _copy_stones(stones, after)
    law = int(params[LAW])
    shoot(after, row_of(state), aim[0], aim[1], _spin(aim[2], params), law, workspace)
    hit, _ = apply_rules(state, after, scratch, params)
    return (reward - hit) * (1.0 - 2.0 * team_of(state)) > 0.0


@kernel(VECTOR, VECTOR, int64, VECTOR, RNG, MATRIX, MATRIX, VECTOR, MATRIX)
def _play_out(
    state: Array,
    scratch: Array,
    depth: int,
    params: Array,
    rng: Rng,
    stones: Array,
    after: Array,
    aim: Array,
    workspace: Array,
) -> float:
    # a kernel, because allocations in the same function would add reference counts to the loop
    law, free_guard, total = int(params[LAW]), int(params[FREE_GUARD]), 0.0
    read_stones(state, stones)
    for _ in range(depth):
        shot, team = shot_of(state), team_of(state)
        default_shot(law, stones, shot, team, free_guard, is_mixed(params), aim, rng)
        if shot < free_guard:
            _copy_stones(stones, after)
        if shot < LAST_SHOT or not _better_thrown_away(state, scratch, params, stones, after, aim, workspace):
            vx, vy = noisy_velocity(aim[0], aim[1], params[CAP], params[NOISE:VALUES], rng)
            shoot(stones, row_of(state), vx, vy, _spin(aim[2], params), law, workspace)
        if shot < LAST_SHOT and depth > 1:
            # the stones are written to the state when the end is over
            if shot < free_guard and breaks_rule(after, stones, shot, team, params):
                _copy_stones(after, stones)
            state[TIME] += 1.0
            continue
        reward, over = proceed(state, stones, scratch, params)
        total += reward
        if over:
            break
        state, scratch = scratch, state
        read_stones(state, stones)
    return total


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of at most `depth` shots of `curling.policy` by both teams.

    The last stone of an end is thrown away if that is worth more than its aim. At a depth of 1 `scratch` receives the
    next state.
    """
    stones, after, aim, workspace = np.empty((STONES, 2)), np.empty((STONES, 2)), np.empty(3), np.empty(WORKSPACE)
    return _play_out(state, scratch, depth, params, rng, stones, after, aim, workspace)


@compiled("rollout")
def value(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """What the network of `curling.end_network` expects of the end under way, for points of this end alone.

    Without weights, `rollout`.
    """
    first = int(params[NETWORK])
    if first == len(params):
        return rollout(state, scratch, depth, params, rng)
    worth, chances, sign = np.empty(SCORES), np.empty(SCORES), 1.0 - 2.0 * hammer_of(state)
    worth_of(state, params, worth)
    predict(state, worth, params[first:], params, np.empty(NETWORK_WORKSPACE), chances)
    expected = 0.0
    for i in range(SCORES):
        expected += chances[i] * worth[i]
    if params[REWARD] == POINTS:
        return sign * STONES * (expected - 0.5)
    return 0.5 + sign * (expected - 0.5)


@compiled("player")
def player(state: Array, params: Array) -> float:
    """+1 when team 0 throws next, -1 when team 1 does."""
    return 1.0 - 2.0 * team_of(state)
