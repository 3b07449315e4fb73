"""The walk among holes solved on the grid of Treasure Hunt, with its own treasure and holes."""

import math
import sys
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bonspiel.envs.families.treasure_hunt import model as hunt
from bonspiel.envs.families.treasure_hunt.model import HOLE_REWARD, HoleHunt
from bonspiel.envs.optimal import Reference
from bonspiel.envs.treasure_hunt import optimum as original
from bonspiel.envs.treasure_hunt.optimum import DIRECTIONS, Grid
from bonspiel.planners.checks import steps_left
from bonspiel.planners.core.values import cached
from bonspiel.planners.model import Array

CELLS = 200, 20  # of a side at least, and in a unit of length
SOURCES = (sys.modules[__name__], hunt, original)


@dataclass(frozen=True)
class HoleGrid(Grid):
    """The square of an instance cut into cells; rewards are before their factor."""

    model: HoleHunt  # type: ignore[assignment]  # the same entries of params

    @cached_property
    def outcome(self) -> tuple[Array, Array]:
        """The reward of ending a step in each cell, and the probability that the episode continues."""
        treasure, *holes = (self.box(of[:2], of[2:]) for of in self.model.map.boxes)
        hole = np.max(holes, axis=0)
        return treasure + HOLE_REWARD * hole - self.model.step_cost, (1.0 - treasure) * (1.0 - hole)


@dataclass(frozen=True, eq=False)
class HoleHuntOptimum(Reference):
    """An optimal policy of an instance; see `envs.optimal.Reference`.

    Args:
        model: the solved instance.
        grid: of the places of the square.
        lookahead: value of a step aimed at a node with 1, 2, ... steps left, before the factor, [steps, nodes, nodes].
        directions: of the policy, as actions.
    """

    model: HoleHunt
    grid: HoleGrid
    lookahead: Array
    directions: Array

    def candidates(self, state: Array) -> Array:
        """The directions as actions, [A, 1]."""
        return self.directions[:, None]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        from scipy.ndimage import map_coordinates

        x, y, t = state
        for low_x, low_y, high_x, high_y in self.model.map.boxes:
            if low_x <= x <= high_x and low_y <= y <= high_y:
                return np.zeros(len(actions))
        if t >= self.model.horizon:
            return np.zeros(len(actions))
        left = min(steps_left(self.model, state), len(self.lookahead))
        turned = actions[:, 0] + math.atan2(self.model.map.sine, self.model.map.cosine)
        aims = state[:2, None] + np.array([np.cos(turned), np.sin(turned)])
        nodes = aims / self.grid.spacing + self.grid.margin
        return np.asarray(self.model.factor * map_coordinates(self.lookahead[left - 1], nodes, np.float64, order=1))


def _grid(model: HoleHunt, part: int = 1) -> HoleGrid:
    plain = replace(model, factor=1.0, width=1.0)  # on which the values do not depend
    return HoleGrid(plain, max(CELLS[0], CELLS[1] * math.ceil(model.size)) // part)


def solve(model: HoleHunt, actions: Array | None) -> HoleHuntOptimum:
    """The optimal policy; see `envs.optimal.solve`. Takes seconds the first time.

    Raises:
        TypeError: with only some actions, or a box of less than a whole turn.
    """
    if actions is not None or model.width < 1.0:
        raise TypeError(
            f"no reference for {model!r} with directions of less than a whole turn or a fixed set of actions"
        )
    grid = _grid(model)
    directions = 2.0 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS - math.pi
    stored = cached(f"lookahead {grid}", SOURCES, lambda: {"lookahead": grid.lookahead(directions)})
    return HoleHuntOptimum(model, grid, stored["lookahead"], directions)
