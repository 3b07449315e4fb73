"""Look-ups on the universal curve of a free path (see `curve_tables`), compiled.

A moving stone is a row of the workspace with the position of the curve on the sheet (the fields below). Times are in s
since the release; tau is time-to-stop. `side` is +1 for counter-clockwise spin, -1 for clockwise, 0 for none.
Coordinates "in the frame of the curve" are already mirrored by `side`: the stone is at (-X, Y).
"""

from math import sqrt

from curling.engines.curve_tables import (
    CURVE,
    GRAPH,
    LOST,
    PER_LOSS,
    PER_ROOT_ARC,
    PER_ROOT_X,
    PER_SINE,
    PER_SPEED,
    PER_TAU,
    STRAIGHT,
    TAU_OF_ARC,
    TAU_OF_LOST,
    TAU_OF_SINE,
    TAU_OF_SPEED,
    TOP_SPEED,
)
from planners.base import Array
from planners.jit import helper

ANCHOR_X, ANCHOR_Y = 0, 1  # where the stone would stop, m
COS, SIN = 2, 3  # its heading there
SIDE_OF_SPIN = 4
STOP_TIME = 5  # when it would stop
END_TAU = 6  # time-to-stop at the end of this piece: 0, or where the spin ends or the stone leaves the sheet
END_KIND = 7
SPIN = 8  # |spin| minus the loss of spin until the stop, rad/s
NEXT_TIME = 9  # of this stone's next event, contacts with moving stones excepted
NEXT_KIND = 10
X, Y = 11, 12  # place at rest, or at the start of the piece, m
SPEED_X, SPEED_Y, TURNING = 13, 14, 15  # velocity and spin at an impact, m/s and rad/s
STATE = 16
ALONG, ACROSS = 17, 18  # place at the start of the piece in the frame of the curve, the corner of the path's box, m
ROW = 19  # of the stone among the stones of the shot
COUNT = 20  # in the first row: number of rows in use
FIELDS = 21
ABSENT, RESTING, MOVING = 0.0, 1.0, 2.0  # STATE


@helper
def row_count(board: Array) -> int:
    """Number of rows of a board in use, including those of stones that left the sheet in this shot."""
    return int(board[0, COUNT])


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
def place_at(law: int, side: float, tau: float) -> tuple[float, float]:
    """(X, Y) at time-to-stop tau, in m."""
    if side == 0.0:
        return lookup(STRAIGHT, law, tau * PER_TAU[law]), 0.0
    return lookup_two(CURVE, law, tau * PER_TAU[law])


@helper
def motion_at(law: int, side: float, tau: float) -> tuple[float, float, float, float]:
    """(X, Y, dX/dtau, dY/dtau) at time-to-stop tau, in m and m/s."""
    if side == 0.0:
        place = tau * PER_TAU[law]
        return lookup(STRAIGHT, law, place), 0.0, lookup_slope(STRAIGHT, law, place) * PER_TAU[law], 0.0
    k, d = locate(tau * PER_TAU[law], CURVE.shape[1])
    x = ((CURVE[law, k, 3] * d + CURVE[law, k, 2]) * d + CURVE[law, k, 1]) * d + CURVE[law, k, 0]
    y = ((CURVE[law, k, 7] * d + CURVE[law, k, 6]) * d + CURVE[law, k, 5]) * d + CURVE[law, k, 4]
    dx = (3.0 * CURVE[law, k, 3] * d + 2.0 * CURVE[law, k, 2]) * d + CURVE[law, k, 1]
    dy = (3.0 * CURVE[law, k, 7] * d + 2.0 * CURVE[law, k, 6]) * d + CURVE[law, k, 5]
    return x, y, dx * PER_TAU[law], dy * PER_TAU[law]


@helper
def graph_at(law: int, side: float, x: float) -> tuple[float, float]:
    """(tau, Y) where the curve is x metres before the stop along its last heading; (0, 0) beyond the stop."""
    root = sqrt(x) if x > 0.0 else 0.0
    if side == 0.0:
        return lookup(TAU_OF_ARC, law, root * PER_ROOT_ARC[law]), 0.0
    return lookup_two(GRAPH, law, root * PER_ROOT_X[law])


@helper
def tau_of_speed(law: int, v: float) -> float:
    """Time from speed v to the stop, s."""
    return lookup(TAU_OF_SPEED, law, v * PER_SPEED[law])


@helper
def tau_of_sine(law: int, sine: float) -> float:
    """Time-to-stop at which the angle between heading and final heading has this sine."""
    return lookup(TAU_OF_SINE, law, sine * PER_SINE[law])


@helper
def spin_lost(law: int, tau: float) -> float:
    """Loss of spin in the last tau seconds, rad/s."""
    return lookup(LOST, law, tau * PER_TAU[law])


@helper
def tau_of_spin_lost(law: int, lost: float) -> float:
    """Inverse of `spin_lost`."""
    return lookup(TAU_OF_LOST, law, lost * PER_LOSS[law])


@helper
def side_of(spin: float) -> float:
    """Sign of a spin."""
    return 1.0 if spin > 0.0 else (-1.0 if spin < 0.0 else 0.0)


@helper
def fit_curve(
    law: int, x: float, y: float, vx: float, vy: float, side: float
) -> tuple[float, float, float, float, float, float, float]:
    """Place the curve on the sheet so that it passes (x, y) with velocity (vx, vy), not 0, reduced to its range.

    Returns:
        The stop (x, y), the final heading (cos, sin), the place (x, y) in the frame of the curve, the time-to-stop.
    """
    tau = tau_of_speed(law, min(sqrt(vx * vx + vy * vy), TOP_SPEED[law]))
    along, across, dx, dy = motion_at(law, side, tau)
    dy *= side
    scale = 1.0 / sqrt((dx * dx + dy * dy) * (vx * vx + vy * vy))
    cos, sin = (vx * dx - vy * dy) * scale, (vy * dx + vx * dy) * scale  # the final heading
    right = side * across
    return x + cos * along + sin * right, y + sin * along - cos * right, cos, sin, along, across, tau


@helper
def start_path(law: int, stone: Array, time: float, x: float, y: float, vx: float, vy: float, spin: float) -> None:
    """Start a path at (x, y) with velocity (vx, vy), not 0, and this spin: write the fields of the stone."""
    side = side_of(spin)
    stop_x, stop_y, cos, sin, along, across, tau = fit_curve(law, x, y, vx, vy, side)
    stone[ANCHOR_X], stone[ANCHOR_Y], stone[COS], stone[SIN] = stop_x, stop_y, cos, sin
    stone[X], stone[Y], stone[ALONG], stone[ACROSS] = x, y, along, across
    stone[SIDE_OF_SPIN] = side
    stone[STOP_TIME] = time + tau
    stone[SPIN] = abs(spin) - spin_lost(law, tau)


@helper
def place_of(law: int, stone: Array, time: float) -> tuple[float, float]:
    """Place of a moving stone on the sheet, m."""
    side = stone[SIDE_OF_SPIN]
    x, y = place_at(law, side, stone[STOP_TIME] - time)
    y *= side
    return stone[ANCHOR_X] - stone[COS] * x - stone[SIN] * y, stone[ANCHOR_Y] - stone[SIN] * x + stone[COS] * y


@helper
def motion(law: int, stone: Array, time: float) -> tuple[float, float, float, float]:
    """Place and velocity of a moving stone on the sheet, m and m/s."""
    side = stone[SIDE_OF_SPIN]
    x, y, dx, dy = motion_at(law, side, stone[STOP_TIME] - time)
    cos, sin = stone[COS], stone[SIN]
    y *= side
    dy *= side
    return (
        stone[ANCHOR_X] - cos * x - sin * y,
        stone[ANCHOR_Y] - sin * x + cos * y,
        cos * dx + sin * dy,
        sin * dx - cos * dy,
    )


@helper
def spin_at(law: int, stone: Array, time: float) -> float:
    """Spin of a moving stone, rad/s."""
    size = stone[SPIN] + spin_lost(law, stone[STOP_TIME] - time)
    return float(stone[SIDE_OF_SPIN] * max(size, 0.0))
