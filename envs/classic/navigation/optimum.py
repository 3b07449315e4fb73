"""Navigation solved by dynamic programming on height and speed, step by step."""

import numpy as np

from bonspiel.envs.classic.dynamic_programming import Plane
from bonspiel.envs.classic.grid_optimum import GridOptimum
from bonspiel.envs.classic.navigation.model import Navigation
from bonspiel.planners.model import Array

NODES = 201, 101  # of height and speed
COARSE, FINE = 41, 401  # accelerations of dynamic programming, and of the policy


def _accelerations(count: int) -> Array:
    """Dense about 0, which is paid for."""
    even = np.linspace(-1.0, 1.0, count)[:, None]
    return even * np.abs(even)


def solve(model: Navigation, actions: Array | None, nodes: tuple[int, int] = NODES) -> GridOptimum:
    """The optimal policy; see `envs.optimal.solve`. Takes seconds the first time.

    Args:
        model: to solve.
        actions: the only ones to choose from, [A, 1]; all if None.
        nodes: of the grid, along each axis.
    """
    plane = Plane.over([-1.0, -1.0], [1.0, 1.0], list(nodes), [False, False])
    coarse, fine = (_accelerations(COARSE), _accelerations(FINE)) if actions is None else (actions, actions)
    return GridOptimum(model, plane, coarse, fine, timed=True)
