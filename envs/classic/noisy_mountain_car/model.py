"""Noisy mountain car: the Mountain Car MDP of Lev-Yehudi et al. (IJCAI 2026, arXiv 2503.12181)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng

NOISE = 0  # the entry of params
LEFT, GOAL, MAX_SPEED = -1.5, 0.5, 0.05  # beyond the first and the last it breaks down
POWER, SLOPE = 0.001, 0.0025
GOAL_REWARD, BREAKDOWN, STEP_REWARD = 100.0, -100.0, -0.1
DISCOUNT = 0.99
HORIZON = 200
START = 0.2


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Accelerate by a noisy force within its bounds, then move at the new speed."""
    force = min(max(action[0] + params[NOISE] * rng.standard_normal(), -1.0), 1.0)
    speed = state[1] + POWER * force - SLOPE * math.cos(3.0 * state[0])
    place = state[0] + speed
    next_state[0] = place
    next_state[1] = speed
    next_state[2] = state[2] + 1.0
    if place > GOAL:
        return GOAL_REWARD, True
    if place < LEFT or abs(speed) > MAX_SPEED:
        return BREAKDOWN, True
    return STEP_REWARD, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform on [-1, 1)."""
    action[0] = 2.0 * rng.random() - 1.0


@helper
def with_the_speed(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Full force in the direction of the movement, the threshold policy of the paper."""
    action[0] = -1.0 if state[1] < 0.0 else 1.0


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Discounted return of full force in the direction of the movement, over at most `depth` steps."""
    return follow(with_the_speed, step, state, np.empty(1), scratch, depth, params, rng, DISCOUNT)


@dataclass(frozen=True)
class NoisyMountainCar:
    """State (x, v, t), action: a force in [-1, 1] that is weaker than the slope.

    v <- v + 0.001 clip(force + e, -1, 1) - 0.0025 cos(3 x), x <- x + v, with e Gaussian. A step costs 0.1; x > 0.5
    earns 100 and ends the episode; x < -1.5 or |v| > 0.05 costs 100 and ends it; else it has 200 steps. Returns are
    discounted by 0.99 a step. Episodes start at rest, with x uniform in [-0.2, 0].

    Args:
        noise: standard deviation of e, at least 0.
    """

    noise: float = 0.1

    state_dim = 3
    horizon = HORIZON
    time_index = 2
    discount = DISCOUNT
    compiled = True
    action_low, action_high = -np.ones(1), np.ones(1)
    start_low, start_high = np.array([-START, 0.0, 0.0]), np.zeros(3)
    state_low = np.array([LEFT - 0.06, -MAX_SPEED - 0.004, 0.0])  # with what a last step can exceed
    state_high = np.array([GOAL + 0.06, MAX_SPEED + 0.004, float(HORIZON)])
    distance_weights = np.array([1.0, 100.0, 0.0])
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        require_at_least("noise", self.noise, 0.0)

    @cached_property
    def params(self) -> Array:
        """(noise,)."""
        return np.array([self.noise], np.float64)

    def initial_state(self, rng: Rng) -> Array:
        """Uniform between `start_low` and `start_high`."""
        return rng.uniform(self.start_low, self.start_high)
