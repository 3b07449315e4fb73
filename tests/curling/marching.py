"""The oracle of the analytic engine: the reference's own steps of 1 ms, written down plainly, in float64.

No tables, no events: every step slows and turns each moving stone, lets overlapping stones push each other, and moves.
"""

from math import atan2, cos, nan, sin, sqrt

import numpy as np

from curling.physics import (DC2, DC2_DECELERATION, DC2_TURN, FCV1, FCV1_DRAG, FCV1_SPIN_LOSS,
                             FCV1_STOP_SPEED, FCV1_TURN)
from planners.jit import helper, kernel

STEP = 0.001
RADIUS = 0.145
ITERATIONS = 8
SIDE = 2.375 - RADIUS
BACK = np.array([FCV1.sheet.back_line + RADIUS, DC2.sheet.back_line + RADIUS])
HOG = np.array([FCV1.sheet.hog_line + RADIUS, DC2.sheet.hog_line + RADIUS])
A, B, C = FCV1_DRAG
K, P = FCV1_TURN


@helper
def slow(law, vx, vy, w, step):
    """Velocity and spin after `step` seconds of ice; at rest below the stop speed."""
    v = sqrt(vx * vx + vy * vy)
    if v == 0.0:
        return 0.0, 0.0, w
    side = 1.0 if w > 0.0 else (-1.0 if w < 0.0 else 0.0)
    if law == 0:
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
def push(law, p, v, w, alive):
    """Sequential impulses on all overlapping pairs, each to bounce as fast as it closed at first."""
    pairs = np.empty((120, 2), np.int64)
    normals, wanted, along, rim, arms = np.empty((120, 2)), np.empty(120), np.zeros(120), np.zeros(120), np.empty(120)
    n = 0
    for j in range(16):
        for i in range(j):
            d = p[j] - p[i]
            distance = sqrt(d[0] * d[0] + d[1] * d[1])
            if alive[i] and alive[j] and 0.0 < distance <= 2.0 * RADIUS:
                pairs[n, 0], pairs[n, 1] = i, j
                normals[n] = d / distance
                arms[n] = 0.5 * distance
                closing = (v[i, 0] - v[j, 0]) * normals[n, 0] + (v[i, 1] - v[j, 1]) * normals[n, 1]
                wanted[n] = closing if closing > (0.0 if law == 0 else 1.0) else 0.0
                n += 1
    for _ in range(ITERATIONS):
        for k in range(n):
            i, j, nx, ny = pairs[k, 0], pairs[k, 1], normals[k, 0], normals[k, 1]
            slip = (v[i, 1] - v[j, 1]) * nx - (v[i, 0] - v[j, 0]) * ny + arms[k] * (w[i] + w[j])
            most = (0.2 if law == 0 else 12.009216) * along[k]
            total = min(max(rim[k] + slip / (2.0 + 4.0 * (arms[k] / RADIUS) ** 2), -most), most)
            change, rim[k] = total - rim[k], total
            for a, sign in ((i, 1.0), (j, -1.0)):
                v[a, 0] += sign * change * ny
                v[a, 1] -= sign * change * nx
                w[a] -= 2.0 * change * arms[k] / RADIUS**2
            total = max(along[k] + 0.5 * ((v[i, 0] - v[j, 0]) * nx + (v[i, 1] - v[j, 1]) * ny + wanted[k]), 0.0)
            change, along[k] = total - along[k], total
            for a, sign in ((i, 1.0), (j, -1.0)):
                v[a, 0] -= sign * change * nx
                v[a, 1] -= sign * change * ny


@kernel("void(f8[:, ::1], i8, f8, f8, f8, i8)")
def march(stones, index, vx, vy, spin, law):
    """Like `curling.engines.analytic.shoot`, in place, for sensible arguments."""
    p, v, w = stones.copy(), np.zeros((16, 2)), np.zeros(16)
    p[index] = 0.0
    v[index, 0], v[index, 1], w[index] = vx, vy, spin
    alive = ~np.isnan(p[:, 0])
    if law == 1:
        v[index, 0], v[index, 1], w[index] = slow(law, vx, vy, spin, 0.5 * STEP)
    going = True
    while going:
        if law == 0:
            for i in range(16):
                v[i, 0], v[i, 1], w[i] = slow(law, v[i, 0], v[i, 1], w[i], STEP)
        overlap = False
        for i in range(16):
            if v[i, 0] != 0.0 or v[i, 1] != 0.0:
                for j in range(16):
                    near = (p[i, 0] - p[j, 0]) ** 2 + (p[i, 1] - p[j, 1]) ** 2 <= 4.0 * RADIUS * RADIUS
                    overlap = overlap or (j != i and alive[j] and near)
        if overlap:
            push(law, p, v, w, alive)
        going = False
        for i in range(16):
            if v[i, 0] != 0.0 or v[i, 1] != 0.0:
                p[i, 0] += v[i, 0] * STEP
                p[i, 1] += v[i, 1] * STEP
                if abs(p[i, 0]) >= SIDE or p[i, 1] >= BACK[law]:
                    alive[i], v[i, 0], v[i, 1] = False, 0.0, 0.0
                elif law == 1:
                    v[i, 0], v[i, 1], w[i] = slow(law, v[i, 0], v[i, 1], w[i], STEP)
                going = True
    for i in range(16):
        stones[i] = p[i]
        if not alive[i] or (p[i, 1] <= HOG[law] and (law == 0 or i == index)):
            stones[i] = nan
