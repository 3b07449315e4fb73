"""Inverse aiming: the velocity that makes a stone stop at, pass or strike a given place; compiled.

A path is a piece of the universal curve (see `engines.curve_tables`) between two times-to-stop, that of the release
and that of the arrival. A speed gives one of them, the distance the other: the chord of the piece must be as long as
the line from the release point to the target. The curve is then turned so that the chord points at the target, and its
initial velocity is the aim.

`law` is of `curling.ice.physics.law_index`. `side` is +1 for counter-clockwise spin, -1 for clockwise. Places are in
metres in the shot frame, speeds in m/s. Every aim is the velocity (vx, vy) of the release, NaN if no throw within the
cap of the law reaches the goal. Other stones are ignored.
"""

from math import inf, nan, sqrt

import numpy as np

from bonspiel.curling.ice.engines import curve_tables as tables
from bonspiel.curling.ice.engines.analytic import EARLY
from bonspiel.curling.ice.engines.curve import lookup, motion_at, tau_of_speed
from bonspiel.curling.ice.physics import LAWS
from bonspiel.curling.ice.sheet import DIAMETER, STONE_RADIUS
from bonspiel.planners.jit import float64, helper, int64, kernel, typeof

CAP = np.array([law.max_speed for law in LAWS])
NEWTON_STEPS = 12  # usually two or three suffice
CLOSE = 1e-4  # m, error from which one more step is exact
NEAR = 2e-3  # m, error from which one more step misses by less than a micrometre, for a given arrival
ARC_OVER_CHORD = np.array([1.00109, 1.00055])  # of a tee draw, first guess for other throws
GAP = 0.5e-3  # m, between a freeze and its stone

AIM = typeof((0.0, 0.0))
Aim = tuple[float, float]  # velocity (vx, vy) of a release, m/s
# before it is turned, from the release in the frame of the curve: the chord (x, y), the velocity (vx, vy), the stop
# (ahead along the final heading, to the right of it)
Throw = tuple[float, float, float, float, float, float]


@helper
def arc_at(law: int, tau: float) -> float:
    """Length of the path from time-to-stop tau to the stop, m."""
    return lookup(tables.straight(), law, tau * tables.PER_TAU[law])


@helper
def tau_of_arc(law: int, arc: float) -> float:
    """Time-to-stop at which the remaining path has this length."""
    return lookup(tables.tau_of_arc(), law, sqrt(max(arc, 0.0)) * tables.PER_ROOT_ARC[law])


@helper
def _target_from(law: int, tau: float, ahead: float, right: float) -> tuple[float, float, float, float]:
    """The place `ahead` and to the right of the stone at time-to-stop tau, and the heading of the stone there.

    In the frame of the curve: (x, y) in m, and (cos, sin) of the angle between the heading and the final heading.
    """
    place_x, place_y, dx, dy = motion_at(law, tau)
    speed = sqrt(dx * dx + dy * dy)
    cos, sin = (dx / speed, dy / speed) if speed > 0.0 else (1.0, 0.0)
    return ahead * cos - right * sin - place_x, place_y - ahead * sin - right * cos, cos, sin


@helper
def release_motion(law: int, tau: float) -> tuple[float, float, float, float]:
    """Release point and velocity in the frame of the curve, for time-to-stop tau at the release."""
    place_x, place_y, dx, dy = motion_at(law, tau)
    return EARLY[law] * dx - place_x, place_y - EARLY[law] * dy, dx, -dy


@helper
def _throw_by_arrival(law: int, distance: float, tau: float, ahead: float, right: float) -> Throw:
    """The throw for which the place `ahead` and to the right of the stone at time-to-stop tau is at this distance."""
    qx, qy, _, _ = _target_from(law, tau, ahead, right)
    start = tau_of_arc(law, arc_at(law, tau) + ARC_OVER_CHORD[law] * (distance - ahead))
    px, py, vx, vy = release_motion(law, start)
    for _ in range(NEWTON_STEPS):
        cx, cy = qx - px, qy - py
        chord = sqrt(cx * cx + cy * cy)
        start += (distance - chord) * chord / (cx * vx + cy * vy)
        px, py, vx, vy = release_motion(law, start)
        if not abs(distance - chord) > NEAR:
            break
    return qx - px, qy - py, vx, vy, EARLY[law] * vx - px, py - EARLY[law] * vy


@helper
def _throw_by_release(law: int, distance: float, speed: float, ahead: float, right: float) -> Throw:
    """The throw of this speed for which the place `ahead` and to the right of the stone is once at this distance."""
    if not 0.0 < speed <= CAP[law] * (1.0 + 1e-9):
        return nan, nan, nan, nan, nan, nan
    start = tau_of_speed(law, speed)
    px, py, vx, vy = release_motion(law, start)
    left, miss = arc_at(law, start) - distance + ahead, inf
    cx, cy = 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        if not left >= 0.0 or not abs(miss) > CLOSE:
            break
        qx, qy, cos, sin = _target_from(law, tau_of_arc(law, left), ahead, right)
        cx, cy = qx - px, qy - py
        chord = sqrt(cx * cx + cy * cy)
        miss = chord - distance
        left += miss * chord / (cx * cos - cy * sin)
    return cx, cy, vx, vy, EARLY[law] * vx - px, py - EARLY[law] * vy


@helper
def throw_to_stop(law: int, distance: float) -> Throw:
    """The throw of a draw."""
    place = sqrt(max(distance, 0.0)) * tables.PER_ROOT_REACH[law]
    x, y, dx, dy = motion_at(law, lookup(tables.tau_of_reach(), law, place) + EARLY[law])
    return x - EARLY[law] * dx, EARLY[law] * dy - y, dx, -dy, x, y


@helper
def throw_to_hit(law: int, distance: float, offset: float, speed: float, side: float) -> Throw:
    """The throw of a hit, see `hit`; that of a hit on the nose is the same with both spins."""
    if not abs(offset) < DIAMETER:
        return nan, nan, nan, nan, nan, nan
    right = offset if side < 0.0 else -offset
    return _throw_by_release(law, distance, speed, sqrt(DIAMETER * DIAMETER - offset * offset), right)


@helper
def turned(law: int, side: float, x: float, y: float, throw: Throw) -> tuple[float, float, float, float]:
    """Turn a throw so that its chord points at (x, y): the aim, and (cos, sin) of the final heading."""
    cx, cy, vx, vy, _, _ = throw
    distance, chord = sqrt(x * x + y * y), sqrt(cx * cx + cy * cy)
    if not (abs(chord - distance) <= CLOSE and vx * vx + vy * vy <= (1.0 + 1e-9) * CAP[law] * CAP[law]):
        return nan, nan, nan, nan
    if side < 0.0:
        cy, vy = -cy, -vy
    scale = 1.0 / (distance * chord)
    cos, sin = (x * cx + y * cy) * scale, (y * cx - x * cy) * scale
    return cos * vx - sin * vy, sin * vx + cos * vy, cos, sin


@helper
def aim_by_arrival(law: int, x: float, y: float, tau: float, ahead: float, right: float, side: float) -> Aim:
    """The aim at which (x, y) is `ahead` and to the right of the stone at time-to-stop tau."""
    throw = _throw_by_arrival(law, sqrt(x * x + y * y), tau, ahead, -right if side < 0.0 else right)
    vx, vy, _, _ = turned(law, side, x, y, throw)
    return vx, vy


@helper
def _aim_by_release(law: int, x: float, y: float, speed: float, ahead: float, right: float, side: float) -> Aim:
    """The aim of this speed at which (x, y) is at some time `ahead` and to the right of the stone."""
    throw = _throw_by_release(law, sqrt(x * x + y * y), speed, ahead, -right if side < 0.0 else right)
    vx, vy, _, _ = turned(law, side, x, y, throw)
    return vx, vy


@kernel(float64(int64, float64))
def reach(law: int, speed: float) -> float:
    """Distance from the release point to the stop of a stone of this speed, m."""
    x, y, _, _ = release_motion(law, tau_of_speed(law, speed))
    return sqrt(x * x + y * y)


@kernel(AIM(int64, float64, float64, float64))
def draw(law: int, x: float, y: float, side: float) -> Aim:
    """Stops at (x, y)."""
    vx, vy, _, _ = turned(law, side, x, y, throw_to_stop(law, sqrt(x * x + y * y)))
    return vx, vy


@kernel(AIM(int64, float64, float64, float64, float64))
def through(law: int, x: float, y: float, speed: float, side: float) -> Aim:
    """Passes (x, y) at this speed."""
    if not 0.0 <= speed <= CAP[law]:
        return nan, nan
    return aim_by_arrival(law, x, y, tau_of_speed(law, speed), 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64, float64))
def launched(law: int, x: float, y: float, speed: float, side: float) -> Aim:
    """Released at this speed, passes (x, y)."""
    return _aim_by_release(law, x, y, speed, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64, float64, float64))
def hit(law: int, x: float, y: float, offset: float, speed: float, side: float) -> Aim:
    """Released at this speed, strikes the stone at (x, y) off its centre.

    `offset` is the distance of the thrown stone to the right of the struck one at the impact, across its heading, m;
    the aim is NaN unless it is below a diameter.
    """
    throw = throw_to_hit(law, sqrt(x * x + y * y), offset, speed, side)
    vx, vy, _, _ = turned(law, side, x, y, throw)
    return vx, vy


@kernel(AIM(int64, float64, float64, float64, float64))
def guard(law: int, x: float, y: float, distance: float, side: float) -> Aim:
    """Stops `distance` in front of (x, y), on the line from the release point to it."""
    share = 1.0 - distance / sqrt(x * x + y * y)
    return draw(law, share * x, share * y, side)


@kernel(AIM(int64, float64, float64, float64))
def freeze(law: int, x: float, y: float, side: float) -> Aim:
    """Stops right in front of the stone at (x, y), half a millimetre away."""
    return draw(law, x, y - DIAMETER - GAP, side)


@kernel(AIM(int64, float64, float64, float64))
def peel(law: int, x: float, y: float, side: float) -> Aim:
    """Strikes the stone at (x, y) at the cap speed, towards the nearer side, so that both leave the sheet."""
    offset = STONE_RADIUS if x < 0.0 else -STONE_RADIUS
    return _aim_by_release(law, x, y, CAP[law], sqrt(DIAMETER * DIAMETER - offset * offset), -offset, side)
