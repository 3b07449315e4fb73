"""Converts the stones in messages of Digital Curling 3 to arrays and back."""

import math

import numpy as np

from curling.protocols.dc3 import Coordinate, PerTeam, Stone, Stones
from curling.sheet import STONES, TEAM_STONES
from planners.base import Array


def stone_array(stones: PerTeam[Stones]) -> Array:
    """The stones of a state or a trajectory as an array [16, 2], m, NaN where absent."""
    absent = (math.nan, math.nan)
    return np.array([absent if s is None else (s.position.x, s.position.y) for s in stones.team0 + stones.team1])


def stone_lists(stones: Array, angles: Array | None = None) -> PerTeam[Stones]:
    """The reverse of `stone_array`.

    Args:
        stones: [16, 2], m, NaN where absent.
        angles: rotation of each stone since its release, [16], rad; 0 if None.

    Raises:
        ValueError: a number that is not finite.
    """
    turned = np.zeros(STONES) if angles is None else angles
    listed = tuple(
        None if math.isnan(x) else Stone(Coordinate(float(x), float(y)), float(angle))
        for (x, y), angle in zip(stones, turned, strict=True)
    )
    return PerTeam(listed[:TEAM_STONES], listed[TEAM_STONES:])
