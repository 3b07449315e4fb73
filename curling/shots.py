"""Inverse aiming: the velocity that makes a stone stop at, pass or strike a given place; compiled.

A path is a piece of the universal curve (see `engines.curve_tables`) between two times-to-stop, that of the release
and that of the arrival. One of them is given by a speed, the other by the distance: the chord of the piece must be as
long as the way from the release point to the target. Turned so that the chord points there, the curve tells the
velocity at its beginning.

Law 0 is "fcv1", 1 is "dc2". `side` is +1 for counter-clockwise spin, -1 for clockwise. Places are in metres in the shot
frame, speeds in m/s. Every function returns the velocity (vx, vy) of the release, NaN where no throw within the cap of
the law does what was asked. Other stones are ignored.
"""

from math import inf, nan, sqrt

import numpy as np

from curling.engines.analytic import EARLY
from curling.engines.curve import lookup, motion_at, tau_of_speed
from curling.engines.curve_tables import PER_ROOT_ARC, PER_TAU, STRAIGHT, TAU_OF_ARC
from curling.physics import LAWS
from curling.sheet import DIAMETER, STONE_RADIUS
from planners.jit import float64, helper, int64, kernel, typeof

CAP = np.array([law.max_speed for law in LAWS])
NEWTON_STEPS = 12  # two or three are usual
CLOSE = 1e-4  # m, a step from here is exact
NEAR = 2e-3  # m, a step from here misses by less than a micrometre when the arrival is given
ARC_OVER_CHORD = np.array([1.00109, 1.00055])  # of a draw to the tee, as a first guess of other throws
GAP = 0.5e-3  # m, between stones that are said to touch

AIM = typeof((0.0, 0.0))


@helper
def arc_at(law: int, tau: float) -> float:
    """Length of the path from time-to-stop tau to the stop, m."""
    return lookup(STRAIGHT, law, tau * PER_TAU[law])


@helper
def tau_of_arc(law: int, arc: float) -> float:
    """Time-to-stop where so much of the path is left."""
    return lookup(TAU_OF_ARC, law, sqrt(max(arc, 0.0)) * PER_ROOT_ARC[law])


@helper
def _target_at_arrival(
    law: int, side: float, tau: float, ahead: float, right: float
) -> tuple[float, float, float, float]:
    """A place seen from the stone at time-to-stop tau, `ahead` of it and to its right, and the stone's heading.

    All in the frame of the curve: (x, y) in m, and (cos, sin) of the angle to its right from the last heading.
    """
    place_x, place_y, dx, dy = motion_at(law, side, tau)
    speed = sqrt(dx * dx + dy * dy)
    cos, sin = (dx / speed, dy / speed) if speed > 0.0 else (1.0, 0.0)
    right *= -1.0 if side < 0.0 else 1.0
    return ahead * cos - right * sin - place_x, place_y - ahead * sin - right * cos, cos, sin


@helper
def release_motion(law: int, side: float, tau: float) -> tuple[float, float, float, float]:
    """The release point in the frame of the curve and the velocity there, from time-to-stop tau at the release."""
    place_x, place_y, dx, dy = motion_at(law, side, tau)
    return EARLY[law] * dx - place_x, place_y - EARLY[law] * dy, dx, -dy


@helper
def _turned(
    law: int, side: float, x: float, y: float, cx: float, cy: float, vx: float, vy: float
) -> tuple[float, float]:
    """The velocity (vx, vy) in the frame of the curve, turned as the chord (cx, cy) is when it points at (x, y)."""
    distance, chord = sqrt(x * x + y * y), sqrt(cx * cx + cy * cy)
    if not (abs(chord - distance) <= CLOSE and vx * vx + vy * vy <= (1.0 + 1e-9) * CAP[law] * CAP[law]):
        return nan, nan
    if side < 0.0:
        cy, vy = -cy, -vy
    scale = 1.0 / (distance * chord)
    cos, sin = (x * cx + y * cy) * scale, (y * cx - x * cy) * scale
    return cos * vx - sin * vy, sin * vx + cos * vy


@helper
def aim_by_arrival(
    law: int, x: float, y: float, tau: float, ahead: float, right: float, side: float
) -> tuple[float, float]:
    """The aim at which (x, y) is so far ahead and to the right of the stone at time-to-stop tau."""
    distance = sqrt(x * x + y * y)
    qx, qy, _, _ = _target_at_arrival(law, side, tau, ahead, right)
    start = tau_of_arc(law, arc_at(law, tau) + ARC_OVER_CHORD[law] * (distance - ahead))
    px, py, vx, vy = release_motion(law, side, start)
    for _ in range(NEWTON_STEPS):
        cx, cy = qx - px, qy - py
        chord = sqrt(cx * cx + cy * cy)
        start += (distance - chord) * chord / (cx * vx + cy * vy)
        px, py, vx, vy = release_motion(law, side, start)
        if not abs(distance - chord) > NEAR:
            break
    return _turned(law, side, x, y, qx - px, qy - py, vx, vy)


@helper
def _aim_by_release(
    law: int, x: float, y: float, speed: float, ahead: float, right: float, side: float
) -> tuple[float, float]:
    """The aim of this speed at which (x, y) is at some time so far ahead and to the right of the stone."""
    if not 0.0 < speed <= CAP[law] * (1.0 + 1e-9):
        return nan, nan
    distance, start = sqrt(x * x + y * y), tau_of_speed(law, speed)
    px, py, vx, vy = release_motion(law, side, start)
    left, miss = arc_at(law, start) - distance + ahead, inf
    cx, cy = 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        if not left >= 0.0 or not abs(miss) > CLOSE:
            break
        qx, qy, cos, sin = _target_at_arrival(law, side, tau_of_arc(law, left), ahead, right)
        cx, cy = qx - px, qy - py
        chord = sqrt(cx * cx + cy * cy)
        miss = chord - distance
        left += miss * chord / (cx * cos - cy * sin)
    return _turned(law, side, x, y, cx, cy, vx, vy)


@kernel(float64(int64, float64))
def reach(law: int, speed: float) -> float:
    """How far from the release point a stone of this speed stops, m."""
    x, y, _, _ = release_motion(law, 1.0, tau_of_speed(law, speed))
    return sqrt(x * x + y * y)


@kernel(AIM(int64, float64, float64, float64))
def draw(law: int, x: float, y: float, side: float) -> tuple[float, float]:
    """Stops at (x, y)."""
    return aim_by_arrival(law, x, y, 0.0, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64, float64))
def through(law: int, x: float, y: float, speed: float, side: float) -> tuple[float, float]:
    """Passes (x, y) with this speed left."""
    if not 0.0 <= speed <= CAP[law]:
        return nan, nan
    return aim_by_arrival(law, x, y, tau_of_speed(law, speed), 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64, float64))
def launched(law: int, x: float, y: float, speed: float, side: float) -> tuple[float, float]:
    """Released at this speed, passes (x, y)."""
    return _aim_by_release(law, x, y, speed, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64, float64, float64))
def hit(law: int, x: float, y: float, offset: float, speed: float, side: float) -> tuple[float, float]:
    """Released at this speed, strikes the stone at (x, y) off its centre.

    Args:
        law: 0 or 1.
        x: of the stone that is struck.
        y: see x.
        offset: how far to the right of the struck stone the thrown one is, across its heading, when they touch; m, of
            size below a diameter, NaN otherwise.
        speed: of the release.
        side: +1 or -1.
    """
    if not abs(offset) < DIAMETER:
        return nan, nan
    return _aim_by_release(law, x, y, speed, sqrt(DIAMETER * DIAMETER - offset * offset), -offset, side)


@kernel(AIM(int64, float64, float64, float64, float64))
def guard(law: int, x: float, y: float, distance: float, side: float) -> tuple[float, float]:
    """Stops so far in front of (x, y), on the line to it from the release point."""
    share = 1.0 - distance / sqrt(x * x + y * y)
    return aim_by_arrival(law, share * x, share * y, 0.0, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64))
def freeze(law: int, x: float, y: float, side: float) -> tuple[float, float]:
    """Stops right in front of the stone at (x, y), half a millimetre away."""
    return aim_by_arrival(law, x, y - DIAMETER - GAP, 0.0, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64))
def peel(law: int, x: float, y: float, side: float) -> tuple[float, float]:
    """Strikes the stone at (x, y) as hard as the cap allows, towards the nearer side, so that both leave the sheet."""
    offset = STONE_RADIUS if x < 0.0 else -STONE_RADIUS
    return _aim_by_release(law, x, y, CAP[law], sqrt(DIAMETER * DIAMETER - offset * offset), -offset, side)
