"""Times at which a moving stone touches another or crosses a line, from the inverse tables; compiled."""

from math import inf, sqrt

import numpy as np

from curling.engines.board import ACROSS, ALONG, ANCHOR_X, ANCHOR_Y, COS, END_TAU, SIDE_OF_SPIN, SIN, STOP_TIME, X, Y
from curling.engines.curve import graph_at, motion, motion_at, tau_of_sine
from curling.engines.curve_tables import INVERSE_CELLS, PER_SINE
from curling.engines.rates import RATES
from curling.physics import LAWS
from curling.sheet import DIAMETER
from planners.base import Array
from planners.jit import helper

NEVER = -1.0  # as a time-to-stop: no event
NEWTON_STEPS = 30  # usually one or two suffice; the others bisect
ROUGH = 1e-7  # relative length of the last Newton step: the error of the next would be its square
MARCH_STEPS = 1000
CLOSE = 1e-9  # m, largest gap of touching stones
SHORTEST_STEP = 1e-7  # s

# m, largest distance of a stone in contact from the curve, across the final heading
REACH = 1.05 * DIAMETER / np.sqrt(1.0 - (INVERSE_CELLS / PER_SINE) ** 2)
# m/s^2, largest growth of the closing speed of two stones: friction is strongest at the stop, turning adds a little
CLOSING = np.array([2.1 * float(RATES[law.name](np.array([1e-6]))[0][0]) for law in LAWS])


@helper
def contact_with_resting(law: int, stone: Array, time: float, target_x: float, target_y: float) -> float:
    """Time-to-stop at which a moving stone touches a resting one on the current piece of its path, or NEVER.

    The inverse table gives the foot of the target on the curve, the triangle of miss and diameter the contact; Newton
    steps on the squared distance make it exact.
    """
    side = stone[SIDE_OF_SPIN]
    dx, dy = target_x - stone[ANCHOR_X], target_y - stone[ANCHOR_Y]
    x, y = stone[COS] * dx + stone[SIN] * dy, stone[COS] * dy - stone[SIN] * dx
    y *= side if side != 0.0 else 1.0
    if max(max(x, -x - stone[ALONG]), max(-y, y - stone[ACROSS])) >= DIAMETER:
        return NEVER
    tau, height = graph_at(law, side, -x)
    if abs(y - height) > REACH[law]:
        return NEVER

    start, end = stone[STOP_TIME] - time, stone[END_TAU]
    px, py, vx, vy = motion_at(law, side, tau)
    ex, ey = x + px, y - py  # from the stone to the target; the stone's velocity is (vx, -vy)
    v2 = vx * vx + vy * vy
    if v2 > 0.0:  # from the foot across the final heading to the foot across the current one
        tau, _ = graph_at(law, side, px - vx * (ex * vx - ey * vy) / v2)
    if tau > start:
        return NEVER
    lowest = max(tau, end)
    px, py, vx, vy = motion_at(law, side, lowest)
    ex, ey = x + px, y - py
    v2 = vx * vx + vy * vy
    if tau > end:
        miss2 = (ex * vy + ey * vx) ** 2 / v2
        if miss2 >= DIAMETER * DIAMETER:
            return NEVER
        ahead = (ex * vx - ey * vy) / v2
        tau, _ = graph_at(law, side, px - vx * (ahead - sqrt((DIAMETER * DIAMETER - miss2) / v2)))
    else:
        if ex * ex + ey * ey >= DIAMETER * DIAMETER:
            return NEVER
        tau, _ = graph_at(law, side, sqrt(max(DIAMETER * DIAMETER - ey * ey, 0.0)) - x)

    if tau >= start:
        px, py, vx, vy = motion_at(law, side, start)
        ex, ey = x + px, y - py
        if ex * ex + ey * ey <= DIAMETER * DIAMETER:
            return start if ex * vx - ey * vy > 0.0 else NEVER
    highest = start
    for _ in range(NEWTON_STEPS):
        if not lowest <= tau <= highest:
            tau = 0.5 * (lowest + highest)
        px, py, vx, vy = motion_at(law, side, tau)
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
def line_crossing(law: int, stone: Array, time: float, nx: float, ny: float, limit: float) -> float:
    """Time-to-stop at which a stone crosses the line n . p = limit outwards, or NEVER; n is a unit vector.

    A path turns to one side only: between its ends it is farthest out where it is parallel to the line.
    """
    first = nx * stone[X] + ny * stone[Y] - limit
    if first < -stone[ALONG] - stone[ACROSS]:
        return NEVER
    side, start, end = stone[SIDE_OF_SPIN], stone[STOP_TIME] - time, stone[END_TAU]
    # in the frame of the curve the stone is beyond the line by across * Y - ahead * X - rest
    ahead, across = nx * stone[COS] + ny * stone[SIN], ny * stone[COS] - nx * stone[SIN]
    if side != 0.0:
        across *= side
    rest = limit - nx * stone[ANCHOR_X] - ny * stone[ANCHOR_Y]
    x0, y0, dx0, dy0 = motion_at(law, side, start)
    outwards = ahead * dx0 - across * dy0
    if first >= 0.0:
        return start if outwards > 0.0 else NEVER
    last, x1, back, speed = -rest, 0.0, -ahead, 1.0
    if end > 0.0:
        x1, y1, dx1, dy1 = motion_at(law, side, end)
        last, back, speed = across * y1 - ahead * x1 - rest, across * dy1 - ahead * dx1, sqrt(dx1 * dx1 + dy1 * dy1)
    lowest = end
    if last < 0.0:
        if outwards <= 0.0 or back <= 0.0:
            return NEVER
        rise, fall, length = outwards / sqrt(dx0 * dx0 + dy0 * dy0), back / speed, x0 - x1 + y0
        if fall * first + rise * last + rise * fall * length < 0.0:  # the tangents at both ends meet before the line
            return NEVER
        lowest = tau_of_sine(law, abs(ahead))
        x1, y1, _, _ = motion_at(law, side, lowest)
        last = across * y1 - ahead * x1 - rest
        if last < 0.0 or lowest < end or lowest > start:
            return NEVER
    tau, _ = graph_at(law, side, x0 + first / (first - last) * (x1 - x0))
    highest = start
    for _ in range(NEWTON_STEPS):
        if not lowest <= tau <= highest:
            tau = 0.5 * (lowest + highest)
        x1, y1, dx1, dy1 = motion_at(law, side, tau)
        beyond = across * y1 - ahead * x1 - rest
        if beyond >= 0.0:
            lowest = tau
        else:
            highest = tau
        outwards = ahead * dx1 - across * dy1
        step = beyond / outwards if outwards > 0.0 else inf
        tau += step
        if abs(step) <= ROUGH * start:
            break
    return min(max(tau, lowest), highest)


@helper
def contact_of_moving(law: int, one: Array, two: Array, time: float, limit: float) -> float:
    """Time at which two moving stones touch, inf if not before `limit`, until which their pieces of path last.

    Marches in steps h that cannot skip a contact: gap = c h + A h^2 / 2, with c the closing speed along the line of
    centres and A a bound on its growth.
    """
    for _ in range(MARCH_STEPS):
        x1, y1, vx1, vy1 = motion(law, one, time)
        x2, y2, vx2, vy2 = motion(law, two, time)
        dx, dy = x2 - x1, y2 - y1
        distance = sqrt(dx * dx + dy * dy)
        gap = distance - DIAMETER
        closing = ((vx1 - vx2) * dx + (vy1 - vy2) * dy) / distance if distance > 0.0 else 0.0
        if gap <= CLOSE:
            if closing > 0.0:
                return time
            gap = 0.0
        left = limit - time
        if gap > (closing + 0.5 * CLOSING[law] * left) * left:
            return inf
        root = sqrt(closing * closing + 2.0 * CLOSING[law] * gap)
        step = 2.0 * gap / (closing + root) if closing > 0.0 else (root - closing) / CLOSING[law]
        time += max(step, SHORTEST_STEP)
        if time >= limit:
            return inf
    return inf
