"""A walk in a square to a treasure among holes; an instance draws start, treasure, holes and what direction 0 is."""

import math
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.families.draw_instance import between, check_shared, instance_rng, require_between
from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_count
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

# The entries of params, the first three as in `envs.treasure_hunt.model`; then bounds of the treasure and the holes.
SIZE, STEP, NOISE, FACTOR, STEP_COST, SINE, COSINE, WIDTH, CELLS = range(9)
TREASURE = CELLS + 6
HOLE_REWARD = -0.5
MOST_HOLES = 5
BORDER = 0.1  # between the square's side and treasure or hole
FAR = 0.6  # of the treasure from the start, in sides of the square
HOLE_SIDES = 0.15, 0.4  # in sides of the square
CLEAR = 1.2  # of a hole from start and treasure, along an axis at least


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move to clamp(p + A (cos, sin) + e, 0, D), e uniform on a disc; the direction is that of the action, turned."""
    size = params[SIZE]
    cosine, sine = math.cos(action[0]), math.sin(action[0])
    angle = 2.0 * math.pi * rng.random()
    radius = params[NOISE] * math.sqrt(rng.random())
    x = state[0] + params[STEP] * (cosine * params[COSINE] - sine * params[SINE]) + radius * math.cos(angle)
    y = state[1] + params[STEP] * (sine * params[COSINE] + cosine * params[SINE]) + radius * math.sin(angle)
    x, y = min(max(x, 0.0), size), min(max(y, 0.0), size)
    next_state[0] = x
    next_state[1] = y
    next_state[2] = state[2] + 1.0
    for box in range(TREASURE, len(params), 4):
        if params[box] <= x <= params[box + 2] and params[box + 1] <= y <= params[box + 3]:
            return params[FACTOR] * ((1.0 if box == TREASURE else HOLE_REWARD) - params[STEP_COST]), True
    return -params[FACTOR] * params[STEP_COST], False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    action[0] = params[WIDTH] * math.pi * (2.0 * rng.random() - 1.0)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random directions over at most `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Squares of the place, and the time."""
    box_cells(state, first, last, params[CELLS:TREASURE], out)


class HoleMap(NamedTuple):
    """What an instance draws.

    Attributes:
        start: of the walk, [2].
        boxes: lower and upper corners of the treasure and of the holes, [1 + holes, 4].
        sine: of the angle by which directions are turned.
        cosine: of the same.
    """

    start: Array
    boxes: Array
    sine: float
    cosine: float


@dataclass(frozen=True)
class HoleHunt:
    """State (x, y, t) in the square [0, D]^2, action: a direction in radians, from a drawn one.

    Each step walks a length of 1, plus noise from a disc. The treasure, a square of side 1, earns 1; a hole costs 0.5;
    both end the episode. The first hole lies between start and treasure. An instance draws all of them.

    Args:
        instance: its number, from 0.
        size: D, the side of the square, from 4 to 20.
        holes: from 1 to 5.
        noise: radius of the disc, from 0.2 to 2.
        horizon: steps, from 1 to 200.
        width: of the box of directions, in whole turns, from 0.5 to 100.
        factor: of the reward, from 1e-6 to 1e6.
        step_cost: of each step, from 0 to 1.
    """

    instance: int = 1
    size: float = 5.0
    holes: int = 2
    noise: float = 1.0
    horizon: int = 50
    width: float = 1.0
    factor: float = 1.0
    step_cost: float = 0.001

    state_dim = 3
    time_index = 2
    offset = 0.0  # of a reward that would change what is best, since episodes end
    discount = 1.0
    varied = MappingProxyType(  # what `bonspiel sensitivity` varies
        {
            "size": (5.0, 8.0, 12.0),
            "holes": (1, 2, 5),
            "noise": (0.3, 1.0, 2.0),
            "horizon": (15, 50, 150),
            "width": (1.0, 3.0, 10.0),
            "factor": (0.01, 1.0, 100.0),
            "step_cost": (0.0, 0.001, 0.01, 0.1),
        }
    )
    compiled = True
    state_low = np.zeros(3)
    distance_weights = np.array([1.0, 1.0, 0.0])  # without time: too few steps remain only at the very end
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        check_shared(self)
        require_between("size", self.size, 4.0, 20.0)
        require_count("holes", self.holes, 1, MOST_HOLES)
        require_between("noise", self.noise, 0.2, 2.0)
        require_between("width", self.width, 0.5, 100.0)
        require_between("step_cost", self.step_cost, 0.0, 1.0)

    @cached_property
    def map(self) -> HoleMap:
        """Start, treasure and holes."""
        rng, size = instance_rng("treasure_hunt", self.instance, 2), self.size
        start = end = np.zeros(2)
        while np.abs(end - start).max() < FAR * size:
            start = size * rng.random(2)
            end = 0.5 + BORDER + (size - 1.0 - 2.0 * BORDER) * rng.random(2)
        boxes = [np.concatenate([end - 0.5, end + 0.5])]
        for hole in range(self.holes):
            sides = size * between(rng, *HOLE_SIDES, 2)
            while True:
                middle = start + (end - start) * between(rng, 0.3, 0.7) if hole == 0 else size * rng.random(2)
                low, high = np.maximum(middle - sides / 2.0, BORDER), np.minimum(middle + sides / 2.0, size - BORDER)
                away = [np.maximum(low - point, point - high).max() for point in (start, end)]
                if min(away) >= CLEAR and (high > low).all():
                    break
                sides = 0.95 * sides
            boxes.append(np.concatenate([low, high]))
        tangent = 4.0 * rng.random() - 2.0  # of half the angle
        return HoleMap(
            start,
            np.array(boxes),
            2.0 * tangent / (1.0 + tangent * tangent),
            (1.0 - tangent * tangent) / (1.0 + tangent * tangent),
        )

    @cached_property
    def params(self) -> Array:
        """The parameters, the bounds of the cells, and those of treasure and holes."""
        of, d = self.map, float(self.size)
        numbers = [d, 1.0, self.noise, self.factor, self.step_cost, of.sine, of.cosine, self.width]
        return np.concatenate([numbers, [0.0, 0.0, 0.0, d, d, float(self.horizon)], of.boxes.ravel()])

    @cached_property
    def action_low(self) -> Array:
        """Half the box to the right."""
        return np.array([-self.width * math.pi])

    @cached_property
    def action_high(self) -> Array:
        """Half the box to the left."""
        return np.array([self.width * math.pi])

    @cached_property
    def state_high(self) -> Array:
        """The far corner, and the horizon."""
        return np.array([self.size, self.size, float(self.horizon)])

    def initial_state(self, rng: Rng) -> Array:
        """The start."""
        return np.append(self.map.start, 0.0)
