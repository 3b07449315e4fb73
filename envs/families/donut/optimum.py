"""Squares with rings solved square by square, by dynamic programming on a grid.

Only where a move is aimed at matters: the value of an aim is the reward and the value after it, blurred by the noise.
The value of a place is the largest within the box of aims that a move can reach; moves are bounded by whole cells.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bonspiel.envs.families.donut.model import CELLS, CENTRE, HEIGHT, LOW, OF_RING, ORIGIN, RADIUS, RINGS, UNIT, Rings
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import steps_left
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.model import Array

NODES = CELLS + 1  # along each side
LEAST_REACH = 4  # of a move, in cells
MOST_NUMBERS = 100_000_000  # that are kept of a square


@dataclass(frozen=True, eq=False)
class RingSquare:
    """One square of an instance.

    Args:
        model: the instance.
        index: of the square.
    """

    model: Rings
    index: int

    @cached_property
    def block(self) -> Array:
        """The square's part of the params."""
        return np.asarray(self.model.squares[self.index])

    @cached_property
    def reach(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Of a move down and up along each axis, in cells.

        Raises:
            TypeError: too few or too many for the grid.
        """
        cells = np.rint(np.abs(self.block[LOW:RINGS]) / self.block[UNIT] * CELLS).astype(int)
        size = (NODES + cells[0] + cells[2]) * (NODES + cells[1] + cells[3]) * self.model.horizon
        if cells.min() < LEAST_REACH or size > MOST_NUMBERS:
            raise TypeError(f"no reference for {self.model!r}: its box of moves is too narrow or too wide for the grid")
        return (int(cells[0]), int(cells[2])), (int(cells[1]), int(cells[3]))

    @cached_property
    def reward(self) -> Array:
        """Reward of the places, [NODES, NODES]."""
        side, best = np.linspace(0.0, 1.0, NODES), np.zeros((NODES, NODES))
        for ring in self.block[RINGS:].reshape(-1, OF_RING):
            distance = np.hypot(side[:, None] - ring[CENTRE], side - ring[CENTRE + 1])
            off = np.minimum(np.abs(distance - ring[RADIUS]) / self.model.ring_width, 1.0)
            best = np.maximum(best, ring[HEIGHT] * (1.0 - off) * (1.0 + self.model.curvature * off))
        return best

    def aimed(self, backup: Callable[[Array], Array]) -> tuple[Array, Array]:
        """Values of aims with 1, 2, ... steps left, if `backup` makes values of places of them, and those of places."""
        from scipy.ndimage import gaussian_filter

        value, found = np.zeros((NODES, NODES)), []
        for left in range(1, self.model.horizon + 1):
            paid = self.model.sparsity if (self.model.horizon - left + 1) % self.model.sparsity == 0 else 0
            # a move out of the square ends on its border
            after = np.pad(paid * self.reward + value, self.reach, mode="edge")
            found.append(gaussian_filter(after, self.model.noise * CELLS, mode="nearest", truncate=6.0))
            value = backup(found[-1])
        return np.array(found, np.float32), value

    def within_reach(self, aimed: Array, reduce: Callable[..., Array]) -> Array:
        """What a filter makes of the aims that each place can reach, along one axis after the other."""
        for axis, (down, up) in enumerate(self.reach):
            size = down + up + 1
            aimed = reduce(aimed, size, axis=axis, origin=-(size // 2), mode="nearest")
        return aimed[:NODES, :NODES]

    @cached_property
    def optimal(self) -> tuple[Array, Array]:
        """Values of aims and, with all steps left, of places under optimal play."""
        from scipy.ndimage import maximum_filter1d

        return self.aimed(lambda aimed: self.within_reach(aimed, maximum_filter1d))

    def average(self, aimed: Array) -> Array:
        """The mean value of uniformly random moves from each place."""
        from scipy.ndimage import correlate1d

        def trapezoid(values: Array, size: int, **given: Any) -> Array:
            weights = np.full(size, 1.0 / (size - 1))
            weights[[0, -1]] /= 2.0
            return np.asarray(correlate1d(values, weights, **given))

        return self.within_reach(aimed, trapezoid)

    def unmoved(self, aimed: Array) -> Array:
        """The value of staying in each place."""
        (row, _), (column, _) = self.reach
        return aimed[row : row + NODES, column : column + NODES]

    def values(self, left: int, places: Array, moves: Array) -> Array:
        """Values of moves, [A, 2], from places, [2], with steps left."""
        from scipy.ndimage import map_coordinates

        (row, _), (column, _) = self.reach
        aims = (places - self.block[ORIGIN : ORIGIN + 2] + moves) / self.block[UNIT] * CELLS + [row, column]
        return np.asarray(map_coordinates(self.optimal[0][left - 1], aims.T, np.float64, order=1, mode="nearest"))

    def best(self, left: int, place: Array) -> Array:
        """The best move of a grid as fine as that of the places, [2]."""
        sides = [np.arange(-down, up + 1) / CELLS * self.block[UNIT] for down, up in self.reach]
        moves = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
        return np.asarray(moves[np.argmax(self.values(left, place, moves))])


def mean_over(value: Array) -> float:
    """Mean of values over the square."""
    return float(np.trapezoid(np.trapezoid(value, dx=1.0 / CELLS), dx=1.0 / CELLS))


@dataclass(frozen=True, eq=False)
class RingsOptimum(Reference):
    """An optimal policy of an instance; see `envs.optimal.Reference`."""

    model: Rings

    @cached_property
    def squares(self) -> list[RingSquare]:
        """Its squares."""
        return [RingSquare(self.model, index) for index in range(self.model.dim // 2)]

    def candidates(self, state: Array) -> Array:
        """The best action, [1, dim]."""
        left, places = self.model.horizon - int(state[-1]), state[:-1].reshape(-1, 2)
        if left < 1:
            return self.model.action_high[None]
        best = [square.best(left, place) for square, place in zip(self.squares, places, strict=True)]
        return np.clip(np.concatenate(best), self.model.action_low, self.model.action_high)[None]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        if state[-1] >= self.model.horizon:
            return np.zeros(len(actions))
        left, found = steps_left(self.model, state), []
        for k, square in enumerate(self.squares):
            found.append(square.values(left, state[2 * k : 2 * k + 2], actions[:, 2 * k : 2 * k + 2]))
        return np.asarray(left * self.model.offset + self.model.factor * np.mean(found, axis=0))

    def mean_value(self) -> float:
        """Mean of V* over the initial states."""
        return self.returned([mean_over(square.optimal[1]) for square in self.squares])

    def returned(self, means: list[float]) -> float:
        """The return of whole episodes of which these are the squares' means, before level and scale."""
        return float(self.model.horizon * self.model.offset + self.model.factor * np.mean(means))


def solve(model: Rings, actions: Array | None) -> RingsOptimum:
    """The optimal policy; see `envs.optimal.solve`.

    Raises:
        TypeError: with only some actions, or a box of moves that is too narrow or too wide for the grid.
    """
    if actions is not None:
        raise TypeError(f"no reference for {model!r} with a fixed set of actions")
    found = RingsOptimum(model)
    for square in found.squares:
        square.reach  # noqa: B018 - raises
    return found


def random_value(model: Rings) -> float:
    """Expected return of uniformly random actions; raises as `solve` does."""
    found = RingsOptimum(model)
    return found.returned([mean_over(square.aimed(square.average)[1]) for square in found.squares])


def do_nothing_value(model: Rings) -> float:
    """Expected return of doing nothing; raises as `solve` does."""
    found = RingsOptimum(model)
    assert not null_action(model).any()
    return found.returned([mean_over(square.aimed(square.unmoved)[1]) for square in found.squares])
