"""The model functions of `curling.model.Curling`, compiled."""

import numpy as np

from bonspiel.curling.ice.engines.analytic import WORKSPACE, shoot
from bonspiel.curling.ice.execution import noisy_velocity, velocity_with_errors
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.mixed_doubles import begin_end
from bonspiel.curling.match.state import (
    LAW,
    PER_THROWER,
    SPIN,
    VX_UNIT,
    VY_UNIT,
    VY_ZERO,
    apply_rules,
    read_stones,
    row_of,
    team_of,
    thrower_at,
)
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, compiled, helper, kernel, typeof
from bonspiel.planners.model import Array, Rng


@helper
def velocity_of(action: Array, params: Array) -> tuple[float, float]:
    """The velocity of an action's aim, m/s."""
    return params[VX_UNIT] * action[0], params[VY_ZERO] + params[VY_UNIT] * action[1]


@helper
def spin_of(side: float, params: Array) -> float:
    """Spin of a throw, rad/s."""
    return float(params[SPIN] if side >= 0.0 else -params[SPIN])


@kernel(typeof((0.0, True))(VECTOR, MATRIX, VECTOR, VECTOR))
def proceed(state: Array, stones: Array, next_state: Array, params: Array) -> tuple[float, bool]:
    """`apply_rules`; where an end of mixed doubles begins, it is then set up as is best for the team that decides."""
    reward, over = apply_rules(state, stones, next_state, params)
    if not over:
        begin_end(next_state, params)
    return reward, over


@kernel(typeof((0.0, 0.0, 0.0))(VECTOR, VECTOR, VECTOR, RNG))
def release(state: Array, action: Array, params: Array, rng: Rng) -> tuple[float, float, float]:
    """The throw of an action, with the noise of who throws: vx and vy, m/s, and spin, rad/s."""
    vx, vy = velocity_of(action, params)
    at = thrower_at(state, params)
    vx, vy = noisy_velocity(vx, vy, params[at], params[at + 1 : at + PER_THROWER], rng)
    return vx, vy, spin_of(action[2], params)


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Throw with noise on the analytic engine and apply the rules; the reward is team 0's."""
    vx, vy, spin = release(state, action, params, rng)
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    shoot(stones, row_of(state), vx, vy, spin, int(params[LAW]), np.empty(WORKSPACE))
    return proceed(state, stones, next_state, params)


@compiled("step_exact")
def step_exact(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """`step` without noise; nothing is drawn from rng."""
    vx, vy = velocity_of(action, params)
    cap = params[thrower_at(state, params)]
    vx, vy = noisy_velocity(vx, vy, cap, np.zeros(PER_THROWER - 1), rng)
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    shoot(stones, row_of(state), vx, vy, spin_of(action[2], params), int(params[LAW]), np.empty(WORKSPACE))
    return proceed(state, stones, next_state, params)


@kernel(typeof((0.0, True))(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, MATRIX))
def step_with_errors(
    state: Array, action: Array, errors: Array, next_state: Array, params: Array, stones: Array, workspace: Array
) -> tuple[float, bool]:
    """`step` with given errors of speed, angle, vx and vy, as standard normal deviates, [4]."""
    vx, vy = velocity_of(action, params)
    at = thrower_at(state, params)
    sds = params[at + 1 : at + PER_THROWER]
    vx, vy = velocity_with_errors(vx, vy, params[at], sds, errors[0], errors[1], errors[2], errors[3])
    read_stones(state, stones)
    shoot(stones, row_of(state), vx, vy, spin_of(action[2], params), int(params[LAW]), workspace)
    return proceed(state, stones, next_state, params)


@compiled("player")
def player(state: Array, params: Array) -> float:
    """+1 when team 0 throws next, -1 when team 1 does."""
    return 1.0 - 2.0 * team_of(state)
