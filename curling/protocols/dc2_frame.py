"""From the frame of Digital Curling 2 to that of `curling.sheet`, and back."""

import numpy as np

from curling.protocols.dc2_messages import BestShot, Position, RunShot
from curling.sheet import STONES, TEAM_STONES
from planners.base import Array

RELEASE = np.array([2.375, 41.28])  # m, where stones are released
_FLIP = np.array([1.0, -1.0])


def to_sheet(positions: Array) -> Array:
    """Positions [..., 2] of this protocol in the shot frame, m."""
    return (positions - RELEASE) * _FLIP


def from_sheet(positions: Array) -> Array:
    """Positions [..., 2] of the shot frame in this protocol's, m."""
    return positions * _FLIP + RELEASE


def throw_to_sheet(shot: BestShot | RunShot) -> tuple[float, float, float]:
    """A throw in the shot frame: (vx, vy, rotation), m/s, rotation +1 for counter-clockwise or -1."""
    return shot.vx, -shot.vy, 1.0 if shot.spin else -1.0


def throw_from_sheet(vx: float, vy: float, rotation: float) -> tuple[float, float, int]:
    """The fields of a `BestShot` or `RunShot` from a throw in the shot frame."""
    return vx, -vy, 1 if rotation > 0.0 else 0


def rows(first: int) -> list[int]:
    """The row in `curling.sheet` of the stone of each shot 0..15, when team `first` throws first in the end."""
    return [TEAM_STONES * (first if shot % 2 == 0 else 1 - first) + shot // 2 for shot in range(STONES)]


def stones(position: Position, first: int) -> Array:
    """The stones of a position in the shot frame, [16, 2], m, NaN where absent.

    Args:
        position: as received.
        first: the team, 0 or 1, that throws first in this end.
    """
    thrown = np.array(position.xy)
    board = np.empty_like(thrown)
    board[rows(first)] = np.where((thrown == 0.0).all(1, keepdims=True), np.nan, to_sheet(thrown))
    return board


def position_of(board: Array, first: int) -> Position:
    """The reverse of `stones`."""
    thrown = np.nan_to_num(from_sheet(board[rows(first)]))
    return Position(tuple((float(x), float(y)) for x, y in thrown))
