"""Hill car solved by dynamic programming on place and velocity."""

import numpy as np

from bonspiel.envs.classic.dynamic_programming import Plane
from bonspiel.envs.classic.hill_car.model import EDGE, MAX_FORCE, MAX_SPEED, HillCar
from bonspiel.envs.classic.noisy_optimum import NoisyOptimum
from bonspiel.planners.model import Array

NODES = 401, 201  # of place and velocity
SPACING = 0.1  # of the forces, in N
BEYOND = 5  # of them on each side that only the noise reaches


def solve(model: HillCar, actions: Array | None, nodes: tuple[int, int] = NODES) -> NoisyOptimum:
    """The optimal policy; see `envs.optimal.solve`. Takes seconds the first time.

    Args:
        model: to solve.
        actions: None.
        nodes: of the grid, along each axis.

    Raises:
        TypeError: with only some actions.
    """
    if actions is not None:
        raise TypeError(f"no reference for {model!r} with a fixed set of actions")
    plane = Plane.over([-EDGE, -MAX_SPEED], [EDGE, MAX_SPEED], list(nodes), [False, False])
    forces = round(MAX_FORCE / SPACING) + BEYOND
    return NoisyOptimum(model, plane, SPACING * np.arange(-forces, forces + 1.0))
