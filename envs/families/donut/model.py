"""Squares with several rings that pay, of which one pays most; an instance draws rings, squares and bounds of moves."""

import math
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from bonspiel.envs.families.draw_instance import LARGEST_DIM, between, check_shared, instance_rng, require_between
from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require, require_count
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng

OFFSET, FACTOR, SPARSITY, NOISE, RING_WIDTH, CURVATURE, SQUARES = range(7)  # params; then a block for each square
UNIT, ORIGIN, LOW, HIGH, RINGS = 0, 1, 3, 5, 7  # of a block, after UNIT two numbers each; at last four for each ring
CENTRE, RADIUS, HEIGHT, OF_RING = 0, 2, 3, 4
CELLS = 400  # of a side; moves are bounded by whole ones, so that the grid of the optimum holds their bounds
MOST_RINGS = 5
UNITS, ORIGINS = (0.5, 2.0), (-2.0, 2.0)
MOVES = 20.0, 60.0  # bounds, in cells
RADII, MARGIN = (0.08, 0.2), 0.05  # in units, as the following
LESSER = 0.4, 0.8  # heights of all rings but one


@helper
def payoff(x: float, y: float, params: Array, square: int, end: int) -> float:
    """The best of the rings: its height on the circle, 0 at the ring's width from it; x and y are in units."""
    best = 0.0
    for ring in range(square + RINGS, end, OF_RING):
        dx, dy = x - params[ring + CENTRE], y - params[ring + CENTRE + 1]
        off = min(abs(math.sqrt(dx * dx + dy * dy) - params[ring + RADIUS]) / params[RING_WIDTH], 1.0)
        best = max(best, params[ring + HEIGHT] * (1.0 - off) * (1.0 + params[CURVATURE] * off))
    return best


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move by action and noise, not out of the squares; the reward is the mean of those of the new places."""
    n = len(action) // 2
    block = (len(params) - SQUARES) // n
    total = 0.0
    for i in range(n):
        square = SQUARES + i * block
        unit = params[square + UNIT]
        for axis in range(2):
            origin = params[square + ORIGIN + axis]
            place = state[2 * i + axis] + action[2 * i + axis] + params[NOISE] * unit * rng.standard_normal()
            next_state[2 * i + axis] = min(max(place, origin), origin + unit)
        x = (next_state[2 * i] - params[square + ORIGIN]) / unit
        y = (next_state[2 * i + 1] - params[square + ORIGIN + 1]) / unit
        total += payoff(x, y, params, square, square + block)
    next_state[2 * n] = state[2 * n] + 1.0
    paid = params[SPARSITY] if next_state[2 * n] % params[SPARSITY] == 0.0 else 0.0
    return params[OFFSET] + params[FACTOR] * paid * total / n, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    block = (len(params) - SQUARES) // (len(action) // 2)
    for k in range(len(action)):
        at = SQUARES + k // 2 * block + k % 2
        action[k] = params[at + LOW] + (params[at + HIGH] - params[at + LOW]) * rng.random()


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions over `depth` steps."""
    return follow(sample_action, step, state, np.empty(len(state) - 1), scratch, depth, params, rng)


@dataclass(frozen=True)
class Rings:
    """State (x, t), action: moves in squares, of which each two of the `dim` coordinates are one.

    A square has several rings. Near a circle a place earns its height, 1 for one ring and 0.4 to 0.8 for the others,
    and nothing from the ring's width on. The reward is the mean of the squares. Episodes start at uniformly random
    places. An instance draws the squares' corners and sides, rings and the bounds of moves, which are not the same in
    all directions.

    Args:
        instance: its number, from 0.
        dim: coordinates, an even number from 2 to 16.
        rings: in a square, from 1 to 5.
        noise: standard deviation of a move in each coordinate over the square's side, from 0.004 to 0.5.
        horizon: steps, from 1 to 200.
        width: of the box of moves, from 0.01 to 100; that of 1 is a tenth of the square in each direction, on average.
        offset: of the reward of each step, from -1e6 to 1e6.
        factor: of the reward, from 1e-6 to 1e6.
        sparsity: only every so-manieth step earns, that many times as much, from 1 to the horizon.
        ring_width: the distance from a circle at which nothing is earned, over the square's side, from 0.02 to 1.
        curvature: of the reward across a ring, from 0, a sharp ridge, to 1, a parabola.
    """

    instance: int = 1
    dim: int = 2
    rings: int = 3
    noise: float = 0.01
    horizon: int = 10
    width: float = 1.0
    offset: float = 0.0
    factor: float = 1.0
    sparsity: int = 1
    ring_width: float = 0.1
    curvature: float = 0.0

    discount = 1.0
    varied = MappingProxyType(  # what `bonspiel sensitivity` varies
        {
            "dim": (2, 4, 8),
            "rings": (1, 3, 5),
            "noise": (0.004, 0.01, 0.03, 0.1),
            "horizon": (5, 10, 20),
            "width": (0.5, 1.0, 3.0),
            "offset": (-10.0, 0.0, 10.0),
            "factor": (0.01, 1.0, 100.0),
            "sparsity": (1, 2, 5, 10),
            "ring_width": (0.03, 0.1, 0.3),
            "curvature": (0.0, 0.5, 1.0),
        }
    )
    compiled = True
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        check_shared(self)
        require_count("dim", self.dim, 2, LARGEST_DIM)
        require(self.dim % 2 == 0, "dim", self.dim, f"an even number from 2 to {LARGEST_DIM}")
        require_count("rings", self.rings, 1, MOST_RINGS)
        require_between("noise", self.noise, 0.004, 0.5)
        require_count("sparsity", self.sparsity, 1, self.horizon)
        require_between("ring_width", self.ring_width, 0.02, 1.0)
        require_between("curvature", self.curvature, 0.0, 1.0)

    @property
    def state_dim(self) -> int:
        """The places and the time."""
        return self.dim + 1

    @property
    def time_index(self) -> int:
        """The last coordinate."""
        return self.dim

    @cached_property
    def squares(self) -> Array:
        """Blocks of params, [squares, block]."""
        rng, blocks = instance_rng("donut", self.instance, self.dim), []
        for _ in range(self.dim // 2):
            unit, origin = between(rng, *UNITS), between(rng, *ORIGINS, 2)
            cells = [min(max(round(self.width * side), 1), CELLS) for side in between(rng, *MOVES, 4).tolist()]
            bounds = unit * np.array(cells) / CELLS * [-1.0, -1.0, 1.0, 1.0]
            radius, share = between(rng, *RADII, MOST_RINGS), rng.random((MOST_RINGS, 2))
            height = np.append(1.0, between(rng, *LESSER, MOST_RINGS - 1))
            edge = radius[:, None] + MARGIN
            rings = np.column_stack([edge + (1.0 - 2.0 * edge) * share, radius, height])
            blocks.append(np.concatenate([[unit], origin, bounds, rings[: self.rings].ravel()]))
        return np.array(blocks)

    @cached_property
    def params(self) -> Array:
        """The parameters and the block of each square: unit, corner, bounds of moves, rings."""
        numbers = [self.offset, self.factor, self.sparsity, self.noise, self.ring_width, self.curvature]
        return np.concatenate([numbers, self.squares.ravel()])

    @cached_property
    def action_low(self) -> Array:
        """The longest moves down."""
        return self.squares[:, LOW : LOW + 2].ravel()

    @cached_property
    def action_high(self) -> Array:
        """The longest moves up."""
        return self.squares[:, HIGH : HIGH + 2].ravel()

    @cached_property
    def state_low(self) -> Array:
        """The lower corners of the squares."""
        return np.append(self.squares[:, ORIGIN : ORIGIN + 2].ravel(), 0.0)

    @cached_property
    def state_high(self) -> Array:
        """The upper corners of the squares, and the horizon."""
        return self.state_low + np.append(np.repeat(self.squares[:, UNIT], 2), float(self.horizon))

    @cached_property
    def distance_weights(self) -> Array:
        """Only states of the same time are compared."""
        return np.array([1.0] * self.dim + [np.inf])

    def initial_state(self, rng: Rng) -> Array:
        """Uniform in the squares."""
        return np.append(between(rng, self.state_low[:-1], self.state_high[:-1], self.dim), 0.0)
