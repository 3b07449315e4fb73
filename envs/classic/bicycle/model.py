"""Bicycle: keep it upright, or ride it towards a goal (Randlov, Alstrom 1998).

The equations are those that Ernst, Geurts, Wehenkel (JMLR 6, 2005, appendix) give of the paper's model.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.classic.pendulum.model import wrapped
from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least, require_choice
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

NOISE, GOAL, BOUNDS = 0, 1, 2  # the entries of params
TIME_STEP, SPEED, GRAVITY = 0.01, 10.0 / 3.6, 9.82
WHEELBASE, FRONT = 1.11, 0.66  # m between the wheels' contacts; from the front one to the centre of mass
HEIGHT, RIDER_HEIGHT, RADIUS = 0.94, 0.94 + 0.3, 0.34  # m: of the centre of mass, of the rider's; of a wheel
BICYCLE_MASS, WHEEL_MASS, RIDER_MASS = 15.0, 1.7, 60.0
MASS = BICYCLE_MASS + RIDER_MASS
SPIN = SPEED / RADIUS  # rad/s of the wheels
LEAN_INERTIA = 13.0 / 3.0 * BICYCLE_MASS * HEIGHT**2 + RIDER_MASS * RIDER_HEIGHT**2
AXLE_INERTIA = WHEEL_MASS * RADIUS**2  # of a wheel, about its axle
FORK_INERTIA, STEER_INERTIA = 1.5 * AXLE_INERTIA, 0.5 * AXLE_INERTIA
MAX_TORQUE, MAX_SHIFT = 2.0, 0.02  # N m, m
MAX_LEAN, MAX_STEER = math.radians(12.0), math.radians(80.0)
MAX_LEAN_SPEED, MAX_STEER_SPEED = 6.0, 40.0  # rad/s, more than can be reached before a fall
CELL_LEAN_SPEED, CELL_STEER_SPEED = 1.0, 5.0
HORIZON = 300
Task: TypeAlias = Literal["balance", "goal"]


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Explicit Euler; 1/r of a wheel's turning circle has the sign of the handlebars' angle."""
    lean, lean_speed, steer, steer_speed = state[0], state[1], state[2], state[3]
    shift = action[1] + params[NOISE] * (2.0 * rng.random() - 1.0)
    phi = lean + math.atan(shift) / HEIGHT  # of the centre of mass, bicycle and rider
    front, back = math.sin(steer) / WHEELBASE, math.tan(steer) / WHEELBASE  # 1/r
    offset = (WHEELBASE - FRONT) * back
    middle = back / math.sqrt(1.0 + offset * offset)  # 1/r of the centre of mass
    turning = (SPEED * SPEED) * (WHEEL_MASS * RADIUS * (front + back) + MASS * HEIGHT * middle)
    gyroscopic = AXLE_INERTIA * SPIN * steer_speed
    falling = MASS * HEIGHT * GRAVITY * math.sin(phi) - math.cos(phi) * (gyroscopic + turning)
    next_state[0] = lean + TIME_STEP * lean_speed
    next_state[1] = lean_speed + TIME_STEP * falling / LEAN_INERTIA
    next_state[2] = steer + TIME_STEP * steer_speed
    next_state[3] = steer_speed + TIME_STEP * (action[0] - FORK_INERTIA * SPIN * lean_speed) / STEER_INERTIA
    if abs(next_state[2]) > MAX_STEER:
        next_state[2] = math.copysign(MAX_STEER, next_state[2])
        next_state[3] = 0.0
    next_state[4] = state[4] + TIME_STEP * SPEED * back
    next_state[5] = state[5] + 1.0
    if abs(next_state[0]) > MAX_LEAN:
        return 0.0, True
    if params[GOAL] > 0.0:
        return 0.5 * (1.0 + math.cos(next_state[4])), False
    return 1.0, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    action[0] = MAX_TORQUE * (2.0 * rng.random() - 1.0)
    action[1] = MAX_SHIFT * (2.0 * rng.random() - 1.0)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions over at most `depth` steps."""
    return follow(sample_action, step, state, np.empty(2), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Boxes of the speeds that control is about; of the heading only towards a goal, all turns alike."""
    seen = state.copy()
    seen[4] = wrapped(state[4]) if params[GOAL] > 0.0 else 0.0
    box_cells(seen, first, last, params[BOUNDS:], out)


@dataclass(frozen=True)
class Bicycle:
    """State (omega, omegadot, theta, thetadot, psi, t), action (T, d).

    The bicycle leans by omega, its handlebars are turned by theta, and it rides at 10 km/h in the direction psi, the
    goal being infinitely far away in the direction 0. T in [-2, 2] is a torque on the handlebars in N m; d in [-0.02,
    0.02] is how far the rider leans from the plane of the bicycle, in m. An episode ends with a fall, a lean
    of more than 12 degrees, which earns nothing, and is cut after 300 steps of 0.01 s.

    Args:
        task: "balance", which earns 1 a step and starts with psi = 0, or "goal", which earns (1 + cos psi) / 2 a step
            and starts with psi uniform on [-pi, pi). All else starts at 0.
        noise: a uniform number in [-noise, noise) is added to d in every step, in m; at least 0.
    """

    task: Task = "balance"
    noise: float = 0.02

    state_dim = 6
    horizon = HORIZON
    time_index = 5
    discount = 1.0
    compiled = True
    action_low, action_high = np.array([-MAX_TORQUE, -MAX_SHIFT]), np.array([MAX_TORQUE, MAX_SHIFT])
    state_high = np.array(
        [
            MAX_LEAN + TIME_STEP * MAX_LEAN_SPEED,
            MAX_LEAN_SPEED,
            MAX_STEER,
            MAX_STEER_SPEED,
            math.pi + HORIZON * TIME_STEP * SPEED * math.tan(MAX_STEER) / WHEELBASE,
            float(HORIZON),
        ]
    )
    state_low = -state_high * [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        require_choice("task", self.task, ("balance", "goal"))
        require_at_least("noise", self.noise, 0.0)

    @cached_property
    def params(self) -> Array:
        """(noise, whether there is a goal), and the bounds of the cells."""
        highs = [MAX_LEAN, CELL_LEAN_SPEED, MAX_STEER, CELL_STEER_SPEED, math.pi, float(HORIZON)]
        lows = [-high for high in highs[:-1]] + [0.0]
        return np.array([self.noise, float(self.task == "goal"), *lows, *highs])

    @cached_property
    def distance_weights(self) -> Array:
        """Each coordinate in units of its size in a cell; the heading counts towards a goal alone."""
        heading = float(self.task == "goal")
        return np.array([MAX_LEAN**-2, CELL_LEAN_SPEED**-2, 1.0, CELL_STEER_SPEED**-2, heading, np.inf])

    def initial_state(self, rng: Rng) -> Array:
        """Upright and straight ahead; with a goal in a random direction."""
        heading = rng.uniform(-math.pi, math.pi) if self.task == "goal" else 0.0
        return np.array([0.0, 0.0, 0.0, 0.0, heading, 0.0])
