"""Mountain car solved by dynamic programming on place and velocity."""

import numpy as np

from bonspiel.envs.classic.dynamic_programming import Plane
from bonspiel.envs.classic.grid_optimum import GridOptimum
from bonspiel.envs.classic.mountain_car.model import GOAL, GOAL_SPEED, MountainCar
from bonspiel.planners.model import Array

NODES = 241  # along each axis
COARSE, FINE = 25, 121  # forces of dynamic programming, and of the policy


def _forces(count: int) -> Array:
    """Dense about 0: the best policies push gently, and take their time."""
    even = np.linspace(-1.0, 1.0, count)[:, None]
    return even * np.abs(even)


def solve(model: MountainCar, actions: Array | None, nodes: int = NODES) -> GridOptimum:
    """The optimal policy; see `envs.optimal.solve`. Takes seconds the first time.

    Args:
        model: to solve.
        actions: the only ones to choose from, [A, 1]; all if None.
        nodes: of the grid, along each axis.
    """
    low, high = model.state_low[:2].tolist(), model.state_high[:2].tolist()
    plane = Plane.over(low, high, [nodes, nodes], [False, False])
    coarse, fine = (_forces(COARSE), _forces(FINE)) if actions is None else (actions, actions)

    def ended(state: Array) -> bool:
        return bool(state[0] >= GOAL and state[1] >= model.params[GOAL_SPEED])

    return GridOptimum(model, plane, coarse, fine, ended)
