"""Converts the coordinates of Digital Curling 2 to those of `curling.ice.sheet` and back.

In Digital Curling 2 stones are thrown towards -y from (2.375, 41.28) to the tee at (2.375, 4.88).
"""

import numpy as np

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.protocols.dc2 import BestShot, Position
from bonspiel.planners.model import Array

RELEASE = np.array([2.375, 41.28])  # m, where stones are released
_FLIP = np.array([1.0, -1.0])


def to_sheet(points: Array) -> Array:
    """Points [..., 2] of this protocol in the shot frame, m."""
    return (points - RELEASE) * _FLIP


def from_sheet(points: Array) -> Array:
    """Points [..., 2] of the shot frame in this protocol's coordinates, m."""
    return points * _FLIP + RELEASE


def throw_to_sheet(shot: BestShot) -> tuple[float, float, float]:
    """A throw in the shot frame: (vx, vy, rotation), m/s, rotation +1 for counter-clockwise or -1."""
    return shot.vx, -shot.vy, 1.0 if shot.spin else -1.0


def throw_from_sheet(vx: float, vy: float, rotation: float) -> tuple[float, float, int]:
    """The fields of a `BestShot` or `RunShot` from a throw in the shot frame."""
    return vx, -vy, 1 if rotation > 0.0 else 0


def stone_rows(first: int) -> list[int]:
    """The row in `curling.ice.sheet` of the stone of each shot 0..15, where team `first` throws first in the end."""
    return [TEAM_STONES * (first if shot % 2 == 0 else 1 - first) + shot // 2 for shot in range(STONES)]


def stones_of_position(position: Position, first: int) -> Array:
    """The stones of a message in an end in which team `first` throws first, [16, 2], m, NaN where absent."""
    thrown = np.array(position.xy)
    stones = np.empty_like(thrown)
    stones[stone_rows(first)] = np.where((thrown == 0.0).all(1, keepdims=True), np.nan, to_sheet(thrown))
    return stones


def position_of_stones(stones: Array, first: int) -> Position:
    """The reverse of `stones_of_position`."""
    thrown = np.nan_to_num(from_sheet(stones[stone_rows(first)]))
    return Position(tuple((float(x), float(y)) for x, y in thrown))
