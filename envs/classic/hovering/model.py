"""Hovering: a planar quadrotor holds its place in gusts of wind."""

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

WIND, MEMORY, BOUNDS = 0, 1, 2  # the entries of params
TIME_STEP, GRAVITY = 0.05, 9.81
MASS, INERTIA, ARM, DRAG = 1.0, 0.05, 0.25, 0.25  # kg, kg m^2, m, N s/m
HOVER = 0.5 * MASS * GRAVITY  # N, of each rotor
MAX_THRUST = 2.0 * HOVER
ROOM, MAX_TILT = 2.0, 0.5 * math.pi  # m to each side, rad: beyond is a crash
START, START_TILT = 1.0, 0.2
GUST = 4.0  # standard deviations that the wind never exceeds
MAX_SPEED, MAX_TURN = 20.0, 25.0  # m/s and rad/s, more than can be reached within the room
CELL_SPEED, CELL_TURN = 3.0, 5.0
PLACE_COST, TILT_COST, THRUST_COST = 0.1, 0.05, 0.01
HORIZON = 100


@helper
def cost(x: float, z: float, tilt: float, left: float, right: float) -> float:
    """Of a step; less than 1 wherever it has not crashed."""
    off_left, off_right = left / HOVER - 1.0, right / HOVER - 1.0
    thrust = THRUST_COST * (off_left * off_left + off_right * off_right)
    return PLACE_COST * (x * x + z * z) + TILT_COST * (tilt * tilt) + thrust


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Accelerate, then move at the new speeds (semi-implicit Euler); a crash costs 1 for each step that is left."""
    x, z, tilt, wind = state[0], state[1], state[2], state[6]
    left, right = action[0], action[1]
    thrust = left + right
    speed_x = state[3] + TIME_STEP * (-thrust * math.sin(tilt) - DRAG * (state[3] - wind)) / MASS
    speed_z = state[4] + TIME_STEP * ((thrust * math.cos(tilt) - DRAG * state[4]) / MASS - GRAVITY)
    turn = state[5] + TIME_STEP * ARM * (right - left) / INERTIA
    next_state[0] = x + TIME_STEP * speed_x
    next_state[1] = z + TIME_STEP * speed_z
    next_state[2] = tilt + TIME_STEP * turn
    next_state[3] = speed_x
    next_state[4] = speed_z
    next_state[5] = turn
    gust = math.sqrt(1.0 - params[MEMORY] * params[MEMORY]) * rng.standard_normal()
    limit = GUST * params[WIND]
    next_state[6] = min(max(params[MEMORY] * wind + params[WIND] * gust, -limit), limit)
    next_state[7] = state[7] + 1.0
    if max(abs(next_state[0]), abs(next_state[1])) > ROOM or abs(next_state[2]) > MAX_TILT:
        return state[7] - HORIZON, True
    return -cost(x, z, tilt, left, right), False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    for i in range(2):
        action[i] = MAX_THRUST * rng.random()


@helper
def hover(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Carry the weight."""
    action[:] = HOVER


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of the thrust that carries the weight, over at most `depth` steps."""
    return follow(hover, step, state, np.empty(2), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Boxes of the states that control is about; what lies outside goes to the outermost."""
    box_cells(state, first, last, params[BOUNDS:], out)


@dataclass(frozen=True)
class Hovering:
    """State (x, z, theta, xdot, zdot, thetadot, wind, t), action: the thrusts of the left and the right rotor in N.

    A craft of 1 kg has to stay at (0, 0). Each step of 0.05 s costs 0.1 (x^2 + z^2) + 0.05 theta^2 + 0.01 for each
    rotor times the squared deviation of its thrust from hovering, in units of the latter. It crashes when x or z leaves
    [-2, 2] m or it tilts by more than 90 degrees, which ends the episode and costs 1 for each of the 100 steps that was
    left. The wind blows along x, in m/s, as an Ornstein-Uhlenbeck process. Episodes start at rest, with x and z uniform
    in [-1, 1], theta in [-0.2, 0.2] and no wind.

    Args:
        wind: standard deviation of the wind's speed in m/s, at least 0.
        persistence: the time in s after which the wind's autocorrelation has fallen to 1/e, above 0.
    """

    wind: float = 2.0
    persistence: float = 1.0

    state_dim = 8
    horizon = HORIZON
    time_index = 7
    discount = 1.0
    compiled = True
    action_low, action_high = np.zeros(2), np.full(2, MAX_THRUST)
    null_action = np.full(2, HOVER)
    distance_weights = np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.01, np.inf])
    start_high = np.array([START, START, START_TILT, 0.0, 0.0, 0.0, 0.0, 0.0])
    start_low = -start_high
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        require_at_least("wind", self.wind, 0.0)
        require_positive("persistence", self.persistence)

    @cached_property
    def params(self) -> Array:
        """(wind, its autocorrelation over a step), and the bounds of the cells."""
        widest = max(GUST * self.wind, 1.0)
        highs = [ROOM, ROOM, MAX_TILT, CELL_SPEED, CELL_SPEED, CELL_TURN, widest, float(HORIZON)]
        lows = [-high for high in highs[:-1]] + [0.0]
        return np.array([self.wind, math.exp(-TIME_STEP / self.persistence), *lows, *highs])

    @cached_property
    def state_high(self) -> Array:
        """Upper bounds of the states."""
        reach = ROOM + TIME_STEP * MAX_SPEED
        tilt, wind = MAX_TILT + TIME_STEP * MAX_TURN, max(GUST * self.wind, 1.0)
        return np.array([reach, reach, tilt, MAX_SPEED, MAX_SPEED, MAX_TURN, wind, float(HORIZON)])

    @cached_property
    def state_low(self) -> Array:
        """Lower bounds of the states."""
        return -self.state_high * [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]

    def initial_state(self, rng: Rng) -> Array:
        """Uniform between `start_low` and `start_high`."""
        return rng.uniform(self.start_low, self.start_high)
