"""Pendulum: swing it up with a torque too weak to lift it, and hold it; the dynamics of Gymnasium's Pendulum-v1."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least, require_positive
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng

GRAVITY, MASS, LENGTH, BOUNDS = range(4)  # the entries of params
TIME_STEP, MAX_SPEED, MAX_TORQUE = 0.05, 8.0, 2.0
START_SPEED = 1.0
HORIZON = 200


@helper
def wrapped(angle: float) -> float:
    """The angle in [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Accelerate, then turn at the new speed (semi-implicit Euler); the cost is that of the old state."""
    angle, speed, torque = wrapped(state[0]), state[1], action[0]
    cost = angle * angle + 0.1 * (speed * speed) + 0.001 * (torque * torque)
    fall = 3.0 * params[GRAVITY] / (2.0 * params[LENGTH]) * math.sin(state[0])
    push = 3.0 / (params[MASS] * (params[LENGTH] * params[LENGTH])) * torque
    speed = min(max(speed + (fall + push) * TIME_STEP, -MAX_SPEED), MAX_SPEED)
    next_state[0] = state[0] + speed * TIME_STEP
    next_state[1] = speed
    next_state[2] = state[2] + 1.0
    return -cost, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform on [-2, 2)."""
    action[0] = MAX_TORQUE * (2.0 * rng.random() - 1.0)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random torques over `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Boxes of the angle, all turns alike, the speed and the time."""
    box_cells(np.array([wrapped(state[0]), state[1], state[2]]), first, last, params[BOUNDS:], out)


@dataclass(frozen=True)
class Pendulum:
    """State (theta, thetadot, t) with theta = 0 upright, action: a torque in [-2, 2].

    A step of 0.05 s costs theta^2 + 0.1 thetadot^2 + 0.001 torque^2, with theta in [-pi, pi). The angle itself is not
    wrapped, so that it goes on evenly when the pendulum turns over. Episodes have 200 steps and start at a uniformly
    random angle, with a speed in [-1, 1].

    Args:
        g: gravity in m/s^2, at least 0.
        mass: in kg.
        length: in m.
    """

    g: float = 10.0
    mass: float = 1.0
    length: float = 1.0

    state_dim = 3
    horizon = HORIZON
    time_index = 2
    discount = 1.0
    compiled = True
    action_low, action_high = np.array([-MAX_TORQUE]), np.array([MAX_TORQUE])
    start_low = np.array([-math.pi, -START_SPEED, 0.0])
    start_high = np.array([math.pi, START_SPEED, 0.0])
    state_high = np.array([math.pi + HORIZON * MAX_SPEED * TIME_STEP, MAX_SPEED, float(HORIZON)])
    state_low = -state_high * [1.0, 1.0, 0.0]
    distance_weights = np.array([1.0, 0.1, np.inf])  # as in the cost; only states of the same time are compared
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        require_at_least("g", self.g, 0.0)
        require_positive("mass", self.mass)
        require_positive("length", self.length)

    @cached_property
    def params(self) -> Array:
        """(g, mass, length), and the bounds of the cells."""
        lows, highs = [-math.pi, -MAX_SPEED, 0.0], [math.pi, MAX_SPEED, float(HORIZON)]
        return np.array([self.g, self.mass, self.length, *lows, *highs])

    def initial_state(self, rng: Rng) -> Array:
        """Uniform between `start_low` and `start_high`."""
        return rng.uniform(self.start_low, self.start_high)
