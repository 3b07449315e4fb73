"""Treasure Hunt: walk past a hole to the far corner, with noise as large as a step (Couetoux 2013)."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require, require_at_least, require_choice
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

# The entries of params.
SIZE, STEP, NOISE, TREASURE_LOW, HOLE_LOW, HOLE_HIGH, HOLE_TERMINATES, RADIANS, BOUNDS = range(9)
TREASURE_REWARD, HOLE_REWARD, STEP_REWARD = 1.0, -0.5, -0.001
AngleUnit: TypeAlias = Literal["radian", "half_turn"]
RADIANS_IN = {"radian": 1.0, "half_turn": math.pi}


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move to clamp(p + A (cos, sin) + e, 0, D), e uniform on a disc."""
    size = params[SIZE]
    direction = params[RADIANS] * action[0]
    angle = 2.0 * math.pi * rng.random()
    radius = params[NOISE] * math.sqrt(rng.random())
    x = state[0] + params[STEP] * math.cos(direction) + radius * math.cos(angle)
    y = state[1] + params[STEP] * math.sin(direction) + radius * math.sin(angle)
    x = min(max(x, 0.0), size)
    y = min(max(y, 0.0), size)
    next_state[0] = x
    next_state[1] = y
    next_state[2] = state[2] + 1.0
    if x >= params[TREASURE_LOW] and y >= params[TREASURE_LOW]:
        return STEP_REWARD + TREASURE_REWARD, True
    if params[HOLE_LOW] <= x <= params[HOLE_HIGH] and params[HOLE_LOW] <= y <= params[HOLE_HIGH]:
        return STEP_REWARD + HOLE_REWARD, params[HOLE_TERMINATES] != 0.0
    return STEP_REWARD, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """A uniformly random direction."""
    action[0] = math.pi / params[RADIANS] * (2.0 * rng.random() - 1.0)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random directions over at most `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Squares of the place; time is left out, since splitting on it is slower and worse."""
    box_cells(state[:2], first, last, params[BOUNDS:], out)


@dataclass(frozen=True)
class TreasureHunt:
    """State (x, y, t) in the square [0, D]^2, action: a direction theta in [-pi, pi), by default in radians.

    Each step walks a length of 1 plus noise from the unit disc and costs 0.001. The treasure, the square of side 1 in
    the far corner, earns 1 and ends the episode; the hole, the square of side D/2 in the middle, costs 0.5. The episode
    is cut after 10 D steps.

    Args:
        size: D, the side of the square, from 4 to 1000; the thesis uses 5 and 15.
        hole_terminates: whether the hole ends the episode, or costs 0.5 at every step in it.
        angle_unit: "radian", or "half_turn" for actions in [-1, 1) as Gymnasium recommends.
    """

    size: float = 5.0
    hole_terminates: bool = True
    angle_unit: AngleUnit = "radian"

    state_dim = 3
    time_index = 2
    discount = 1.0
    compiled = True
    state_low = np.zeros(3)
    distance_weights = np.array([1.0, 1.0, 0.0])  # without time: too few steps remain only at the very end
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        require_at_least("size", self.size, 4.0)
        require(self.size <= 1000.0, "size", self.size, "at most 1000")
        require(isinstance(self.hole_terminates, bool), "hole_terminates", self.hole_terminates, "True or False")
        require_choice("angle_unit", self.angle_unit, tuple(RADIANS_IN))

    @cached_property
    def horizon(self) -> int:
        """10 D steps."""
        return round(10.0 * self.size)

    @cached_property
    def params(self) -> Array:
        """D, step, noise, treasure from, hole from and to, whether it terminates, radians; bounds of the cells."""
        d = self.size
        rules = [d, 1.0, 1.0, d - 1.0, d / 4.0, 3.0 * d / 4.0, float(self.hole_terminates), RADIANS_IN[self.angle_unit]]
        return np.array([*rules, 0.0, 0.0, d, d])

    @cached_property
    def action_low(self) -> Array:
        """[-pi] radians."""
        return np.array([-math.pi / RADIANS_IN[self.angle_unit]])

    @cached_property
    def action_high(self) -> Array:
        """[pi] radians."""
        return np.array([math.pi / RADIANS_IN[self.angle_unit]])

    @cached_property
    def action_period(self) -> Array:
        """A whole turn."""
        return self.action_high - self.action_low

    @cached_property
    def state_high(self) -> Array:
        """(D, D, 10 D)."""
        return np.array([self.size, self.size, float(self.horizon)])

    def initial_state(self, rng: Rng) -> Array:
        """(0, 0, 0)."""
        return np.zeros(3)
