"""Hashes of abstract states, Zobrist style: keys are made by a mixing function, so that no table of them is needed.

All arithmetic is on uint64 and stays in this file: mixed with int64, numba would turn it into floating point.
"""

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import compiled, helper
from bonspiel.planners.model import Array

LEVELS = 32  # a coordinate is a fraction of its range in fixed point with this many bits

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)


@helper
def mix(z: np.uint64) -> np.uint64:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014): each output bit depends on each input bit."""
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@helper
def combine(key: np.uint64, value: np.uint64) -> np.uint64:
    """The key of the ordered pair (key, value)."""
    return mix(key * _GOLDEN + value + _GOLDEN)


@helper
def fraction(x: float, low: float, high: float) -> np.uint64:
    """The place of x in [low, high) as a LEVELS-bit integer; values outside go to the nearest end."""
    part = (x - low) / (high - low) * 4294967296.0
    return np.uint64(min(max(part, 0.0), 4294967295.0))


@helper
def float_bits(x: float) -> np.uint64:
    """The bits of a float64; those of 0 for -0, which equals it."""
    return np.float64(x + 0.0).view(np.uint64)


@helper
def hash_vector(key: np.uint64, vector: Array) -> np.uint64:
    """The key of (key, the exact bits of a float64 vector)."""
    for i in range(len(vector)):
        key = combine(key, float_bits(vector[i]))
    return key


@compiled("cells")
def box_cells(state: Array, first: int, last: int, bounds: Array, out: NDArray[np.uint64]) -> None:
    """Cells of a box: at depth d every axis is cut into 2^d equal parts.

    The hash of one or two coordinates is their parts side by side; further pairs are mixed in.

    Args:
        state: [state_dim].
        first: smallest depth asked for.
        last: one more than the largest depth asked for, at most LEVELS + 1.
        bounds: the lower bounds of all coordinates, then the upper ones, [2 * state_dim].
        out: receives the hashes, [last - first].
    """
    n = len(state)
    for i in range(0, n, 2):
        part, beside = fraction(state[i], bounds[i], bounds[n + i]), np.uint64(0)
        if i + 1 < n:
            beside = fraction(state[i + 1], bounds[i + 1], bounds[n + i + 1])
        for depth in range(first, last):
            shift = np.uint64(LEVELS - depth)
            pair = (part >> shift) << np.uint64(LEVELS) | (beside >> shift)
            out[depth - first] = pair if i == 0 else combine(out[depth - first], pair)
