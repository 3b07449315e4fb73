"""Cells of states: when they are split, how much they weigh, and the keys of their nodes."""

import functools
from typing import NamedTuple

import numpy as np

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.zobrist import combine
from bonspiel.planners.model import Array

CELL_BLOCK = 16  # depths whose cells are computed by one call


class Cells(NamedTuple):
    """Thresholds and weights of cells; see `AbstractionTree`."""

    threshold: float
    threshold_base: float
    weight_power: float
    scale_power: float
    max_depth: int

    @functools.lru_cache(maxsize=64)  # noqa: B019  (asked for every decision; a tuple of numbers is cheap to keep)
    def arrays(self) -> tuple[Array, Array]:
        """The weight and the threshold of every depth, [max_depth + 1] each."""
        depths = np.arange(self.max_depth + 1.0)
        return (depths + 1.0) ** self.weight_power, self.threshold * self.threshold_base**depths


FIXED = Cells(8.0, 1.5, 2.0, 2.0 / 3.0, 24)  # the thesis's parameters for Trap
PER_STATE = Cells(1.0, 1.3, 4.0, 0.4, 15)  # and with actions of each state


@helper
def node_key(cell: np.uint64, depth: int, mover: float) -> np.uint64:
    """The key of a cell at this depth with this player to move."""
    return combine(cell, np.uint64(2 * depth + (mover < 0.0)))
