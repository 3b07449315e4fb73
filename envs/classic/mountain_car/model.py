"""Mountain car: gather speed in the valley to leave it; the dynamics of Gymnasium's MountainCarContinuous-v0."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require, require_at_least
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

GOAL_SPEED = 0  # the entry of params
LEFT, RIGHT, GOAL = np.float32(-1.2), np.float32(0.6), np.float32(0.45)
MAX_SPEED = np.float32(0.07)
POWER, SLOPE = np.float32(0.0015), 0.0025
GOAL_REWARD = 100.0
HORIZON = 999


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Accelerate, then move at the new speed; the left end of the track stops the car. Rounds where Gymnasium does."""
    force, place, speed = np.float32(action[0]), np.float32(state[0]), np.float32(state[1])
    pull = np.float32(SLOPE * math.cos(np.float64(np.float32(3.0) * place)))
    speed = min(max(speed + (force * POWER - pull), -MAX_SPEED), MAX_SPEED)
    place = min(max(place + speed, LEFT), RIGHT)
    if place == LEFT and speed < 0.0:
        speed = np.float32(0.0)
    next_state[0] = place
    next_state[1] = speed
    next_state[2] = state[2] + 1.0
    cost = 0.1 * (np.float64(force) * np.float64(force))
    if place >= GOAL and speed >= np.float32(params[GOAL_SPEED]):
        return GOAL_REWARD - cost, True
    return -cost, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform on [-1, 1)."""
    action[0] = 2.0 * rng.random() - 1.0


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random forces over at most `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@dataclass(frozen=True)
class MountainCar:
    """State (x, v, t), action: a force in [-1, 1] that is weaker than the slope.

    v <- v + 0.0015 force - 0.0025 cos(3 x), x <- x + v, all in single precision, as Gymnasium's environment has it with
    actions of its own space. A step costs 0.1 force^2; reaching x >= 0.45 earns 100 and ends the episode, which is cut
    after 999 steps. Episodes start at rest, with x uniform in [-0.6, -0.4].

    Args:
        goal_velocity: the least speed to end with, from 0 to 0.07.
    """

    goal_velocity: float = 0.0

    state_dim = 3
    horizon = HORIZON
    time_index = 2
    discount = 1.0
    compiled = True
    action_low, action_high = -np.ones(1), np.ones(1)
    start_low, start_high = np.array([-0.6, 0.0, 0.0]), np.array([-0.4, 0.0, 0.0])
    state_low = np.array([LEFT, -MAX_SPEED, 0.0], np.float64)
    state_high = np.array([RIGHT, MAX_SPEED, float(HORIZON)])
    distance_weights = np.array([1.0, 100.0, 0.0])  # without time: too few steps remain only at the very end
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        require_at_least("goal_velocity", self.goal_velocity, 0.0)
        require(self.goal_velocity <= MAX_SPEED, "goal_velocity", self.goal_velocity, f"at most {MAX_SPEED:g}")

    @cached_property
    def params(self) -> Array:
        """(goal_velocity,)."""
        return np.array([self.goal_velocity], np.float64)

    def initial_state(self, rng: Rng) -> Array:
        """Uniform between `start_low` and `start_high`, in single precision."""
        return rng.uniform(self.start_low, self.start_high).astype(np.float32).astype(np.float64)
