"""The sheet and the stones, in metres, in the shot frame.

The origin is the release point; y points towards the house, x to the right of the thrower.
Stones are an array [16, 2], NaN where absent: rows 0-7 are team 0's in the order thrown, rows 8-15 team 1's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.model import Array

TEAM_STONES = 8
STONES = 2 * TEAM_STONES
LAST_SHOT = STONES - 1  # of an end
MIXED_FIRST_SHOT = 6  # of an end of mixed doubles, whose ten shots are numbered so that the last one is 15
MIXED_THROWERS = 0, 1, 1, 1, 0  # who of a team's two players makes each of its throws in an end of mixed doubles
SET_UP_ROW = 2  # of a team's stones, in mixed doubles: the stone that is set up
STONE_RADIUS = 0.145
DIAMETER = 2.0 * STONE_RADIUS
STONE_MASS = 19.96  # kg


@dataclass(frozen=True)
class Limits:
    """Where a simulator removes stones, by their centres, m.

    Attributes:
        side: a moving stone is lost from this |x| on.
        back: a moving stone is lost from this y on.
        back_at_rest: a stone at rest is lost beyond this y.
        hog: a stone at rest is lost up to this y.
    """

    side: float
    back: float
    back_at_rest: float
    hog: float

    @property
    def farthest(self) -> float:
        """The largest y of a stone in play."""
        return min(self.back, self.back_at_rest)


@dataclass(frozen=True)
class Sheet:
    """The lines of a sheet: distances from the release point or the centre line, m."""

    hog_line: float
    tee: float
    back_line: float
    half_width: float
    house_radius: float

    @property
    def in_house(self) -> float:
        """Distance of a stone's centre from the tee below which it is in the house, m."""
        return self.house_radius + STONE_RADIUS

    @property
    def limits(self) -> Limits:
        """Those of stones that touch a side line, lie wholly behind the back line or not wholly past the hog line."""
        side, back = self.half_width - STONE_RADIUS, self.back_line + STONE_RADIUS
        return Limits(side, back, math.inf, self.hog_line + STONE_RADIUS)


DC3_SHEET = Sheet(hog_line=32.004, tee=38.405, back_line=40.234, half_width=2.375, house_radius=1.829)
DC2_SHEET = Sheet(hog_line=30.0, tee=36.4, back_line=38.23, half_width=2.375, house_radius=1.83)


def no_stones() -> Array:
    """An empty sheet, [16, 2] of NaN."""
    return np.full((STONES, 2), np.nan)


def places(stones: Array) -> tuple[tuple[float, float] | None, ...]:
    """Stones as plain values: 16 places (x, y), None where absent."""
    return tuple(None if math.isnan(x) else (float(x), float(y)) for x, y in stones)


def stones_at(places: Sequence[Sequence[float] | None]) -> Array:
    """The array of stones, [16, 2], at 16 `places`."""
    return np.array([(math.nan, math.nan) if place is None else place for place in places], np.float64)


def present(stones: Array) -> NDArray[np.bool_]:
    """Which stones are on the sheet, [16]."""
    return ~np.isnan(stones[:, 0])
