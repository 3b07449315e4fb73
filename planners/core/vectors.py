"""Short vectors in compiled code."""

from bonspiel.planners.core.jit import helper
from bonspiel.planners.model import Array


@helper
def copy(source: Array, target: Array) -> None:
    """Copy a short vector: a plain loop, because numba's slice assignment costs ten times as much."""
    for i in range(len(source)):
        target[i] = source[i]
