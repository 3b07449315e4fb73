"""Owners of the points of a position, dead stones and the final score, estimated by playouts."""

import numpy as np
from numpy.typing import NDArray

from bonspiel.go.board import workspace_of
from bonspiel.go.model import Go
from bonspiel.go.playouts.playout import add_owners
from bonspiel.go.scoring import count_area
from bonspiel.go.state import PASSES, PLY
from bonspiel.planners.model import Array, Rng

PLAYOUTS = 1000
ALIVE = 0.25  # share of the playouts in which a stone's colour owns its point; dead stones have less


def owned_parts(model: Go, state: Array, rng: Rng, playouts: int = PLAYOUTS) -> Array:
    """Shares of playouts at whose end Black, and White, own each point, [2, size^2]; a finished game is played on."""
    owned, begun = np.zeros((2, model.area)), state.copy()
    begun[[model.area + PASSES, model.area + PLY]] = 0.0
    add_owners(np.empty(workspace_of(model.size), np.int32), begun, playouts, model.params, owned, rng)
    return owned / playouts


def dead_stones(model: Go, state: Array, rng: Rng) -> NDArray[np.int64]:
    """The points of stones whose colour owns their point at the end of less than a quarter of 1,000 playouts, [any]."""
    stones, (black, white) = state[: model.area], owned_parts(model, state, rng)
    return np.flatnonzero((stones != 0.0) & (np.where(stones > 0.0, black, white) < ALIVE))


def final_lead(model: Go, state: Array, rng: Rng) -> float:
    """Points of Black less those of White, komi included, once the dead stones are taken off the board."""
    points = state[: model.area].copy()
    points[dead_stones(model, state, rng)] = 0.0
    return count_area(np.empty(workspace_of(model.size), np.int32), points, model.size) - model.komi
