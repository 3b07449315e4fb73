"""Look-ups on the universal curve of a free path (see `curve_tables`), compiled.

A moving stone is a row of a board (see `board`) with the position of the curve on the sheet. Times are in s since the
release; tau is time-to-stop. `side` is +1 for counter-clockwise spin, -1 for clockwise, 0 for none.
Coordinates "in the frame of the curve" are already mirrored by `side`: the stone is at (-X, Y).
"""

from math import sqrt

from bonspiel.curling.ice.engines import curve_tables as tables
from bonspiel.curling.ice.engines.board import (
    ACROSS,
    ALONG,
    ANCHOR_X,
    ANCHOR_Y,
    COS,
    SIDE_OF_SPIN,
    SIN,
    SPEED_X,
    SPEED_Y,
    SPIN,
    START_TIME,
    STOP_TIME,
    X,
    Y,
)
from bonspiel.curling.ice.physics import LAWS
from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array

LAW_COUNT = len(LAWS)


@helper
def locate(place: float, cells: int) -> tuple[int, float]:
    """Cell and place in it of any float: the nearest end outside the table, the first for NaN."""
    if not place > 0.0:
        return 0, 0.0
    if place >= cells:
        return cells - 1, 1.0
    k = int(place)
    return k, place - k


@helper
def lookup(table: Array, law: int, place: float) -> float:
    """Value of a tabulated function; `place` counts cells."""
    k, d = locate(place, table.shape[1])
    return float(((table[law, k, 3] * d + table[law, k, 2]) * d + table[law, k, 1]) * d + table[law, k, 0])


@helper
def lookup_two(table: Array, law: int, place: float) -> tuple[float, float]:
    """Values of two functions that are tabulated side by side."""
    k, d = locate(place, table.shape[1])
    one = ((table[law, k, 3] * d + table[law, k, 2]) * d + table[law, k, 1]) * d + table[law, k, 0]
    two = ((table[law, k, 7] * d + table[law, k, 6]) * d + table[law, k, 5]) * d + table[law, k, 4]
    return one, two


@helper
def lookup_slope(table: Array, law: int, place: float) -> float:
    """Derivative of `lookup`, per cell."""
    k, d = locate(place, table.shape[1])
    return float((3.0 * table[law, k, 3] * d + 2.0 * table[law, k, 2]) * d + table[law, k, 1])


@helper
def curve_of(law: int, side: float) -> int:
    """The number of the curve that a stone follows."""
    return law if side != 0.0 else law + LAW_COUNT


@helper
def motion_at(curve: int, tau: float) -> tuple[float, float, float, float]:
    """(X, Y, dX/dtau, dY/dtau) at time-to-stop tau, in m and m/s."""
    table, per_tau = tables.curve(), tables.PER_TAU_OF_CURVE[curve]
    k, d = locate(tau * per_tau, table.shape[1])
    x = ((table[curve, k, 3] * d + table[curve, k, 2]) * d + table[curve, k, 1]) * d + table[curve, k, 0]
    y = ((table[curve, k, 7] * d + table[curve, k, 6]) * d + table[curve, k, 5]) * d + table[curve, k, 4]
    dx = (3.0 * table[curve, k, 3] * d + 2.0 * table[curve, k, 2]) * d + table[curve, k, 1]
    dy = (3.0 * table[curve, k, 7] * d + 2.0 * table[curve, k, 6]) * d + table[curve, k, 5]
    return x, y, dx * per_tau, dy * per_tau


@helper
def graph_at(curve: int, x: float) -> tuple[float, float]:
    """(tau, Y) where the curve is x metres before the stop along its last heading; (0, 0) beyond the stop."""
    root = sqrt(x) if x > 0.0 else 0.0
    return lookup_two(tables.graph(), curve, root * tables.PER_ROOT_X[curve])


@helper
def tau_of_speed(law: int, v: float) -> float:
    """Time from speed v to the stop, s."""
    return lookup(tables.tau_of_speed(), law, v * tables.PER_SPEED[law])


@helper
def tau_of_sine(law: int, sine: float) -> float:
    """Time-to-stop at which the angle between heading and final heading has this sine."""
    return lookup(tables.tau_of_sine(), law, sine * tables.PER_SINE[law])


@helper
def spin_lost(law: int, tau: float) -> float:
    """Loss of spin in the last tau seconds, rad/s."""
    return lookup(tables.lost(), law, tau * tables.PER_TAU[law])


@helper
def tau_of_spin_lost(law: int, lost: float) -> float:
    """Inverse of `spin_lost`."""
    return lookup(tables.tau_of_lost(), law, lost * tables.PER_LOSS[law])


@helper
def start_path(law: int, stone: Array, time: float, x: float, y: float, vx: float, vy: float, spin: float) -> None:
    """Start a path at (x, y) with velocity (vx, vy), not 0, and this spin: write the fields of the stone.

    The curve is placed on the sheet so that it passes (x, y) with this velocity, reduced to its range.
    """
    side = 1.0 if spin > 0.0 else (-1.0 if spin < 0.0 else 0.0)
    tau = tau_of_speed(law, min(sqrt(vx * vx + vy * vy), tables.TOP_SPEED[law]))
    along, across, dx, dy = motion_at(curve_of(law, side), tau)
    right, dy = side * across, side * dy
    scale = 1.0 / sqrt((dx * dx + dy * dy) * (vx * vx + vy * vy))
    cos, sin = (vx * dx - vy * dy) * scale, (vy * dx + vx * dy) * scale  # the final heading
    stone[ANCHOR_X], stone[ANCHOR_Y] = x + cos * along + sin * right, y + sin * along - cos * right
    stone[COS], stone[SIN], stone[SIDE_OF_SPIN] = cos, sin, side
    stone[X], stone[Y], stone[ALONG], stone[ACROSS] = x, y, along, across
    stone[SPEED_X], stone[SPEED_Y] = cos * dx + sin * dy, sin * dx - cos * dy
    stone[START_TIME], stone[STOP_TIME] = time, time + tau
    stone[SPIN] = abs(spin) - spin_lost(law, tau)


@helper
def place_of(law: int, stone: Array, time: float) -> tuple[float, float]:
    """Place of a moving stone on the sheet, m."""
    side = stone[SIDE_OF_SPIN]
    x, y = lookup_two(tables.curve(), curve_of(law, side), (stone[STOP_TIME] - time) * tables.PER_TAU[law])
    y *= side
    return stone[ANCHOR_X] - stone[COS] * x - stone[SIN] * y, stone[ANCHOR_Y] - stone[SIN] * x + stone[COS] * y


@helper
def motion(law: int, stone: Array, time: float) -> tuple[float, float, float, float]:
    """Place and velocity of a moving stone on the sheet, m and m/s."""
    side = stone[SIDE_OF_SPIN]
    x, y, dx, dy = motion_at(curve_of(law, side), stone[STOP_TIME] - time)
    cos, sin = stone[COS], stone[SIN]
    y *= side
    dy *= side
    place_x, place_y = stone[ANCHOR_X] - cos * x - sin * y, stone[ANCHOR_Y] - sin * x + cos * y
    return place_x, place_y, cos * dx + sin * dy, sin * dx - cos * dy


@helper
def motion_from(law: int, stone: Array, time: float) -> tuple[float, float, float, float]:
    """`motion`, without a look-up where the piece of path starts."""
    if time == stone[START_TIME]:
        return stone[X], stone[Y], stone[SPEED_X], stone[SPEED_Y]
    return motion(law, stone, time)


@helper
def spin_at(law: int, stone: Array, time: float) -> float:
    """Spin of a moving stone, rad/s."""
    size = stone[SPIN] + spin_lost(law, stone[STOP_TIME] - time)
    return float(stone[SIDE_OF_SPIN] * max(size, 0.0))
