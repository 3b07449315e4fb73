"""Times at which a moving stone touches another or crosses a line, from the inverse tables; compiled."""

from math import inf, sqrt

import numpy as np

from bonspiel.curling.ice.engines.board import (
    ACROSS,
    ALONG,
    ANCHOR_X,
    ANCHOR_Y,
    COS,
    END_TAU,
    RESTING,
    SIDE_OF_SPIN,
    SIN,
    STATE,
    STOP_TIME,
    X,
    Y,
    row_count,
)
from bonspiel.curling.ice.engines.curve import curve_of, graph_at, motion_at, motion_from, tau_of_sine
from bonspiel.curling.ice.engines.curve_tables import INVERSE_CELLS, PER_SINE
from bonspiel.curling.ice.engines.rates import RATES
from bonspiel.curling.ice.physics import LAWS
from bonspiel.curling.ice.sheet import DIAMETER, STONES
from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array

NEAR = STONES + 1  # rows of a board, below that in which moving stones are listed
NEVER = -1.0  # as a time-to-stop: no event
NEWTON_STEPS = 30  # usually one or two suffice; the others bisect
ROUGH = 1e-7  # relative length of the last Newton step: the error of the next would be its square
ROUGH_CROSSING = 1e-5  # the same for a line: nothing but the order of events depends on the time
MARCH_STEPS = 1000
CLOSE = 1e-9  # m, largest gap of touching stones
SHORTEST_STEP = 1e-7  # s

# m, largest distance of a stone in contact from the curve, across the final heading
REACH = 1.05 * DIAMETER / np.sqrt(1.0 - (INVERSE_CELLS / PER_SINE) ** 2)
# m/s^2, largest growth of the closing speed of two stones: friction is strongest at the stop, turning adds a little
CLOSING = np.array([2.1 * float(RATES[law.name](np.array([1e-6]))[0][0]) for law in LAWS])


@helper
def place_on_curve(stone: Array, x: float, y: float) -> tuple[float, float]:
    """Turn a place (x, y) on the sheet into the frame of the curve of a moving stone."""
    side, cos, sin = stone[SIDE_OF_SPIN], stone[COS], stone[SIN]
    dx, dy = x - stone[ANCHOR_X], y - stone[ANCHOR_Y]
    return cos * dx + sin * dy, (side if side != 0.0 else 1.0) * (cos * dy - sin * dx)


@helper
def is_near(stone: Array, x: float, y: float) -> bool:
    """Return whether a place in the frame of the curve is within a diameter of the box around a path."""
    return bool(max(max(x, -x - stone[ALONG]), max(-y, y - stone[ACROSS])) < DIAMETER)


@helper
def list_near(board: Array, i: int) -> int:
    """List the resting stones near the path of moving stone i, rising; their number.

    The rows from NEAR on receive their rows and their places (x, y) in the frame of the curve.
    """
    n = 0
    for j in range(row_count(board)):
        x, y = place_on_curve(board[i], board[j, X], board[j, Y])
        board[NEAR, n], board[NEAR + 1, n], board[NEAR + 2, n] = j, x, y
        n += (board[j, STATE] == RESTING) & is_near(board[i], x, y)  # without a branch, as in `_release`
    return n


@helper
def contact_with_resting(law: int, stone: Array, time: float, x: float, y: float) -> float:
    """Time-to-stop at which a moving stone touches a resting one on the current piece of its path, or NEVER.

    The resting stone is at (x, y) in the frame of the curve. The inverse table gives its foot on the curve, the
    triangle of miss and diameter the contact; Newton steps on the squared distance make it exact.
    """
    curve = curve_of(law, stone[SIDE_OF_SPIN])
    tau, height = graph_at(curve, -x)
    if abs(y - height) > REACH[law]:
        return NEVER

    start, end = stone[STOP_TIME] - time, stone[END_TAU]
    px, py, vx, vy = motion_at(curve, tau)
    ex, ey = x + px, y - py  # from the stone to the target; the stone's velocity is (vx, -vy)
    v2 = vx * vx + vy * vy
    lowest = tau
    if not (end < tau <= start and ex * ex + ey * ey < DIAMETER * DIAMETER):
        if v2 > 0.0:  # from the foot across the final heading to the foot across the current one
            tau, _ = graph_at(curve, px - vx * (ex * vx - ey * vy) / v2)
        if tau > start:
            return NEVER
        lowest = max(tau, end)
        px, py, vx, vy = motion_at(curve, lowest)
        ex, ey = x + px, y - py
        v2 = vx * vx + vy * vy
    if tau > end:
        miss2 = (ex * vy + ey * vx) ** 2 / v2
        if miss2 >= DIAMETER * DIAMETER:
            return NEVER
        ahead = (ex * vx - ey * vy) / v2
        tau, _ = graph_at(curve, px - vx * (ahead - sqrt((DIAMETER * DIAMETER - miss2) / v2)))
    else:
        if ex * ex + ey * ey >= DIAMETER * DIAMETER:
            return NEVER
        tau, _ = graph_at(curve, sqrt(max(DIAMETER * DIAMETER - ey * ey, 0.0)) - x)

    if tau >= start:
        px, py, vx, vy = motion_at(curve, start)
        ex, ey = x + px, y - py
        if ex * ex + ey * ey <= DIAMETER * DIAMETER:
            return start if ex * vx - ey * vy > 0.0 else NEVER
    highest = start
    for _ in range(NEWTON_STEPS):
        if not lowest <= tau <= highest:
            tau = 0.5 * (lowest + highest)
        px, py, vx, vy = motion_at(curve, tau)
        ex, ey = x + px, y - py
        overlap = DIAMETER * DIAMETER - ex * ex - ey * ey
        if overlap >= 0.0:
            lowest = tau
        else:
            highest = tau
        rate = 2.0 * (ex * vx - ey * vy)
        step = overlap / rate if rate > 0.0 else inf
        tau += step
        if abs(step) <= ROUGH * start:
            break
    return min(max(tau, lowest), highest)


@helper
def corner(stone: Array, vx: float, vy: float) -> tuple[float, float]:
    """Intersection of the tangents at the start of a path, with this velocity, and at its stop.

    A path turns to one side only, so it lies in the triangle of its start, its stop and this point.
    """
    cos, sin = stone[COS], stone[SIN]
    forwards, aside = cos * vx + sin * vy, abs(cos * vy - sin * vx)
    ahead = stone[ALONG] - stone[ACROSS] * forwards / aside if aside > 0.0 else 0.0
    return stone[ANCHOR_X] - ahead * cos, stone[ANCHOR_Y] - ahead * sin


@helper
def line_crossing(
    law: int, stone: Array, time: float, corner_x: float, corner_y: float, nx: float, ny: float, limit: float
) -> float:
    """Time-to-stop at which a stone crosses the line n . p = limit outwards, or NEVER; n is a unit vector.

    Between its ends a path is farthest out where it is parallel to the line; its `corner` is farther out than that.
    """
    first = nx * stone[X] + ny * stone[Y] - limit
    rest = limit - nx * stone[ANCHOR_X] - ny * stone[ANCHOR_Y]
    if max(max(first, -rest), nx * corner_x + ny * corner_y - limit) < 0.0:
        return NEVER
    side, start, end = stone[SIDE_OF_SPIN], stone[STOP_TIME] - time, stone[END_TAU]
    curve = curve_of(law, side)
    # in the frame of the curve the stone is beyond the line by across * Y - ahead * X - rest
    ahead, across = nx * stone[COS] + ny * stone[SIN], ny * stone[COS] - nx * stone[SIN]
    if side != 0.0:
        across *= side
    x0, _, dx0, dy0 = motion_at(curve, start)
    outwards = ahead * dx0 - across * dy0
    if first >= 0.0:
        return start if outwards > 0.0 else NEVER
    last, x1, back = -rest, 0.0, -ahead
    if end > 0.0:
        x1, y1, dx1, dy1 = motion_at(curve, end)
        last, back = across * y1 - ahead * x1 - rest, across * dy1 - ahead * dx1
    lowest = end
    if last < 0.0:
        if outwards <= 0.0 or back <= 0.0:
            return NEVER
        lowest = tau_of_sine(law, abs(ahead))
        x1, y1, _, _ = motion_at(curve, lowest)
        last = across * y1 - ahead * x1 - rest
        if last < 0.0 or lowest < end or lowest > start:
            return NEVER
    tau, _ = graph_at(curve, x0 + first / (first - last) * (x1 - x0))
    highest = start
    for _ in range(NEWTON_STEPS):
        if not lowest <= tau <= highest:
            tau = 0.5 * (lowest + highest)
        x1, y1, dx1, dy1 = motion_at(curve, tau)
        beyond = across * y1 - ahead * x1 - rest
        if beyond >= 0.0:
            lowest = tau
        else:
            highest = tau
        outwards = ahead * dx1 - across * dy1
        step = beyond / outwards if outwards > 0.0 else inf
        tau += step
        if abs(step) <= ROUGH_CROSSING * start:
            break
    return min(max(tau, lowest), highest)


@helper
def contact_of_moving(law: int, one: Array, two: Array, time: float, limit: float) -> float:
    """Time at which two moving stones touch, inf if not before `limit`, until which their pieces of path last.

    Marches in steps h that cannot skip a contact: gap = c h + A h^2 / 2, with c the closing speed along the line of
    centres and A a bound on its growth.
    """
    for _ in range(MARCH_STEPS):
        x1, y1, vx1, vy1 = motion_from(law, one, time)
        x2, y2, vx2, vy2 = motion_from(law, two, time)
        dx, dy = x2 - x1, y2 - y1
        distance = sqrt(dx * dx + dy * dy)
        gap = distance - DIAMETER
        closing = ((vx1 - vx2) * dx + (vy1 - vy2) * dy) / distance if distance > 0.0 else 0.0
        if gap <= CLOSE:
            if closing > 0.0:
                return time
            gap = 0.0
        # both together go at most this far, since a path turns to one side and by less than a right angle
        to_go = abs(one[ANCHOR_X] - x1) + abs(one[ANCHOR_Y] - y1) + abs(two[ANCHOR_X] - x2) + abs(two[ANCHOR_Y] - y2)
        left = limit - time
        if gap > to_go or gap > (closing + 0.5 * CLOSING[law] * left) * left:
            return inf
        root = sqrt(closing * closing + 2.0 * CLOSING[law] * gap)
        step = 2.0 * gap / (closing + root) if closing > 0.0 else (root - closing) / CLOSING[law]
        time += max(step, SHORTEST_STEP)
        if time >= limit:
            return inf
    return inf
