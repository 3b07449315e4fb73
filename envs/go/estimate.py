"""What playouts say of a position: whose the points are, and which stones are dead."""

import numpy as np
from numpy.typing import NDArray

from envs.go.board import workspace_of
from envs.go.model import Go
from envs.go.playout import add_owners
from envs.go.scoring import count_area
from planners.base import Array, Rng

PLAYOUTS = 1000
ALIVE = 0.25  # of the playouts in which a living stone's colour owns its point, at least


def mean_owners(model: Go, state: Array, rng: Rng, playouts: int = PLAYOUTS) -> Array:
    """Mean owner of each point at the end of playouts, from -1 for White to +1 for Black, [size^2]."""
    owners = np.zeros(model.area)
    add_owners(np.empty(workspace_of(model.size), np.int32), state, playouts, model.params, owners, rng)
    return owners / playouts


def dead_stones(model: Go, state: Array, rng: Rng) -> NDArray[np.int64]:
    """The points of stones that most playouts capture, [any]."""
    stones = state[: model.area]
    share = 0.5 + 0.5 * stones * mean_owners(model, state, rng)
    return np.flatnonzero((stones != 0.0) & (share < ALIVE))


def final_lead(model: Go, state: Array, rng: Rng) -> float:
    """Points of Black less those of White, komi included, once the dead stones are taken off the board."""
    points = state[: model.area].copy()
    points[dead_stones(model, state, rng)] = 0.0
    return count_area(np.empty(workspace_of(model.size), np.int32), points, model.size) - model.komi
