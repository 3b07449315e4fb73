"""Inverse aiming: the velocity that makes a stone stop at, pass or strike a given place; compiled.

A path is a piece of the universal curve (see `curling.engines.tables`) between two times-to-stop, that of the release
and that of the arrival. One of them is given by a speed, the other by the distance: the chord of the piece must be as
long as the way from the release point to the target. Turned so that the chord points there, the curve tells the
velocity at its beginning.

Law 0 is "fcv1", 1 is "dc2". `side` is +1 for counter-clockwise spin, -1 for clockwise. Places are in metres in the shot
frame, speeds in m/s. Every function returns the velocity (vx, vy) of the release, NaN where no throw within the cap of
the law does what was asked. Other stones are ignored.
"""

from math import atan2, ceil, cos, inf, nan, sin, sqrt

import numpy as np

from curling.engines.analytic import EARLY
from curling.engines.curve import lookup, motion_at, slope, spin_lost, tau_of_speed, tau_of_spin_lost
from curling.engines.impact import impulses
from curling.engines.rates import TIME_STEP
from curling.engines.tables import LAWS, PER_ROOT_ARC, PER_TAU, STOP_SPEED, STRAIGHT, TAU_OF_ARC
from curling.sheet import STONE_RADIUS
from planners.jit import float64, helper, int64, kernel, typeof

DIAMETER = 2.0 * STONE_RADIUS
CAP = np.array([law.max_speed for law in LAWS])
LAUNCH_SPIN = np.array([law.launch_spin for law in LAWS])
NEWTON_STEPS = 12  # two or three are usual
CLOSE = 1e-4  # m, a step from here is exact
NEAR = 2e-3  # m, a step from here misses by less than a micrometre when the arrival is given
ARC_OVER_CHORD = np.array([1.00109, 1.00055])  # of a draw to the tee, as a first guess of other throws
GAP = 0.5e-3  # m, between stones that are said to touch
RAISE_STEPS = 20  # four are usual, but a contact may fall in another step of the engine with every correction
LOOSE = 0.1  # m, a raised stone must stop so near: less than any noise of a throw
THINNEST = 1.3  # rad, between the heading of a raise and the line of centres

AIM = typeof((0.0, 0.0))


@helper
def _arc_at(law: int, tau: float) -> float:
    """Length of the path from time-to-stop tau to the stop, m."""
    return lookup(STRAIGHT, law, tau * PER_TAU[law])


@helper
def _tau_of_arc(law: int, arc: float) -> float:
    """Time-to-stop where so much of the path is left."""
    return lookup(TAU_OF_ARC, law, sqrt(max(arc, 0.0)) * PER_ROOT_ARC[law])


@helper
def _arrival(law: int, side: float, tau: float, ahead: float, right: float) -> tuple[float, float, float, float]:
    """A place seen from the stone at time-to-stop tau, `ahead` of it and to its right, and the stone's heading.

    All in the frame of the curve: (x, y) in m, and (cos, sin) of the angle to its right from the last heading.
    """
    place_x, place_y, dx, dy = motion_at(law, side, tau)
    speed = sqrt(dx * dx + dy * dy)
    cos, sin = (dx / speed, dy / speed) if speed > 0.0 else (1.0, 0.0)
    right *= -1.0 if side < 0.0 else 1.0
    return ahead * cos - right * sin - place_x, place_y - ahead * sin - right * cos, cos, sin


@helper
def _departure(law: int, side: float, tau: float) -> tuple[float, float, float, float]:
    """The release point in the frame of the curve and the velocity there, from time-to-stop tau at the release."""
    place_x, place_y, dx, dy = motion_at(law, side, tau)
    return EARLY[law] * dx - place_x, place_y - EARLY[law] * dy, dx, -dy


@helper
def _turned(law: int, side: float, x: float, y: float, cx: float, cy: float, vx: float,
            vy: float) -> tuple[float, float]:
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
def _arrive(law: int, x: float, y: float, tau: float, ahead: float, right: float, side: float) -> tuple[float, float]:
    """The aim at which (x, y) is so far ahead and to the right of the stone at time-to-stop tau."""
    distance = sqrt(x * x + y * y)
    qx, qy, _, _ = _arrival(law, side, tau, ahead, right)
    start = _tau_of_arc(law, _arc_at(law, tau) + ARC_OVER_CHORD[law] * (distance - ahead))
    px, py, vx, vy = _departure(law, side, start)
    for _ in range(NEWTON_STEPS):
        cx, cy = qx - px, qy - py
        chord = sqrt(cx * cx + cy * cy)
        start += (distance - chord) * chord / (cx * vx + cy * vy)
        px, py, vx, vy = _departure(law, side, start)
        if not abs(distance - chord) > NEAR:
            break
    return _turned(law, side, x, y, qx - px, qy - py, vx, vy)


@helper
def _depart(law: int, x: float, y: float, speed: float, ahead: float, right: float, side: float) -> tuple[float, float]:
    """The aim of this speed at which (x, y) is at some time so far ahead and to the right of the stone."""
    if not 0.0 < speed <= CAP[law] * (1.0 + 1e-9):
        return nan, nan
    distance, start = sqrt(x * x + y * y), tau_of_speed(law, speed)
    px, py, vx, vy = _departure(law, side, start)
    left, miss = _arc_at(law, start) - distance + ahead, inf
    cx, cy = 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        if not left >= 0.0 or not abs(miss) > CLOSE:
            break
        qx, qy, cos, sin = _arrival(law, side, _tau_of_arc(law, left), ahead, right)
        cx, cy = qx - px, qy - py
        chord = sqrt(cx * cx + cy * cy)
        miss = chord - distance
        left += miss * chord / (cx * cos - cy * sin)
    return _turned(law, side, x, y, cx, cy, vx, vy)


@kernel(float64(int64, float64))
def reach(law: int, speed: float) -> float:
    """How far from the release point a stone of this speed stops, m."""
    x, y, _, _ = _departure(law, 1.0, tau_of_speed(law, speed))
    return sqrt(x * x + y * y)


@kernel(AIM(int64, float64, float64, float64))
def draw(law: int, x: float, y: float, side: float) -> tuple[float, float]:
    """Stops at (x, y)."""
    return _arrive(law, x, y, 0.0, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64, float64))
def through(law: int, x: float, y: float, speed: float, side: float) -> tuple[float, float]:
    """Passes (x, y) with this speed left."""
    if not 0.0 <= speed <= CAP[law]:
        return nan, nan
    return _arrive(law, x, y, tau_of_speed(law, speed), 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64, float64))
def launched(law: int, x: float, y: float, speed: float, side: float) -> tuple[float, float]:
    """Released at this speed, passes (x, y)."""
    return _depart(law, x, y, speed, 0.0, 0.0, side)


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
    return _depart(law, x, y, speed, sqrt(DIAMETER * DIAMETER - offset * offset), -offset, side)


@kernel(AIM(int64, float64, float64, float64, float64))
def guard(law: int, x: float, y: float, distance: float, side: float) -> tuple[float, float]:
    """Stops so far in front of (x, y), on the line to it from the release point."""
    share = 1.0 - distance / sqrt(x * x + y * y)
    return _arrive(law, share * x, share * y, 0.0, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64))
def freeze(law: int, x: float, y: float, side: float) -> tuple[float, float]:
    """Stops right in front of the stone at (x, y), half a millimetre away."""
    return _arrive(law, x, y - DIAMETER - GAP, 0.0, 0.0, 0.0, side)


@kernel(AIM(int64, float64, float64, float64))
def peel(law: int, x: float, y: float, side: float) -> tuple[float, float]:
    """Strikes the stone at (x, y) as hard as the cap allows, towards the nearer side, so that both leave the sheet."""
    offset = STONE_RADIUS if x < 0.0 else -STONE_RADIUS
    return _depart(law, x, y, CAP[law], sqrt(DIAMETER * DIAMETER - offset * offset), -offset, side)


@helper
def _speed_of_range(law: int, distance: float) -> float:
    """Speed of a stone that stops after so many metres, about."""
    return slope(STRAIGHT, law, _tau_of_arc(law, distance) * PER_TAU[law]) * PER_TAU[law]


@helper
def _run(law: int, vx: float, vy: float, spin: float) -> tuple[float, float]:
    """How far from its place a stone with this velocity and spin stops."""
    v = sqrt(vx * vx + vy * vy)
    if not v > STOP_SPEED[law]:
        return 0.0, 0.0
    tau = tau_of_speed(law, v)
    side = 1.0 if spin > 0.0 else (-1.0 if spin < 0.0 else 0.0)
    x, y, dx, dy = motion_at(law, side, tau)
    lost = spin_lost(law, tau) - abs(spin)
    if lost > 0.0:  # the spin dies, the rest of the path is straight
        tau = tau_of_spin_lost(law, lost)
        x1, y1, dx1, dy1 = motion_at(law, side, tau)
        straight = _arc_at(law, tau) / max(sqrt(dx1 * dx1 + dy1 * dy1), STOP_SPEED[law])
        x, y = x - x1 + straight * dx1, y - y1 + straight * dy1
    y, dy = -side * y, -side * dy
    scale = 1.0 / (dx * dx + dy * dy)
    cos, sin = (vx * dx + vy * dy) * scale, (vy * dx - vx * dy) * scale
    return cos * x - sin * y, sin * x + cos * y


@helper
def _raised(law: int, x: float, y: float, vx: float, vy: float, left: float, side: float) -> tuple[float, float]:
    """How far the stone at (x, y) runs when one thrown at (vx, vy) touches it `left` seconds before it would stop.

    The impact is dealt with at the next step of the reference, as in `curling.engines.events`.
    """
    start = tau_of_speed(law, sqrt(vx * vx + vy * vy))
    time = start - EARLY[law] - left
    late = ceil(time / TIME_STEP) * TIME_STEP - time
    px, py, dx, dy = _departure(law, side, start)
    qx, qy, _, _ = motion_at(law, side, left - late)
    _, _, wx, wy = motion_at(law, side, left - late - 0.5 * TIME_STEP)
    qx, qy, wy = -qx - px, qy - py, -wy
    if side < 0.0:
        qy, dy, wy = -qy, -dy, -wy
    scale = 1.0 / (dx * dx + dy * dy)
    cos, sin = (vx * dx + vy * dy) * scale, (vy * dx - vx * dy) * scale
    nx, ny = x - cos * qx + sin * qy, y - sin * qx - cos * qy
    wx, wy = cos * wx - sin * wy, sin * wx + cos * wy
    distance = sqrt(nx * nx + ny * ny)
    nx, ny, arm = nx / distance, ny / distance, 0.5 * distance / STONE_RADIUS
    spin = side * max(LAUNCH_SPIN[law] - spin_lost(law, start) + spin_lost(law, left - late - 0.5 * TIME_STEP), 0.0)
    normal, tangential = impulses(law, wx * nx + wy * ny, wy * nx - wx * ny + 0.5 * distance * spin, arm)
    wx, wy = normal * nx - tangential * ny, normal * ny + tangential * nx
    runs_x, runs_y = _run(law, wx, wy, -2.0 * arm * tangential / STONE_RADIUS)
    return runs_x + 0.5 * TIME_STEP * wx, runs_y + 0.5 * TIME_STEP * wy


@kernel(AIM(int64, float64, float64, float64, float64, float64))
def promote(law: int, x: float, y: float, to_x: float, to_y: float, side: float) -> tuple[float, float]:
    """Raises the stone at (x, y) so that it stops at (to_x, to_y).

    The struck stone leaves nearly along the line of centres with nearly the speed along it: what it then misses by in
    range and bearing corrects that speed and that line.
    """
    want_x, want_y = to_x - x, to_y - y
    want = sqrt(want_x * want_x + want_y * want_y)
    push = _speed_of_range(law, want)
    turn = atan2(want_y, want_x) - atan2(y, x)  # of the line of centres from the heading, to the left
    best, aim_x, aim_y = LOOSE, nan, nan
    for _ in range(RAISE_STEPS):
        speed = push / cos(turn)
        if not (abs(turn) < THINNEST and 0.0 < speed < CAP[law]):
            break
        left = tau_of_speed(law, speed)
        vx, vy = _arrive(law, x, y, left, DIAMETER * cos(turn), -DIAMETER * sin(turn), side)
        run_x, run_y = _raised(law, x, y, vx, vy, left, side)
        miss = sqrt((run_x - want_x) ** 2 + (run_y - want_y) ** 2)
        if miss < best:
            best, aim_x, aim_y = miss, vx, vy
        if not miss > CLOSE:
            break
        push += _speed_of_range(law, want) - _speed_of_range(law, sqrt(run_x * run_x + run_y * run_y))
        turn += atan2(run_x * want_y - run_y * want_x, run_x * want_x + run_y * want_y)
    return aim_x, aim_y
