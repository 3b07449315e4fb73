"""Double integrator with noise: bring a mass to rest at the origin, cheaply. Its optimum is known exactly."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least, require_positive
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

NOISE, BOUND, CELLS = 0, 1, 2  # the entries of params
TIME_STEP = 0.1
SPEED_COST, ACTION_COST = 0.1, 1.0
START_PLACE, START_SPEED = 1.0, 0.5
HORIZON = 50


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move with the acceleration, noise included, constant over the step; the cost is that of the old state."""
    acceleration = action[0] + params[NOISE] * rng.standard_normal()
    cost = state[0] * state[0] + SPEED_COST * (state[1] * state[1]) + ACTION_COST * (action[0] * action[0])
    next_state[0] = state[0] + TIME_STEP * state[1] + 0.5 * TIME_STEP * TIME_STEP * acceleration
    next_state[1] = state[1] + TIME_STEP * acceleration
    next_state[2] = state[2] + 1.0
    return -cost, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform between the bounds."""
    action[0] = params[BOUND] * (2.0 * rng.random() - 1.0)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random accelerations over `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Boxes of the states that control is about; what lies outside goes to the outermost."""
    box_cells(state, first, last, params[CELLS:], out)


@dataclass(frozen=True)
class DoubleIntegrator:
    """State (x, v, t), action: an acceleration a in [-2, 2] unless `bound` is another number.

    x <- x + 0.1 v + 0.005 (a + e), v <- v + 0.1 (a + e), with e Gaussian. A step costs x^2 + 0.1 v^2 + a^2. Episodes
    have 50 steps and start with x uniform in [-1, 1] and v uniform in [-0.5, 0.5]. Nothing bounds x and v; `state_low`
    and `state_high` are what no actions and no noise within 6 standard deviations exceed.

    Args:
        noise: standard deviation of e, at least 0.
        bound: of the acceleration, above 0. The best actions lie within 2, so that a larger one changes nothing but the
            width of the box that a planner has to search.
    """

    noise: float = 0.3
    bound: float = 2.0

    state_dim = 3
    horizon = HORIZON
    time_index = 2
    discount = 1.0
    compiled = True
    start_low = np.array([-START_PLACE, -START_SPEED, 0.0])
    start_high = np.array([START_PLACE, START_SPEED, 0.0])
    distance_weights = np.array([1.0, 1.0, np.inf])  # only states of the same time are compared
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        require_at_least("noise", self.noise, 0.0)
        require_positive("bound", self.bound)

    @cached_property
    def action_low(self) -> Array:
        """Full acceleration to the left."""
        return np.array([-self.bound], float)

    @cached_property
    def action_high(self) -> Array:
        """Full acceleration to the right."""
        return np.array([self.bound], float)

    @cached_property
    def params(self) -> Array:
        """The noise, the bound of actions, and the bounds of the cells: twice those of the start."""
        sides = [2.0 * START_PLACE, 2.0 * START_SPEED]
        return np.array([self.noise, self.bound, *(-side for side in sides), 0.0, *sides, float(HORIZON)])

    @cached_property
    def state_high(self) -> Array:
        """Full acceleration from the fastest start to the horizon."""
        time = TIME_STEP * HORIZON
        acceleration = self.bound + 6.0 * self.noise
        speed = START_SPEED + acceleration * time
        place = START_PLACE + START_SPEED * time + 0.5 * acceleration * time**2
        return np.array([place, speed, float(HORIZON)])

    @cached_property
    def state_low(self) -> Array:
        """The same with the other sign, but for the time."""
        return -self.state_high * [1.0, 1.0, 0.0]

    def initial_state(self, rng: Rng) -> Array:
        """Uniform between `start_low` and `start_high`."""
        return rng.uniform(self.start_low, self.start_high)
