"""Treasure Hunt solved backwards from the horizon on a grid.

The next place is clamp(m + e) with m = p + u(theta) the place aimed at, so the value of a step depends on m alone: an
average of the next values over a disc, one convolution for all m. A state's value is the maximum over a circle.
"""

import math
import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.envs.optimal import Reference
from bonspiel.envs.treasure_hunt import model as hunt
from bonspiel.envs.treasure_hunt.model import HOLE_REWARD, STEP_REWARD, TREASURE_REWARD, TreasureHunt
from bonspiel.planners.checks import steps_left
from bonspiel.planners.core.values import cached
from bonspiel.planners.model import Array

DIRECTIONS = 256
LARGEST = 20.0  # side of the square; the grid grows with its area
CONVERGED = 1e-7
SOURCES = (sys.modules[__name__], hunt)
SUBCELLS = 16  # points per cell and axis that measure how much of a cell the disc covers


@dataclass(frozen=True)
class Grid:
    """The square cut into cells, with a border as wide as a step and its noise can lead outside.

    Args:
        model: to solve.
        cells: per side of the square.
    """

    model: TreasureHunt
    cells: int

    @cached_property
    def spacing(self) -> float:
        """Side of a cell."""
        return self.model.size / self.cells

    @cached_property
    def reach(self) -> int:
        """Cells that the noise may cross."""
        return math.ceil(float(self.model.params[hunt.NOISE]) / self.spacing)

    @cached_property
    def margin(self) -> int:
        """Cells outside the square that a step may aim at, with one to interpolate."""
        return math.ceil(float(self.model.params[hunt.STEP]) / self.spacing) + 1

    @cached_property
    def disc(self) -> Array:
        """The share of the noise in each cell around the place aimed at, [2 reach, 2 reach]."""
        points = (np.arange(2 * self.reach * SUBCELLS) + 0.5) / SUBCELLS * self.spacing - self.reach * self.spacing
        inside = np.hypot(points[:, None], points) <= self.model.params[hunt.NOISE]
        share = inside.reshape(2 * self.reach, SUBCELLS, 2 * self.reach, SUBCELLS).mean(axis=(1, 3))
        return np.asarray(share / share.sum())

    def box(self, low: ArrayLike, high: ArrayLike) -> Array:
        """The part of each cell inside the box between two corners, border included."""
        border = self.margin + self.reach
        edges = np.arange(-border, self.cells + border + 1)[:, None] * self.spacing
        part = np.clip(np.minimum(edges[1:], high) - np.maximum(edges[:-1], low), 0.0, None) / self.spacing
        return np.outer(part[:, 0], part[:, 1])

    @cached_property
    def outcome(self) -> tuple[Array, Array]:
        """The reward of ending a step in each cell, and the probability that the episode continues."""
        params = self.model.params
        treasure = self.box([params[hunt.TREASURE_LOW]] * 2, [np.inf] * 2)  # places are clamped to the square
        hole = self.box([params[hunt.HOLE_LOW]] * 2, [params[hunt.HOLE_HIGH]] * 2)
        reward = STEP_REWARD + TREASURE_REWARD * treasure + HOLE_REWARD * hole
        return reward, (1.0 - treasure) * (1.0 - params[hunt.HOLE_TERMINATES] * hole)

    def aimed(self, value: Array) -> Array:
        """Value of a step aimed at each node, [cells + 2 margin + 1] squared, if its end has `value`."""
        from scipy.signal import fftconvolve  # late: the values are mostly on disk

        wide = np.pad(value, self.margin + self.reach, mode="edge")
        average = (wide[1:, 1:] + wide[1:, :-1] + wide[:-1, 1:] + wide[:-1, :-1]) / 4.0
        reward, continues = self.outcome
        return np.asarray(fftconvolve(reward + continues * average, self.disc, mode="valid"))

    def around(self, aimed: Array, theta: float) -> Array:
        """The values aimed at from every node of the square in one direction, by linear interpolation."""
        nodes = self.cells + 1
        for length in (math.cos(theta), math.sin(theta)):
            offset = self.margin + self.model.params[hunt.STEP] * length / self.spacing
            near = math.floor(offset)
            part = offset - near
            aimed = ((1.0 - part) * aimed[near : near + nodes] + part * aimed[near + 1 : near + 1 + nodes]).T
        return aimed

    def lookahead(self, directions: Array) -> Array:
        """`aimed` with 1, 2, ... steps left under optimal play, until more steps change nothing or the horizon."""
        value, found = np.zeros((self.cells + 1, self.cells + 1)), []
        for _ in range(self.model.horizon):
            found.append(self.aimed(value))
            before, value = value, np.full_like(value, -np.inf)
            for theta in directions:
                np.maximum(value, self.around(found[-1], theta), out=value)
            if np.abs(value - before).max() < CONVERGED:
                break
        return np.array(found, np.float32)

    def random_values(self, directions: Array) -> Array:
        """Values of the nodes under uniformly random directions."""
        value = np.zeros((self.cells + 1, self.cells + 1))
        for _ in range(self.model.horizon):
            aimed = self.aimed(value)
            value = np.mean([self.around(aimed, theta) for theta in directions], axis=0)
        return value


def _circle(directions: int) -> Array:
    return 2.0 * math.pi * np.arange(directions) / directions - math.pi


@dataclass(frozen=True, eq=False)
class TreasureHuntOptimum(Reference):
    """An optimal policy of Treasure Hunt; see `envs.optimal.Reference`.

    Args:
        model: the solved model.
        grid: of the places of the square.
        lookahead: value of a step aimed at a node with 1, 2, ... steps left, [steps, nodes, nodes].
        directions: of the policy, in radians.
    """

    model: TreasureHunt
    grid: Grid
    lookahead: Array
    directions: Array

    def candidates(self, state: Array) -> Array:
        """The directions as actions, [A, 1]."""
        return self.directions[:, None] / self.model.params[hunt.RADIANS]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        from scipy.ndimage import map_coordinates

        grid, params = self.grid, self.model.params
        x, y, t = state
        in_hole = params[hunt.HOLE_LOW] <= min(x, y) and max(x, y) <= params[hunt.HOLE_HIGH]
        hole = in_hole and params[hunt.HOLE_TERMINATES]
        if min(x, y) >= params[hunt.TREASURE_LOW] or hole or t >= self.model.horizon:
            return np.zeros(len(actions))
        left = min(steps_left(self.model, state), len(self.lookahead))
        theta = actions[:, 0] * params[hunt.RADIANS]
        aims = state[:2, None] + params[hunt.STEP] * np.array([np.cos(theta), np.sin(theta)])
        nodes = aims / grid.spacing + grid.margin
        return np.asarray(map_coordinates(self.lookahead[left - 1], nodes, np.float64, order=1))


def _cells(model: TreasureHunt) -> int:
    if model.size > LARGEST:
        raise TypeError(f"no dynamic programming reference for {model!r}: the largest size with one is {LARGEST:g}")
    return max(200, 20 * math.ceil(model.size))


def solve(model: TreasureHunt, actions: Array | None) -> TreasureHuntOptimum:
    """The optimal policy; see `envs.optimal.solve`. Takes seconds the first time."""
    grid = Grid(model, _cells(model))
    directions = _circle(DIRECTIONS) if actions is None else actions[:, 0] * model.params[hunt.RADIANS]
    name = f"lookahead {grid} {directions.tolist()}"
    stored = cached(name, SOURCES, lambda: {"lookahead": grid.lookahead(directions)})
    return TreasureHuntOptimum(model, grid, stored["lookahead"], directions)


def random_value(model: TreasureHunt) -> float:
    """Expected return of uniformly random directions; raises as `solve` does."""
    grid = Grid(model, _cells(model) // 2)
    directions = _circle(DIRECTIONS // 8)
    stored = cached(f"random {grid}", SOURCES, lambda: {"value": grid.random_values(directions)[0, 0].reshape(1)})
    return float(stored["value"][0])
