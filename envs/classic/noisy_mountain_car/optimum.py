"""Noisy mountain car solved by dynamic programming on place and velocity."""

import numpy as np

from bonspiel.envs.classic.dynamic_programming import Plane
from bonspiel.envs.classic.noisy_mountain_car.model import GOAL, LEFT, MAX_SPEED, NoisyMountainCar
from bonspiel.envs.classic.noisy_optimum import NoisyOptimum
from bonspiel.planners.model import Array

NODES = 401, 201  # of place and velocity
FORCES = 21  # of the policy, which are also those that can act


def solve(model: NoisyMountainCar, actions: Array | None, nodes: tuple[int, int] = NODES) -> NoisyOptimum:
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
    plane = Plane.over([LEFT, -MAX_SPEED], [GOAL, MAX_SPEED], list(nodes), [False, False])
    return NoisyOptimum(model, plane, np.linspace(-1.0, 1.0, FORCES))
