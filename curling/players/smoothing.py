"""Sizes of aim grids, and values of aims smoothed by the execution noise."""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.choice.aim_grid import aim_grid
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import throwers_of
from bonspiel.planners.model import AimBlock, Array

LARGEST = 12_116  # aims: twice as dense as the thesis's grid along one axis, 1.4 times along the other
SIZES = [round(LARGEST * 2.0 ** (-k / 2.0)) for k in range(15, -1, -1)]  # few, because grids are cached
FEWEST = SIZES[0]


def largest_affordable(affordable: float) -> int:
    """The largest affordable grid size, or else the smallest size."""
    return max([size for size in SIZES if size <= affordable], default=FEWEST)


@functools.cache
def make_grids(model: Curling) -> None:
    """Fill the cache of grids."""
    for size in SIZES:
        for noise in {thrower.noise for thrower in throwers_of(model)}:
            aim_grid(model.law, noise, size)


def smooth(blocks: Sequence[AimBlock], values: Array) -> Array:
    """Expected values of the n aims of all blocks under the execution noise, from those without noise, [..., n]."""
    from scipy.ndimage import gaussian_filter  # late: its import takes as long as numba's

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
    """`smooth` of the known values only, [n]; NaN where unknown."""
    weights = smooth(blocks, known.astype(np.float64))
    total = smooth(blocks, np.where(known, values, 0.0))
    return np.divide(total, weights, out=np.full(len(values), np.nan), where=known)
