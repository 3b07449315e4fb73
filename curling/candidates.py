"""The shots that a player would think of in a position: draws, guards, freezes, take-outs, peels, raises; compiled.

Every candidate has a key made of its kind, the rank of its target and the side of its spin, so that the same idea has
the same key in every position. Draws and hits whose path is blocked for both spins are left out.
"""

from math import hypot, isfinite

import numpy as np
from numpy.typing import NDArray

from curling.board import DIAMETER, IN_HOUSE, TEE, TEE_SPEED, is_guard, nearest, open_draw, open_hit, to_tee
from curling.sheet import STONES, TEAM_STONES
from curling.shots import launched
from planners.base import Array
from planners.jit import MATRIX, VECTOR, float64, helper, int64, kernel, uint64
from planners.zobrist import combine, mix

MOST = 24
ROOM = 0.05  # m, by which paths pass other stones: most noisy throws then do
CONTROL, NORMAL, PEEL = 1.12, 1.28, 1.5  # speeds of the release over that of a draw to the tee
ROLL = 0.12  # m off centre: the stone rolls a metre or so
GUARD, LONG_GUARD = 2.7, 4.2  # m in front of the tee
CORNER = 1.3  # m from the centre line
WING = 0.9  # m
LAST_SHOT = STONES - 1

(TEE_DRAW, FRONT_DRAW, WING_DRAW, AROUND, FREEZE, FREE_GUARD, CORNER_GUARD, COVER, NOSE, SOFT_NOSE, ROLL_LEFT, ROLL_RIGHT, DOUBLE,
 RUN_BACK, PEEL_GUARD, THROW_AWAY) = range(1, 17)


@helper
def _keep(aims: Array, keys: NDArray[np.uint64], n: int, kind: int, rank: int) -> int:
    """Name the aim that was written to row n; the number of aims."""
    spin = 1 if aims[n, 2] > 0.0 else 0
    keys[n] = combine(mix(np.uint64(kind)), np.uint64(2 * rank + spin))
    return n + 1


@kernel(int64(int64, MATRIX, VECTOR, MATRIX, uint64[::1], int64, int64, int64, float64, float64, float64))
def _draw(law: int, stones: Array, path: Array, aims: Array, keys: NDArray[np.uint64], n: int, kind: int, rank: int,
          x: float, y: float, side: float) -> int:
    """Add a draw to (x, y) unless it is blocked; the number of aims."""
    if n < MOST and open_draw(law, stones, path, aims[n], x, y, side, ROOM):
        return _keep(aims, keys, n, kind, rank)
    return n


@kernel(int64(int64, MATRIX, VECTOR, MATRIX, uint64[::1], int64, int64, int64, int64, float64, float64))
def _hit(law: int, stones: Array, path: Array, aims: Array, keys: NDArray[np.uint64], n: int, kind: int, rank: int,
         target: int, offset: float, weight: float) -> int:
    """Add a hit on a stone unless it is blocked; the number of aims."""
    if n < MOST and abs(offset) < DIAMETER and open_hit(
            law, stones, path, aims[n], target, offset, weight * TEE_SPEED[law], 1.0, ROOM):
        return _keep(aims, keys, n, kind, rank)
    return n


@helper
def _take_outs(law: int, stones: Array, team: int, path: Array, aims: Array, keys: NDArray[np.uint64], n: int) -> int:
    """Add hits on the opponent's three best stones in the house, on two at once, and through what is in the way."""
    beyond = -1.0
    for rank in range(3):
        target = nearest(law, stones, 1 - team, beyond)
        if target < 0:
            break
        beyond = to_tee(law, stones, target)
        before = n
        n = _hit(law, stones, path, aims, keys, n, NOSE, rank, target, 0.0, NORMAL)
        if n > before and rank < 2:
            n = _hit(law, stones, path, aims, keys, n, ROLL_LEFT, rank, target, -ROLL, CONTROL)
            n = _hit(law, stones, path, aims, keys, n, ROLL_RIGHT, rank, target, ROLL, CONTROL)
            if rank == 0:
                n = _hit(law, stones, path, aims, keys, n, SOFT_NOSE, rank, target, 0.0, CONTROL)
        n = _two_stones(law, stones, team, path, aims, keys, n, rank, target, n > before)
    return n


@helper
def _two_stones(law: int, stones: Array, team: int, path: Array, aims: Array, keys: NDArray[np.uint64], n: int, rank: int,
                target: int, can_hit: bool) -> int:
    """Add a hit that goes on from a target to another opponent's stone, or onto a target from a stone in front of it."""
    x, y = stones[target, 0], stones[target, 1]
    for i in range(STONES):
        if i == target or not isfinite(stones[i, 0]):
            continue
        dx, dy = stones[i, 0] - x, stones[i, 1] - y
        apart = hypot(dx, dy)
        if can_hit and i // TEAM_STONES != team and to_tee(law, stones, i) < IN_HOUSE[law] and 0.2 < dy / apart < 0.95:
            offset = np.sign(dx) * DIAMETER * dy / apart
            before = n
            n = _hit(law, stones, path, aims, keys, n, DOUBLE, rank, target, offset, NORMAL)
            if n > before:
                break
        if not can_hit and -4.0 < dy < -0.4 and abs(dx) < 0.5 * abs(dy):
            before = n
            n = _hit(law, stones, path, aims, keys, n, RUN_BACK, rank, i, DIAMETER * dx / apart, PEEL)
            if n > before:
                break
    return n


@kernel(int64(int64, MATRIX, int64, int64, int64, VECTOR, MATRIX, uint64[::1]))
def candidates(law: int, stones: Array, shot: int, team: int, free_guard: int, path: Array, aims: Array,
               keys: NDArray[np.uint64]) -> int:
    """Write the candidates of a position; how many, from 1 to MOST.

    Args:
        law: 0 or 1.
        stones: [16, 2], NaN where absent.
        shot: number of the shot in its end, 0..15.
        team: that throws.
        free_guard: shots under the free guard zone rule.
        path: scratch, one row of the analytic engine's workspace.
        aims: receives velocities, m/s, and sides of the spin, [MOST, 3].
        keys: receives the keys, [MOST].
    """
    tee = TEE[law]
    mine, theirs = nearest(law, stones, team, -1.0), nearest(law, stones, 1 - team, -1.0)
    n = _take_outs(law, stones, team, path, aims, keys, 0)
    for side in (1.0, -1.0):
        before = n
        n = _draw(law, stones, path, aims, keys, n, TEE_DRAW, 0, 0.0, tee, side)
        if n > before and aims[before, 2] != side:
            n = before
    if theirs >= 0:
        n = _draw(law, stones, path, aims, keys, n, FREEZE, 0, stones[theirs, 0], stones[theirs, 1] - DIAMETER - 0.05, 1.0)
    guards = 0
    for i in range(STONES):
        if is_guard(law, stones, i) and abs(stones[i, 0]) < 1.6:
            if guards < 2 and shot < LAST_SHOT:
                n = _draw(law, stones, path, aims, keys, n, AROUND, guards, 0.8 * stones[i, 0], tee - 0.2, 1.0)
            if i // TEAM_STONES != team and shot >= free_guard and guards < 3:
                n = _hit(law, stones, path, aims, keys, n, PEEL_GUARD, guards, i, 0.0, PEEL)
            guards += 1
    if shot < LAST_SHOT:
        if mine >= 0:
            n = _draw(law, stones, path, aims, keys, n, COVER, 0, stones[mine, 0], tee - GUARD, 1.0)
            n = _draw(law, stones, path, aims, keys, n, COVER, 1, stones[mine, 0], tee - LONG_GUARD, 1.0)
        n = _draw(law, stones, path, aims, keys, n, FREE_GUARD, 0, 0.0, tee - GUARD, 1.0)
        if shot < free_guard:
            n = _draw(law, stones, path, aims, keys, n, CORNER_GUARD, 0, -CORNER, tee - GUARD, 1.0)
            n = _draw(law, stones, path, aims, keys, n, CORNER_GUARD, 1, CORNER, tee - GUARD, -1.0)
    n = _draw(law, stones, path, aims, keys, n, FRONT_DRAW, 0, 0.0, tee - WING, 1.0)
    n = _draw(law, stones, path, aims, keys, n, WING_DRAW, 0, -WING, tee, 1.0)
    n = _draw(law, stones, path, aims, keys, n, WING_DRAW, 1, WING, tee, -1.0)
    if n == 0 or (shot == LAST_SHOT and mine < 0 and n < MOST):
        aims[n, 0], aims[n, 1] = launched(law, 2.0, tee, PEEL * TEE_SPEED[law], 1.0)
        aims[n, 2] = 1.0
        n = _keep(aims, keys, n, THROW_AWAY, 0)
    return n
