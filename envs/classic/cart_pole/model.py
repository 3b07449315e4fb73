"""Cart-pole: keep a pole upright by pushing its cart; the dynamics of Gymnasium's CartPole-v1, with any force."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

NOISE, BOUNDS = 0, 1  # the entries of params
GRAVITY, CART_MASS, POLE_MASS = 9.8, 1.0, 0.1
TOTAL_MASS = CART_MASS + POLE_MASS
HALF_LENGTH = 0.5  # of the pole
TIME_STEP, MAX_FORCE = 0.02, 10.0
MAX_PLACE, MAX_ANGLE = 2.4, math.radians(12.0)
START = 0.05
CELL_SPEED = 2.0  # in m/s and in rad/s
HORIZON = 200


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move at the old speeds, and accelerate (explicit Euler)."""
    force = action[0]
    if params[NOISE] > 0.0:
        force += params[NOISE] * rng.standard_normal()
    sine, cosine = math.sin(state[2]), math.cos(state[2])
    moment = POLE_MASS * HALF_LENGTH
    push = (force + moment * (state[3] * state[3]) * sine) / TOTAL_MASS
    inertia = HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * (cosine * cosine) / TOTAL_MASS)
    turn = (GRAVITY * sine - cosine * push) / inertia
    next_state[0] = state[0] + TIME_STEP * state[1]
    next_state[1] = state[1] + TIME_STEP * (push - moment * turn * cosine / TOTAL_MASS)
    next_state[2] = state[2] + TIME_STEP * state[3]
    next_state[3] = state[3] + TIME_STEP * turn
    next_state[4] = state[4] + 1.0
    return 1.0, abs(next_state[0]) > MAX_PLACE or abs(next_state[2]) > MAX_ANGLE


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform on [-10, 10)."""
    action[0] = MAX_FORCE * (2.0 * rng.random() - 1.0)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random forces over at most `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Boxes of the states that control is about; what lies outside goes to the outermost."""
    box_cells(state, first, last, params[BOUNDS:], out)


@dataclass(frozen=True)
class CartPole:
    """State (x, xdot, theta, thetadot, t) with theta = 0 upright, action: a force in [-10, 10].

    A step of 0.02 s earns 1, also the last; the episode ends when the pole leans by more than 12 degrees or the cart is
    more than 2.4 from the middle, and is cut after 200 steps. With a force of 10 or -10 and no noise a step equals that
    of Gymnasium's CartPole-v1. Episodes start with x, xdot, theta and thetadot uniform in [-0.05, 0.05].

    Args:
        noise: standard deviation of a Gaussian force that is added to the action in every step, at least 0.
    """

    noise: float = 0.0

    state_dim = 5
    horizon = HORIZON
    time_index = 4
    discount = 1.0
    compiled = True
    action_low, action_high = np.array([-MAX_FORCE]), np.array([MAX_FORCE])
    start_low = np.array([-START, -START, -START, -START, 0.0])
    start_high = np.array([START, START, START, START, 0.0])
    distance_weights = np.array([1.0, 1.0, 100.0, 1.0, np.inf])  # only states of the same time are compared
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        require_at_least("noise", self.noise, 0.0)

    @cached_property
    def params(self) -> Array:
        """The noise, and the bounds of the cells."""
        sides = [MAX_PLACE, CELL_SPEED, MAX_ANGLE, CELL_SPEED]
        return np.array([self.noise, *(-side for side in sides), 0.0, *sides, float(HORIZON)])

    @cached_property
    def state_high(self) -> Array:
        """Twice the limits of x and theta, as in Gymnasium, and speeds that no forces within 6 sd reach inside them."""
        force = MAX_FORCE + 6.0 * self.noise
        return np.array([2.0 * MAX_PLACE, 2.0 + force, 2.0 * MAX_ANGLE, 2.0 + force, float(HORIZON)])

    @cached_property
    def state_low(self) -> Array:
        """The same with the other sign, but for the time."""
        return -self.state_high * [1.0, 1.0, 1.0, 1.0, 0.0]

    def initial_state(self, rng: Rng) -> Array:
        """Uniform between `start_low` and `start_high`."""
        return rng.uniform(self.start_low, self.start_high)
