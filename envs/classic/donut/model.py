"""Donut: move in a square to a ring, which alone pays, and stay there in spite of the noise."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least, require_positive
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng

RADIUS, WIDTH, NOISE = range(3)  # the entries of params
CENTRE = 0.5
MAX_MOVE = 0.1
HORIZON = 10


@helper
def payoff(x: float, y: float, params: Array) -> float:
    """1 on the circle, falling linearly to 0 at `width` from it."""
    off = abs(math.sqrt((x - CENTRE) * (x - CENTRE) + (y - CENTRE) * (y - CENTRE)) - params[RADIUS])
    return max(0.0, 1.0 - off / params[WIDTH])


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move by action and noise, not out of the square; the reward is that of the new place."""
    for i in range(2):
        place = state[i] + action[i]
        if params[NOISE] > 0.0:
            place += params[NOISE] * rng.standard_normal()
        next_state[i] = min(max(place, 0.0), 1.0)
    next_state[2] = state[2] + 1.0
    return payoff(next_state[0], next_state[1], params), False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    for i in range(2):
        action[i] = MAX_MOVE * (2.0 * rng.random() - 1.0)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions over `depth` steps."""
    return follow(sample_action, step, state, np.empty(2), scratch, depth, params, rng)


@dataclass(frozen=True)
class Donut:
    """State (x, y, t) in the unit square, action (dx, dy), each in [-0.1, 0.1].

    A step moves by the action and Gaussian noise, and earns 1 on a circle about (0.5, 0.5), falling linearly to 0 on
    both sides of it. Episodes have 10 steps and start at a uniformly random place.

    Args:
        radius: of the circle, above 0 and at most 0.5.
        width: the distance from the circle at which the reward is 0, above 0.
        noise: standard deviation of a move in each coordinate, at least 0.
    """

    radius: float = 0.3
    width: float = 0.1
    noise: float = 0.01

    state_dim = 3
    horizon = HORIZON
    time_index = 2
    discount = 1.0
    compiled = True
    action_low, action_high = np.full(2, -MAX_MOVE), np.full(2, MAX_MOVE)
    start_low, start_high = np.zeros(3), np.array([1.0, 1.0, 0.0])
    state_low, state_high = np.zeros(3), np.array([1.0, 1.0, float(HORIZON)])
    distance_weights = np.array([1.0, 1.0, np.inf])  # only states of the same time are compared
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        require_positive("radius", self.radius, 0.5)
        require_positive("width", self.width)
        require_at_least("noise", self.noise, 0.0)

    @cached_property
    def params(self) -> Array:
        """(radius, width, noise)."""
        return np.array([self.radius, self.width, self.noise])

    def initial_state(self, rng: Rng) -> Array:
        """Uniform on the square."""
        return rng.uniform(self.start_low, self.start_high)
