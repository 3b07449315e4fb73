"""Pendulum solved by dynamic programming on angle and speed."""

import math

import numpy as np

from bonspiel.envs.classic.dynamic_programming import Plane
from bonspiel.envs.classic.grid_optimum import GridOptimum
from bonspiel.envs.classic.pendulum.model import MAX_SPEED, MAX_TORQUE, TIME_STEP, Pendulum
from bonspiel.planners.model import Array

NODES = 501  # along each axis
COARSE, FINE = 21, 101  # torques of dynamic programming, and of the policy
COARSEST = 0.3  # rad/s between the speeds after two torques of the policy: a feedback of a few lines is better then


def _torques(count: int) -> Array:
    return np.linspace(-MAX_TORQUE, MAX_TORQUE, count)[:, None]


def solve(model: Pendulum, actions: Array | None, nodes: int = NODES) -> GridOptimum:
    """The optimal policy; see `envs.optimal.solve`. Takes seconds the first time.

    Args:
        model: to solve.
        actions: the only ones to choose from, [A, 1]; all if None.
        nodes: of the grid, along each axis.

    Raises:
        TypeError: the pole is so light or short that the grid of torques is too coarse for it.
    """
    finest = 2.0 * MAX_TORQUE / (FINE - 1) * 3.0 / (model.mass * model.length**2) * TIME_STEP
    if actions is None and finest > COARSEST:
        raise TypeError(f"no reference for {model!r}: a step of its grid of torques changes the speed by {finest:.2g}")
    plane = Plane.over([-math.pi, -MAX_SPEED], [math.pi, MAX_SPEED], [nodes, nodes], [True, False])
    coarse, fine = (_torques(COARSE), _torques(FINE)) if actions is None else (actions, actions)
    return GridOptimum(model, plane, coarse, fine)
