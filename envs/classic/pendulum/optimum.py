"""Pendulum solved by dynamic programming on angle and speed."""

import math

import numpy as np

from bonspiel.envs.classic.dynamic_programming import Plane
from bonspiel.envs.classic.grid_optimum import GridOptimum
from bonspiel.envs.classic.pendulum.model import MAX_SPEED, MAX_TORQUE, Pendulum
from bonspiel.planners.model import Array

NODES = 501  # along each axis
COARSE, FINE = 21, 101  # torques of dynamic programming, and of the policy


def _torques(count: int) -> Array:
    return np.linspace(-MAX_TORQUE, MAX_TORQUE, count)[:, None]


def solve(model: Pendulum, actions: Array | None, nodes: int = NODES) -> GridOptimum:
    """The optimal policy; see `envs.optimal.solve`. Takes seconds the first time.

    Args:
        model: to solve.
        actions: the only ones to choose from, [A, 1]; all if None.
        nodes: of the grid, along each axis.
    """
    plane = Plane.over([-math.pi, -MAX_SPEED], [math.pi, MAX_SPEED], [nodes, nodes], [True, False])
    coarse, fine = (_torques(COARSE), _torques(FINE)) if actions is None else (actions, actions)
    return GridOptimum(model, plane, coarse, fine)
