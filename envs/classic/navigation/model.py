"""Navigation: the 2-D navigation task with circles of Kujanpaa et al. (AAMAS 2024, arXiv 2210.01426)."""

import math
from dataclasses import dataclass

import numpy as np

from bonspiel.envs.rollout import follow
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

CIRCLES = np.array([[3.0, 2.5, 1.0], [4.0, 4.0, 0.3], [6.0, 2.25, 0.4], [8.0, 5.0, 1.75], [8.5, 1.5, 0.7]])  # x, y, r
GOAL_X, GOAL_Y, GOAL_RADIUS = 10.0, 4.0, 0.1
RADIUS = 0.05  # of the player
MAX_SPEED = 1.25  # y per step is twice this at v = 1
PARTS = 50  # of a step
HORIZON = 9


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Accelerate for one step in 50 parts; x grows by 1, and the place is (t + 1, 3 + 2 y)."""
    part = 1.0 / PARTS
    y, speed = state[0], state[1]
    crashed = arrived = False
    for i in range(PARTS):
        speed = min(max(speed + part * action[0], -1.0), 1.0)
        y += MAX_SPEED * part * speed
        if (y >= 1.0 and speed > 0.0) or (y <= -1.0 and speed < 0.0):
            speed = 0.0
        y = min(max(y, -1.0), 1.0)
        across, up = state[2] + 1.0 + part * (i + 1.0), 3.0 + 2.0 * y
        for circle in range(len(params) // 3):
            x, z, radius = params[3 * circle], params[3 * circle + 1], params[3 * circle + 2]
            crashed = crashed or math.hypot(across - x, up - z) < radius + RADIUS
        arrived = not crashed and math.hypot(across - GOAL_X, up - GOAL_Y) < GOAL_RADIUS + RADIUS
        if crashed or arrived:
            break
    next_state[0] = y
    next_state[1] = speed
    next_state[2] = state[2] + 1.0
    gentle = 0.02 * math.exp(-10.0 * action[0] * action[0])
    if crashed:
        return gentle - 1.0, True
    return 0.01 + gentle + (0.97 if arrived else 0.0), arrived


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform on [-1, 1)."""
    action[0] = 2.0 * rng.random() - 1.0


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random accelerations over at most `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@dataclass(frozen=True)
class Navigation:
    """State (y, v, t), action: the acceleration of y in [-1, 1].

    The player moves by 1 to the right in each of 9 steps and steers up and down: y in [-1, 1] changes by 1.25 v a step,
    v in [-1, 1] by the acceleration. A step earns 0.01 + 0.02 exp(-10 a^2), the goal at the end 0.97 more; meeting one
    of five circles costs 1. Both end the episode. It starts at y = v = 0, and has no noise.
    """

    state_dim = 3
    horizon = HORIZON
    time_index = 2
    discount = 1.0
    compiled = True
    action_low, action_high = -np.ones(1), np.ones(1)
    start_low = start_high = np.zeros(3)
    state_low, state_high = np.array([-1.0, -1.0, 0.0]), np.array([1.0, 1.0, float(HORIZON)])
    distance_weights = np.array([1.0, 1.0, np.inf])
    params = CIRCLES.ravel()
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def initial_state(self, rng: Rng) -> Array:
        """Always the same."""
        return np.zeros(3)
