"""Grids of aims: their sizes, and the values of aims smoothed by the noise of the throw."""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from curling.model import Curling
from planners.base import AimBlock, Array

LARGEST = 12_116  # aims, twice as dense as the grid of the thesis along one axis, and 1.4 times along the other
SIZES = [round(LARGEST * 2.0 ** (-k / 2.0)) for k in range(15, -1, -1)]  # few, because a grid is made once and kept
FEWEST = SIZES[0]


def largest_affordable(affordable: float) -> int:
    """The largest size of a grid that is affordable, or else the smallest."""
    return max([size for size in SIZES if size <= affordable], default=FEWEST)


@functools.cache
def make_grids(model: Curling) -> None:
    """Make the grids, which are kept."""
    for size in SIZES:
        model.aim_grid(model.initial_state(np.random.default_rng(0)), size)


def smooth(blocks: Sequence[AimBlock], values: Array) -> Array:
    """Expected values of aiming at each action of the blocks, with the noise of the throw.

    Args:
        blocks: aims, n in all.
        values: of what the aims do without noise, [..., n].
    """
    smoothed, first = np.empty_like(values), 0
    for block in blocks:
        rows, columns, _ = block.actions.shape
        part = slice(first, first + rows * columns)
        table = values[..., part].reshape(*values.shape[:-1], rows, columns)
        sd = (0.0,) * (values.ndim - 1) + block.sd
        smoothed[..., part] = gaussian_filter(table, sd, mode="nearest").reshape(values[..., part].shape)
        first = part.stop
    return smoothed


def expected_values(blocks: Sequence[AimBlock], values: Array, known: NDArray[np.bool_]) -> Array:
    """`smooth` of the values that are known alone, [n]; NaN where they are not."""
    weights = smooth(blocks, known.astype(np.float64))
    total = smooth(blocks, np.where(known, values, 0.0))
    return np.divide(total, weights, out=np.full(len(values), np.nan), where=known)
