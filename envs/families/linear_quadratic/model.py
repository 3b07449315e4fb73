"""Linear dynamics with bounded actions, Gaussian noise and a quadratic cost; an instance draws the matrices."""

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.families.draw_instance import (
    LARGEST_DIM,
    between,
    check_shared,
    instance_rng,
    product,
    require_between,
    rotated,
    rotation,
)
from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_count
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

NOISE, OFFSET, FACTOR, SPARSITY, MATRICES = range(5)  # the entries of params; then four matrices, and vectors
DYNAMICS, PUSH, STATE_COST, ACTION_COST = range(4)  # the matrices, in this order, [n, n] each
CENTRE, REST, LOW, HIGH, CELLS = range(5)  # the vectors after them, [n] each; last the bounds of the cells
EIGENVALUES = 0.6, 1.05  # of the dynamics: from stable to mildly unstable
COUPLING = 0.3  # of an axis with the next, at most
GAINS = 0.2, 0.6  # singular values of the push of actions
ACTION_COSTS = 0.1, 0.5  # eigenvalues
REST_REACH = 0.5  # of the action at rest, from 0
SIDES = 1.5, 3.0  # of the box of actions, from the action at rest
START_SIDES = 0.5, 1.5  # of the box of starts, from the centre


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move by y <- A y + B b + e, with y and b from the centre and the rest; the cost is that of b and the new y."""
    n = len(action)
    vectors = MATRICES + 4 * n * n
    centre, rest = vectors + CENTRE * n, vectors + REST * n
    for i in range(n):
        y = 0.0
        for j in range(n):
            place = MATRICES + i * n + j
            y += params[place + DYNAMICS * n * n] * (state[j] - params[centre + j])
            y += params[place + PUSH * n * n] * (action[j] - params[rest + j])
        if params[NOISE] > 0.0:
            y += params[NOISE] * rng.standard_normal()
        next_state[i] = params[centre + i] + y
    next_state[n] = state[n] + 1.0
    paid = params[SPARSITY] if next_state[n] % params[SPARSITY] == 0.0 else 0.0
    cost = 0.0
    for i in range(n):
        y, b = next_state[i] - params[centre + i], action[i] - params[rest + i]
        for j in range(n):
            place = MATRICES + i * n + j
            cost += paid * params[place + STATE_COST * n * n] * y * (next_state[j] - params[centre + j])
            cost += params[place + ACTION_COST * n * n] * b * (action[j] - params[rest + j])
    return params[OFFSET] - params[FACTOR] * cost, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    n = len(action)
    vectors = MATRICES + 4 * n * n
    for i in range(n):
        low, high = params[vectors + LOW * n + i], params[vectors + HIGH * n + i]
        action[i] = low + (high - low) * rng.random()


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions over `depth` steps."""
    return follow(sample_action, step, state, np.empty(len(state) - 1), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Boxes of the states that control is about; what lies outside goes to the outermost."""
    n = len(state) - 1
    box_cells(state, first, last, params[MATRICES + 4 * n * n + CELLS * n :], out)


class LinearSystem(NamedTuple):
    """What an instance draws.

    Attributes:
        dynamics: A, [n, n].
        push: B, [n, n].
        state_cost: Q, [n, n], with eigenvalues from 1 / curvature to 1.
        action_cost: R, [n, n].
        centre: the state that costs nothing, [n].
        rest: the action that keeps it there, [n].
        low: of actions, [n].
        high: of actions, [n].
        start_low: of initial states, from the centre, [n].
        start_high: of initial states, from the centre, [n].
    """

    dynamics: Array
    push: Array
    state_cost: Array
    action_cost: Array
    centre: Array
    rest: Array
    low: Array
    high: Array
    start_low: Array
    start_high: Array


@dataclass(frozen=True)
class LinearQuadratic:
    """State (x, t), action a in a box, both with `dim` coordinates but for the time t.

    With y = x - c and b = a - r: y <- A y + B b + e, e Gaussian. A step costs b' R b, and y' Q y of the new y. An
    instance draws the matrices, with axes of their own; the centre c and the action at rest r, which is not the middle
    of the box; and the boxes of actions and of starts. The reward is `offset` - `factor` times the cost.

    Args:
        instance: its number, from 0.
        dim: coordinates of states and of actions, from 1 to 16.
        noise: standard deviation of e in each coordinate, from 0 to 10.
        horizon: steps, from 1 to 200.
        width: of the box of actions, from 0.01 to 100, in that width in which the best actions hardly meet the bounds.
        offset: of the reward of each step, from -1e6 to 1e6.
        factor: of the cost, from 1e-6 to 1e6.
        sparsity: the state costs in every so-manieth step only, that many times as much, from 1 to the horizon.
        curvature: largest eigenvalue of Q over the smallest, from 1 to 1e4; 1 in one dimension.
    """

    instance: int = 1
    dim: int = 2
    noise: float = 0.2
    horizon: int = 20
    width: float = 1.0
    offset: float = 0.0
    factor: float = 1.0
    sparsity: int = 1
    curvature: float = 10.0

    discount = 1.0
    varied = MappingProxyType(  # what `bonspiel sensitivity` varies
        {
            "dim": (1, 2, 4, 8),
            "noise": (0.0, 0.2, 0.5, 2.0),
            "horizon": (5, 20, 50),
            "width": (0.3, 1.0, 3.0, 10.0),
            "offset": (-10.0, 0.0, 10.0),
            "factor": (0.01, 1.0, 100.0),
            "sparsity": (1, 2, 5, 20),
            "curvature": (1.0, 10.0, 100.0),
        }
    )
    compiled = True
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        check_shared(self)
        require_count("dim", self.dim, 1, LARGEST_DIM)
        require_between("noise", self.noise, 0.0, 10.0)
        require_count("sparsity", self.sparsity, 1, self.horizon)
        require_between("curvature", self.curvature, 1.0, 1e4)

    @property
    def state_dim(self) -> int:
        """The coordinates and the time."""
        return self.dim + 1

    @property
    def time_index(self) -> int:
        """The last coordinate."""
        return self.dim

    @cached_property
    def system(self) -> LinearSystem:
        """The matrices and boxes."""
        n, rng = self.dim, instance_rng("linear_quadratic", self.instance, self.dim)
        triangle = np.diag(between(rng, *EIGENVALUES, n))
        for i in range(n - 1):
            triangle[i, i + 1] = COUPLING * (2.0 * rng.random() - 1.0)
        axes = rotation(rng, n)
        push = product(rotation(rng, n) * between(rng, *GAINS, n), rotation(rng, n))
        spread = rng.random(n)
        spread[0], spread[-1] = 1.0, 0.0
        rest = REST_REACH * (2.0 * rng.random(n) - 1.0)
        return LinearSystem(
            dynamics=product(product(axes, triangle), axes.T.copy()),
            push=push,
            state_cost=rotated(rng, 1.0 / (1.0 + (self.curvature - 1.0) * spread**2)) if n > 1 else np.eye(1),
            action_cost=rotated(rng, between(rng, *ACTION_COSTS, n)),
            centre=2.0 * rng.random(n) - 1.0,
            rest=rest,
            low=rest - self.width * between(rng, *SIDES, n),
            high=rest + self.width * between(rng, *SIDES, n),
            start_low=-between(rng, *START_SIDES, n),
            start_high=between(rng, *START_SIDES, n),
        )

    @cached_property
    def params(self) -> Array:
        """The parameters, the four matrices, centre, rest and box of actions, and twice the box of starts as cells."""
        of = self.system
        numbers = [self.noise, self.offset, self.factor, float(self.sparsity)]
        matrices = [matrix.ravel() for matrix in of[:4]]
        bounds = [of.centre + 2.0 * of.start_low, [0.0], of.centre + 2.0 * of.start_high, [float(self.horizon)]]
        return np.concatenate([numbers, *matrices, of.centre, of.rest, of.low, of.high, *bounds])

    @cached_property
    def action_low(self) -> Array:
        """Lower corner of the box."""
        return self.system.low

    @cached_property
    def action_high(self) -> Array:
        """Upper corner of the box."""
        return self.system.high

    @cached_property
    def distance_weights(self) -> Array:
        """Only states of the same time are compared."""
        return np.array([1.0] * self.dim + [np.inf])

    def initial_state(self, rng: Rng) -> Array:
        """Uniform in the box of starts."""
        of = self.system
        return np.append(of.centre + between(rng, of.start_low, of.start_high, self.dim), 0.0)
