"""Donut solved by dynamic programming on a fine grid.

Only where a move is aimed at matters: the value of an aim is the reward and the value after it, blurred by the noise;
the value of a place is the largest within the square of aims that a move can reach.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.classic.donut.model import CENTRE, MAX_MOVE, Donut
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import steps_left
from bonspiel.planners.model import Array

NODES = 401  # along each side of the square
SPACING = 1.0 / (NODES - 1)
REACH = round(MAX_MOVE / SPACING)  # of a move, in nodes
LEAST_NOISE = 1.5 * SPACING  # a narrower Gaussian is not sampled well
LEAST_WIDTH = 3.0 * SPACING  # of a narrower ring the grid meets the peak in some places only


@dataclass(frozen=True, eq=False)
class DonutOptimum(Reference):
    """The optimal policy of the donut; see `envs.optimal.Reference`.

    With the default parameters, values exceed those on a grid of half the spacing by 0.002: the maximum picks the nodes
    that lie best. With the least noise it is 0.008.
    """

    model: Donut

    @cached_property
    def tables(self) -> tuple[Array, Array]:
        """Values of the places with h steps left, [horizon + 1, NODES, NODES], and of the aims, with the margin."""
        from scipy import ndimage

        side = np.linspace(0.0, 1.0, NODES)
        distance = np.hypot(side[:, None] - CENTRE, side - CENTRE)
        reward = np.maximum(0.0, 1.0 - np.abs(distance - self.model.radius) / self.model.width)
        places, aims = [np.zeros_like(reward)], []
        for _ in range(self.model.horizon):
            after = np.pad(reward + places[-1], REACH, mode="edge")  # a move out of the square ends on its border
            if self.model.noise > 0.0:
                after = ndimage.gaussian_filter(after, self.model.noise / SPACING, mode="nearest", truncate=6.0)
            aims.append(after)
            places.append(ndimage.maximum_filter(after, 2 * REACH + 1)[REACH:-REACH, REACH:-REACH])
        return np.array(places), np.array(aims)

    def candidates(self, state: Array) -> Array:
        """A grid of moves as fine as that of the places, [A, 2]."""
        moves = np.linspace(-MAX_MOVE, MAX_MOVE, 2 * REACH + 1)
        return np.stack(np.meshgrid(moves, moves, indexing="ij"), axis=-1).reshape(-1, 2)

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        if state[2] >= self.model.horizon:
            return np.zeros(len(actions))
        table = self.tables[1][steps_left(self.model, state) - 1]
        return _interpolated(table, (state[:2] + actions + MAX_MOVE) / SPACING)

    def mean_value(self) -> float:
        """Mean of V* over the square."""
        values = self.tables[0][-1]
        return float(np.trapezoid(np.trapezoid(values, dx=SPACING), dx=SPACING))


def _interpolated(table: Array, at: Array) -> Array:
    """Bilinear interpolation at places in nodes, [A, 2]."""
    before = np.minimum(at.astype(np.int64), table.shape[0] - 2)
    (row, column), (down, right) = before.T, (at - before).T
    near = (1.0 - right) * table[row, column] + right * table[row, column + 1]
    far = (1.0 - right) * table[row + 1, column] + right * table[row + 1, column + 1]
    return np.asarray((1.0 - down) * near + down * far)


def solve(model: Donut, actions: Array | None) -> DonutOptimum:
    """The optimal policy; see `envs.optimal.solve`.

    Raises:
        TypeError: with only some actions, or with noise or a ring that is finer than the grid.
    """
    if actions is not None:
        raise TypeError(f"no reference for {model!r} with a fixed set of actions")
    if 0.0 < model.noise < LEAST_NOISE:
        raise TypeError(f"no reference for {model!r}: its noise is finer than the grid, {LEAST_NOISE:g} at least")
    if model.width < LEAST_WIDTH:
        raise TypeError(f"no reference for {model!r}: its ring is finer than the grid, {LEAST_WIDTH:g} at least")
    return DonutOptimum(model)
