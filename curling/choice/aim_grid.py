"""Grids of aims over all useful throws, in coordinates in which the execution noise is nearly uniform.

The coordinates are the place where the stone crosses the tee line (or stops, if short of it), its launch speed and its
spin. The noise is then one Gaussian for all draws and another for all hits, so that the values of aims can be smoothed
by it (Kato, Iizuka and Yamamoto 2015).
"""

from functools import lru_cache
from math import hypot, isnan, sqrt
from typing import NamedTuple

import numpy as np

from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.physics import Physics, law_index
from bonspiel.curling.ice.sheet import STONE_RADIUS
from bonspiel.curling.ice.shots import draw, launched, reach
from bonspiel.planners.checks import require_count
from bonspiel.planners.jit import VECTOR, float64, int64, kernel, typeof
from bonspiel.planners.model import Array

FULL_SIZE, FULL_COLUMNS = 4_284, 63  # 63 places x 34 speeds x 2 spins
COLUMNS_POWER = 0.36  # of the size: coarser grids drop speeds rather than places
FEWEST_COLUMNS, FEWEST_DRAWS, FEWEST_HITS = 9, 3, 1
HITS_SHARE = 8 / 34  # of hits among the rows
WIDEST = 2.05  # m, from the centre line to the outer columns
HITS_POWER = 1.5  # of the spacing of hits: slow ones are denser


class VelocityGrid(NamedTuple):
    """A grid of aims with one spin.

    Attributes:
        velocities: m/s, [rows, columns, 2]: a row for each launch speed, a column for each place, from left to right.
        side: +1 for counter-clockwise spin, -1 for clockwise.
        sd: standard deviations of the noise, in rows and columns; 0 between rows of hits, which are far apart.
    """

    velocities: Array
    side: float
    sd: tuple[float, float]


@lru_cache(maxsize=128)  # some 16 sizes for each of the four players of mixed doubles, and others
def aim_grid(law: Physics, noise: Noise, size: int) -> tuple[VelocityGrid, ...]:
    """Four blocks, draws and hits with each spin, of about `size` aims in all, at least 72.

    Draws stop between the hog line and the back line; hits are faster, up to the cap. 4284 aims are 63 places x (26
    draws + 8 hits) x 2 spins, 1312 are 41 x (12 + 4) x 2.

    Raises:
        ValueError: `size` is not a whole number of at least 1.
    """
    require_count("size", size)
    columns = max(FEWEST_COLUMNS, round(FULL_COLUMNS * (size / FULL_SIZE) ** COLUMNS_POWER))
    rows = size / (2 * columns)
    hits = max(FEWEST_HITS, round(HITS_SHARE * rows))
    draws = max(FEWEST_DRAWS, round(rows) - hits)
    index, places = law_index(law.name), np.linspace(-WIDEST, WIDEST, columns)
    lines = law.sheet.hog_line, law.sheet.back_line
    slowest, fastest = (hypot(*draw(index, 0.0, y + STONE_RADIUS, 1.0)) for y in lines)
    harder = np.linspace(0.0, 1.0, hits + 1)[1:] ** HITS_POWER
    speeds = np.append(np.linspace(slowest, fastest, draws), fastest + (law.max_speed - fastest) * harder)
    blocks = []
    for side in (1.0, -1.0):
        velocities = np.empty((len(speeds), columns, 2))
        _aim_all(index, law.sheet.tee, places, speeds, side, velocities)
        velocities.flags.writeable = False
        speed_sd, place_sd = _deviations(velocities, speeds, places, noise)
        speed_step, place_step = speeds[1] - speeds[0], places[1] - places[0]
        draw_sd = float(speed_sd[:draws].mean() / speed_step), float(place_sd[:draws].mean() / place_step)
        blocks.append(VelocityGrid(velocities[:draws], side, draw_sd))
        blocks.append(VelocityGrid(velocities[draws:], side, (0.0, float(place_sd[draws:].mean() / place_step))))
    return tuple(blocks)


@kernel(typeof(None)(int64, float64, VECTOR, VECTOR, float64, float64[:, :, ::1]))
def _aim_all(law: int, tee: float, places: Array, speeds: Array, side: float, velocities: Array) -> None:
    """Write the velocities of these speeds that cross the tee line at these places, or stop there if short of it."""
    for row in range(len(speeds)):
        for column in range(len(places)):
            x, speed = places[column], speeds[row]
            vx, vy = launched(law, x, tee, speed, side)
            if isnan(vx):
                vx, vy = draw(law, x, sqrt(reach(law, speed) ** 2 - x * x), side)
            velocities[row, column, 0], velocities[row, column, 1] = vx, vy


def _deviations(velocities: Array, speeds: Array, places: Array, noise: Noise) -> tuple[Array, Array]:
    """Standard deviations of launch speed and place, to first order, [rows, columns] each.

    With v(speed, place) the velocity, a velocity error e is an error v'^-1 e of the coordinates.
    """
    by_speed, by_place = np.gradient(velocities, speeds, places, axis=(0, 1))
    slopes = np.linalg.inv(np.stack([by_speed, by_place], -1))
    along = velocities / np.linalg.norm(velocities, axis=-1, keepdims=True)
    across = np.stack([-velocities[..., 1], velocities[..., 0]], -1)
    vx, vy = (np.broadcast_to(error, along.shape) for error in ((noise.vx, 0.0), (0.0, noise.vy)))
    errors = np.stack([noise.speed * along, noise.angle * across, vx, vy], -1)
    speed_sd, place_sd = np.moveaxis(np.linalg.norm(slopes @ errors, axis=-1), -1, 0)
    return speed_sd, place_sd
