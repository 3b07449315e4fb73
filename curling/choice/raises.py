"""Raises: the throw that makes a stone on the ice stop at a given place, solved with the engine's impact; compiled.

Signs, units and laws are those of `curling.ice.shots`. The engine processes a contact at its next step of 1 ms, so the
path of the struck stone is a discontinuous function of the aim: places within a jump cannot be reached exactly, and the
best aim found is returned.
"""

from math import atan2, ceil, cos, nan, sin, sqrt

import numpy as np

from bonspiel.curling.ice.engines.analytic import EARLY
from bonspiel.curling.ice.engines.curve import (
    curve_of,
    lookup_slope,
    motion_at,
    spin_lost,
    tau_of_speed,
    tau_of_spin_lost,
)
from bonspiel.curling.ice.engines.curve_tables import PER_TAU, STOP_SPEED, straight
from bonspiel.curling.ice.engines.impact import impulses
from bonspiel.curling.ice.engines.rates import TIME_STEP
from bonspiel.curling.ice.physics import LAWS
from bonspiel.curling.ice.sheet import DIAMETER, STONE_RADIUS
from bonspiel.curling.ice.shots import AIM, CAP, CLOSE, Aim, aim_by_arrival, arc_at, release_motion, tau_of_arc
from bonspiel.planners.jit import float64, helper, int64, kernel

LAUNCH_SPIN = np.array([law.launch_spin for law in LAWS])
STEPS = 20  # usually four suffice, but each correction may move the contact to another step of the engine
LOOSE = 0.1  # m, largest miss of a raised stone: less than any execution noise
THINNEST = 1.3  # rad, largest angle between the heading and the line of centres


@helper
def _speed_of_range(law: int, distance: float) -> float:
    """Approximate speed of a stone that stops after `distance` metres."""
    return lookup_slope(straight(), law, tau_of_arc(law, distance) * PER_TAU[law]) * PER_TAU[law]


@helper
def _run(law: int, vx: float, vy: float, spin: float) -> tuple[float, float]:
    """Displacement (x, y) of a stone with this velocity and spin until it stops, m."""
    v = sqrt(vx * vx + vy * vy)
    if not v > STOP_SPEED[law]:
        return 0.0, 0.0
    tau = tau_of_speed(law, v)
    side = 1.0 if spin > 0.0 else (-1.0 if spin < 0.0 else 0.0)
    x, y, dx, dy = motion_at(curve_of(law, side), tau)
    lost = spin_lost(law, tau) - abs(spin)
    if lost > 0.0:  # the spin ends before the stop, the rest of the path is straight
        tau = tau_of_spin_lost(law, lost)
        x1, y1, dx1, dy1 = motion_at(curve_of(law, side), tau)
        straight = arc_at(law, tau) / max(sqrt(dx1 * dx1 + dy1 * dy1), STOP_SPEED[law])
        x, y = x - x1 + straight * dx1, y - y1 + straight * dy1
    y, dy = -side * y, -side * dy
    scale = 1.0 / (dx * dx + dy * dy)
    cos, sin = (vx * dx + vy * dy) * scale, (vy * dx - vx * dy) * scale
    return cos * x - sin * y, sin * x + cos * y


@helper
def _raised(law: int, x: float, y: float, vx: float, vy: float, left: float, side: float) -> tuple[float, float]:
    """Displacement of the stone at (x, y) struck by a stone thrown at (vx, vy), `left` seconds before that would stop.

    The impact is processed at the next step of the reference, as in `curling.ice.engines.events`.
    """
    start = tau_of_speed(law, sqrt(vx * vx + vy * vy))
    time = start - EARLY[law] - left
    late = ceil(time / TIME_STEP) * TIME_STEP - time
    px, py, dx, dy = release_motion(law, start)
    qx, qy, _, _ = motion_at(law, left - late)
    _, _, wx, wy = motion_at(law, left - late - 0.5 * TIME_STEP)
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
def promote(law: int, x: float, y: float, to_x: float, to_y: float, side: float) -> Aim:
    """Raises the stone at (x, y) so that it stops at (to_x, to_y).

    The struck stone leaves nearly along the line of centres, with nearly the speed along it. The errors in range and
    bearing of each attempt correct that speed and that line. NaN if no attempt comes within LOOSE.
    """
    want_x, want_y = to_x - x, to_y - y
    want = sqrt(want_x * want_x + want_y * want_y)
    push = _speed_of_range(law, want)
    turn = atan2(want_y, want_x) - atan2(y, x)  # of the line of centres from the heading, to the left
    best, aim_x, aim_y = LOOSE, nan, nan
    for _ in range(STEPS):
        speed = push / cos(turn)
        if not (abs(turn) < THINNEST and 0.0 < speed < CAP[law]):
            break
        left = tau_of_speed(law, speed)
        vx, vy = aim_by_arrival(law, x, y, left, DIAMETER * cos(turn), -DIAMETER * sin(turn), side)
        run_x, run_y = _raised(law, x, y, vx, vy, left, side)
        miss = sqrt((run_x - want_x) ** 2 + (run_y - want_y) ** 2)
        if miss < best:
            best, aim_x, aim_y = miss, vx, vy
        if not miss > CLOSE:
            break
        push += _speed_of_range(law, want) - _speed_of_range(law, sqrt(run_x * run_x + run_y * run_y))
        turn += atan2(run_x * want_y - run_y * want_x, run_x * want_x + run_y * want_y)
    return aim_x, aim_y
