"""What a throw does to a match, compiled: the model functions of `curling.model.Curling`."""

import numpy as np

from curling.engines.analytic import WORKSPACE, shoot
from curling.noise import throw
from curling.sheet import STONES
from curling.state import (
    CAP,
    LAW,
    NOISE,
    PARAMS,
    SPIN,
    TEE,
    TEE_VX,
    TEE_VY,
    VX_UNIT,
    VY_UNIT,
    VY_ZERO,
    read_stones,
    row_of,
    settle,
    team_of,
)
from planners.base import Array, Rng
from planners.jit import RNG, VECTOR, compiled, kernel, typeof


@kernel(typeof((0.0, 0.0, 0.0))(VECTOR, VECTOR, RNG))
def release(action: Array, params: Array, rng: Rng) -> tuple[float, float, float]:
    """The throw that an action gives, noise included: vx and vy, m/s, and spin, rad/s."""
    vx = params[VX_UNIT] * action[0]
    vy = params[VY_ZERO] + params[VY_UNIT] * action[1]
    vx, vy = throw(vx, vy, params[CAP], params[NOISE:PARAMS], rng)
    return vx, vy, params[SPIN] if action[2] >= 0.0 else -params[SPIN]


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Throw a stone with noise on the analytic engine, then apply the rules; the reward is team 0's."""
    vx, vy, spin = release(action, params, rng)
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    shoot(stones, row_of(state), vx, vy, spin, int(params[LAW]), np.empty(WORKSPACE))
    return settle(state, stones, next_state, params)


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """A draw or a hit with equal chances, aimed at the tee line anywhere on the sheet, with either spin."""
    weight = 0.93 + 0.10 * rng.random() if rng.random() < 0.5 else 1.03 + 0.57 * rng.random()
    side = 1.0 if rng.random() < 0.5 else -1.0
    x = 4.0 * rng.random() - 2.0
    vy = params[TEE_VY] * weight
    # a stone twice as fast curls about a quarter as far
    vx = vy * x / params[TEE] + side * params[TEE_VX] / (weight * weight)
    action[0] = vx / params[VX_UNIT]
    action[1] = (vy - params[VY_ZERO]) / params[VY_UNIT]
    action[2] = side


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of random shots over at most `depth` steps."""
    total = 0.0
    action = np.empty(3)
    for _ in range(depth):
        sample_action(state, action, params, rng)
        reward, over = step(state, action, scratch, params, rng)
        total += reward
        if over:
            break
        state[:] = scratch
    return total


@compiled("player")
def player(state: Array, params: Array) -> float:
    """+1 when team 0 throws next, -1 when team 1 does."""
    return 1.0 - 2.0 * team_of(state)
