"""The oracle of the analytic engine: the reference's steps of 1 ms in plain float64, without tables or events.

Every step slows and turns each moving stone, applies the impulses of overlapping stones, and moves all stones.
"""

from math import atan2, cos, inf, nan, sin, sqrt

import numpy as np

from bonspiel.curling.ice.physics import (
    DC2,
    DC2_DECELERATION,
    DC2_TURN,
    FCV1,
    FCV1_DRAG,
    FCV1_SPIN_LOSS,
    FCV1_STOP_SPEED,
    FCV1_TURN,
)
from bonspiel.planners.jit import helper, kernel

STEP = 0.001
RADIUS = 0.145
ITERATIONS = 8
# by law: fcv1, dc2, dc4
SIDE = np.array([2.23, 2.23, 2.085])
BACK = np.array([FCV1.sheet.back_line + RADIUS, DC2.sheet.back_line + RADIUS, inf])
BACK_AT_REST = np.array([inf, inf, 40.234])
HOG = np.array([FCV1.sheet.hog_line + RADIUS, DC2.sheet.hog_line + RADIUS, 32.004])
A, B, C = FCV1_DRAG
K, P = FCV1_TURN


@helper
def slow(law, vx, vy, w, step):
    """Velocity and spin after `step` seconds of friction; 0 below the stop speed."""
    if vx == 0.0 and vy == 0.0:
        return 0.0, 0.0, w
    v = sqrt(vx * vx + vy * vy)
    side = 1.0 if w > 0.0 else (-1.0 if w < 0.0 else 0.0)
    if law != 1:
        slower = v - (A / (v + B) + C) * step
        turn = K * v**P * step
        spin = side * max(abs(w) - FCV1_SPIN_LOSS / max(v, 0.001) * step, 0.0)
        stop = FCV1_STOP_SPEED
    else:
        slower = v - DC2_DECELERATION * step
        turn = atan2(DC2_TURN * step, slower)
        spin = w
        stop = 0.0
    if slower <= stop:
        return 0.0, 0.0, 0.0
    c, s = cos(side * turn) * slower / v, sin(side * turn) * slower / v
    return c * vx - s * vy, s * vx + c * vy, spin


@helper
def push(law, p, v, w, pairs):
    """Sequential impulses on all overlapping pairs, each bouncing with its initial closing speed."""
    n = 0
    for j in range(16):
        for i in range(j):
            dx, dy = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1]
            distance = sqrt(dx * dx + dy * dy)
            if 0.0 < distance <= 2.0 * RADIUS:
                nx, ny = dx / distance, dy / distance
                closing = (v[i, 0] - v[j, 0]) * nx + (v[i, 1] - v[j, 1]) * ny
                bounce = closing if closing > (0.0 if law != 1 else 1.0) else 0.0
                for k, value in enumerate((float(i), float(j), nx, ny, 0.5 * distance, bounce, 0.0, 0.0)):
                    pairs[n, k] = value
                n += 1
    for _ in range(ITERATIONS):
        for k in range(n):
            i, j, nx, ny, arm = int(pairs[k, 0]), int(pairs[k, 1]), pairs[k, 2], pairs[k, 3], pairs[k, 4]
            bounce, along, rim = pairs[k, 5], pairs[k, 6], pairs[k, 7]
            slip = (v[i, 1] - v[j, 1]) * nx - (v[i, 0] - v[j, 0]) * ny + arm * (w[i] + w[j])
            most = (0.2 if law != 1 else 12.009216) * along
            pairs[k, 7] = min(max(rim + slip / (2.0 + 4.0 * (arm / RADIUS) ** 2), -most), most)
            for a, sign in ((i, 1.0), (j, -1.0)):
                v[a, 0] += sign * (pairs[k, 7] - rim) * ny
                v[a, 1] -= sign * (pairs[k, 7] - rim) * nx
                w[a] -= 2.0 * (pairs[k, 7] - rim) * arm / RADIUS**2
            closing = (v[i, 0] - v[j, 0]) * nx + (v[i, 1] - v[j, 1]) * ny
            pairs[k, 6] = max(along + 0.5 * (closing + bounce), 0.0)
            for a, sign in ((i, 1.0), (j, -1.0)):
                v[a, 0] -= sign * (pairs[k, 6] - along) * nx
                v[a, 1] -= sign * (pairs[k, 6] - along) * ny


@helper
def find_moving(v, moving):
    """The indices of the stones that move, and how many; only they need a look in steps without impacts."""
    n = 0
    for i in range(16):
        if v[i, 0] != 0.0 or v[i, 1] != 0.0:
            moving[n] = i
            n += 1
    return n


@kernel("void(f8[:, ::1], i8, f8, f8, f8, i8, f8[:, ::1], f8[::1], f8[:, ::1], i8[::1])")
def _march(p, index, vx, vy, spin, law, v, w, pairs, moving):
    p[index, 0], p[index, 1], v[index, 0], v[index, 1], w[index] = 0.0, 0.0, vx, vy, spin
    if law == 1:
        v[index, 0], v[index, 1], w[index] = slow(law, vx, vy, spin, 0.5 * STEP)
    n = find_moving(v, moving)
    while n > 0:
        if law != 1:
            for i in moving[:n]:
                v[i, 0], v[i, 1], w[i] = slow(law, v[i, 0], v[i, 1], w[i], STEP)
        overlap = False
        for i in moving[:n]:
            if v[i, 0] != 0.0 or v[i, 1] != 0.0:
                for j in range(16):
                    near = (p[i, 0] - p[j, 0]) ** 2 + (p[i, 1] - p[j, 1]) ** 2 <= 4.0 * RADIUS * RADIUS
                    overlap |= j != i and near
        if overlap:
            push(law, p, v, w, pairs)
            n = find_moving(v, moving)
        stopped = False
        for i in moving[:n]:
            if v[i, 0] != 0.0 or v[i, 1] != 0.0:
                p[i, 0] += v[i, 0] * STEP
                p[i, 1] += v[i, 1] * STEP
                if abs(p[i, 0]) >= SIDE[law] or p[i, 1] >= BACK[law]:
                    p[i, 0], p[i, 1], v[i, 0], v[i, 1] = nan, nan, 0.0, 0.0
                elif law == 1:
                    v[i, 0], v[i, 1], w[i] = slow(law, v[i, 0], v[i, 1], w[i], STEP)
            else:
                stopped = True
        if stopped:
            n = find_moving(v, moving)
    for i in range(16):
        if p[i, 1] > BACK_AT_REST[law] or (p[i, 1] <= HOG[law] and (law != 1 or i == index)):
            p[i, 0], p[i, 1] = nan, nan


def march(stones, index, velocity, spin, law):
    """The stones after a shot; law 0 is fcv1, 1 is dc2, 2 is dc4."""
    after = stones.copy()
    v, w, pairs, moving = np.zeros((16, 2)), np.zeros(16), np.empty((120, 8)), np.empty(16, np.int64)
    _march(after, index, *velocity, spin, law, v, w, pairs, moving)
    return after
