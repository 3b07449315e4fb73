"""Rule-based candidate shots of a position: draws, guards, freezes, take-outs, peels, raises; compiled.

The key of a candidate combines its kind, the rank of its target and its spin, so that a shot has the same key in every
position. Draws and hits whose path is blocked with both spins are left out. Arguments are those of
`curling.choice.tactics`; candidates are rows of `aims` and `keys`, of which `n` are in use, and functions that add one
return the new `n`.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.choice.tactics import (
    IN_HOUSE,
    TEE,
    TEE_SPEED,
    draw_if_clear,
    is_guard,
    nearest,
    to_tee,
    try_draw,
    try_hit,
)
from bonspiel.curling.ice.sheet import DIAMETER, LAST_SHOT, STONES, TEAM_STONES
from bonspiel.curling.ice.shots import draw, launched
from bonspiel.planners.core.zobrist import combine, mix
from bonspiel.planners.jit import MATRIX, VECTOR, boolean, float64, helper, int64, kernel, uint64
from bonspiel.planners.model import Array

Keys = NDArray[np.uint64]

MOST_CANDIDATES = 24
ROOM = 0.05  # m, between paths and other stones, so that most noisy throws pass
SOFT, CONTROL, NORMAL, PEEL = 1.06, 1.12, 1.25, 1.45  # release speeds over that of a tee draw
SHORT = 0.996  # the same, for a draw that stops a diameter in front of the tee
ROLL = 0.12  # m off centre: the thrown stone rolls about a metre
GUARD, LONG_GUARD = 2.7, 4.2  # m in front of the tee
CORNER = 1.3  # m from the centre line
WING = 0.9  # m
NEAR_CENTRE = 1.6  # m from the centre line: guards worth a draw around them

# kinds of candidates
TEE_DRAW, FRONT_DRAW, WING_DRAW, AROUND, FREEZE, CENTRE_GUARD, CORNER_GUARD, COVER, RAISE = range(9)
NOSE, SOFT_NOSE, ROLL_LEFT, ROLL_RIGHT, DOUBLE, RUN_BACK, PEEL_GUARD, THROW_AWAY = range(9, 17)
NO_KEY = np.uint64(0)  # of shots that are no candidates


@helper
def _key(kind: int, rank: int, side: float) -> np.uint64:
    """The key of a candidate."""
    spin = 1 if side > 0.0 else 0
    return combine(mix(np.uint64(kind)), np.uint64(2 * rank + spin))


@helper
def _keep(aims: Array, keys: Keys, n: int, kind: int, rank: int) -> int:
    """Write the key of the aim in row n."""
    keys[n] = _key(kind, rank, aims[n, 2])
    return n + 1


@kernel(int64(int64, MATRIX, MATRIX, uint64[::1], int64, int64, int64, float64, float64, float64))
def _draw(
    law: int, stones: Array, aims: Array, keys: Keys, n: int, kind: int, rank: int, x: float, y: float, side: float
) -> int:
    """Add a draw to (x, y) unless it is blocked."""
    if n < MOST_CANDIDATES and try_draw(law, stones, aims[n], x, y, side, ROOM):
        return _keep(aims, keys, n, kind, rank)
    return n


@kernel(int64(int64, MATRIX, MATRIX, uint64[::1], int64, int64, int64, int64, float64, float64))
def _hit(
    law: int, stones: Array, aims: Array, keys: Keys, n: int, kind: int, rank: int, i: int, offset: float, weight: float
) -> int:
    """Add a hit on stone i unless it is blocked."""
    possible, speed = n < MOST_CANDIDATES and abs(offset) < DIAMETER, weight * TEE_SPEED[law]
    if possible and try_hit(law, stones, aims[n], i, offset, speed, 1.0, ROOM):
        return _keep(aims, keys, n, kind, rank)
    return n


@helper
def _hit_two(law: int, stones: Array, team: int, aims: Array, keys: Keys, n: int, rank: int, target: int) -> int:
    """Add a double: the thrown stone hits the target and then another stone of the opponent in the house."""
    for i in range((1 - team) * TEAM_STONES, (2 - team) * TEAM_STONES):
        dx, dy = stones[i, 0] - stones[target, 0], stones[i, 1] - stones[target, 1]
        apart = sqrt(dx * dx + dy * dy)
        if to_tee(law, stones, i) < IN_HOUSE[law] and 0.2 * apart < dy < 0.95 * apart:
            # after the impact the stones move at right angles
            offset = DIAMETER * dy / apart
            return _hit(law, stones, aims, keys, n, DOUBLE, rank, target, offset if dx > 0.0 else -offset, NORMAL)
    return n


@helper
def _run_back(law: int, stones: Array, aims: Array, keys: Keys, n: int, rank: int, target: int) -> int:
    """Add a hit that drives a stone in front of the target onto it."""
    for i in range(STONES):
        dx, dy = stones[target, 0] - stones[i, 0], stones[target, 1] - stones[i, 1]
        if 0.4 < dy < 4.0 and abs(dx) < 0.5 * dy:
            offset = -DIAMETER * dx / sqrt(dx * dx + dy * dy)
            return _hit(law, stones, aims, keys, n, RUN_BACK, rank, i, offset, PEEL)
    return n


@helper
def _take_outs(law: int, stones: Array, team: int, aims: Array, keys: Keys, n: int) -> int:
    """Add hits on the opponent's best stones in the house."""
    beyond = -1.0
    for rank in range(3):
        target = nearest(law, stones, 1 - team, beyond)
        if target < 0:
            break
        beyond = to_tee(law, stones, target)
        before = n
        n = _hit(law, stones, aims, keys, n, NOSE, rank, target, 0.0, NORMAL)
        if n == before:
            n = _run_back(law, stones, aims, keys, n, rank, target)
            continue
        if rank == 0:
            n = _hit(law, stones, aims, keys, n, SOFT_NOSE, rank, target, 0.0, SOFT)
        if rank < 2:
            n = _hit(law, stones, aims, keys, n, ROLL_LEFT, rank, target, -ROLL, CONTROL)
            n = _hit(law, stones, aims, keys, n, ROLL_RIGHT, rank, target, ROLL, CONTROL)
        n = _hit_two(law, stones, team, aims, keys, n, rank, target)
    return n


@helper
def _around_and_peels(
    law: int, stones: Array, shot: int, team: int, free_guard: int, aims: Array, keys: Keys, n: int
) -> int:
    """Add draws behind guards near the centre, and peels of the opponent's guards where the rule allows them."""
    guards = 0
    for i in range(STONES):
        if guards < 3 and is_guard(law, stones, i) and abs(stones[i, 0]) < NEAR_CENTRE:
            if guards < 2 and shot < LAST_SHOT:
                n = _draw(law, stones, aims, keys, n, AROUND, guards, 0.8 * stones[i, 0], TEE[law] - 0.2, 1.0)
            if i // TEAM_STONES != team and shot >= free_guard:
                n = _hit(law, stones, aims, keys, n, PEEL_GUARD, guards, i, 0.0, PEEL)
            guards += 1
    return n


@helper
def _raise(law: int, stones: Array, team: int, aims: Array, keys: Keys, n: int) -> int:
    """Add a raise to the tee of the team's first stone in front of it."""
    for i in range(team * TEAM_STONES, (team + 1) * TEAM_STONES):
        x, y = stones[i, 0], stones[i, 1]
        if TEE[law] - LONG_GUARD < y < TEE[law] - WING and abs(x) < WING:
            # the struck stone travels as far as the thrown one would have, from a diameter ahead
            offset = DIAMETER * x / sqrt(x * x + (TEE[law] - y) ** 2)
            return _hit(law, stones, aims, keys, n, RAISE, 0, i, offset, SHORT)
    return n


@kernel(int64(int64, MATRIX, int64, int64, int64, boolean, MATRIX, uint64[::1]))
def candidate_shots(
    law: int, stones: Array, shot: int, team: int, free_guard: int, mixed: bool, aims: Array, keys: Keys
) -> int:
    """Write the candidates of a position and return their number, from 1 to MOST_CANDIDATES.

    `team` throws shot 0..15 of the end, of which those below `free_guard` are under the free guard zone rule, in mixed
    doubles (`mixed`) under its form there, so that none of them is a take-out. `aims` receives velocities, m/s, and
    sides of the spin, [MOST_CANDIDATES, 3], `keys` the keys, [MOST_CANDIDATES].
    """
    tee = TEE[law]
    mine, theirs = nearest(law, stones, team, -1.0), nearest(law, stones, 1 - team, -1.0)
    n = 0 if mixed and shot < free_guard else _take_outs(law, stones, team, aims, keys, 0)
    for side in (1.0, -1.0):
        if draw_if_clear(law, stones, aims[n], 0.0, tee, side, ROOM):
            n = _keep(aims, keys, n, TEE_DRAW, 0)
    if theirs >= 0:
        x, y = stones[theirs, 0], stones[theirs, 1]
        n = _draw(law, stones, aims, keys, n, FREEZE, 0, x, y - 1.2 * DIAMETER, 1.0)
    n = _around_and_peels(law, stones, shot, team, free_guard, aims, keys, n)
    n = _raise(law, stones, team, aims, keys, n)
    if shot < LAST_SHOT:
        if mine >= 0:
            n = _draw(law, stones, aims, keys, n, COVER, 0, stones[mine, 0], tee - GUARD, 1.0)
            n = _draw(law, stones, aims, keys, n, COVER, 1, stones[mine, 0], tee - LONG_GUARD, 1.0)
        n = _draw(law, stones, aims, keys, n, CENTRE_GUARD, 0, 0.0, tee - GUARD, 1.0)
        if shot < free_guard:
            n = _draw(law, stones, aims, keys, n, CORNER_GUARD, 0, -CORNER, tee - GUARD, 1.0)
            n = _draw(law, stones, aims, keys, n, CORNER_GUARD, 1, CORNER, tee - GUARD, -1.0)
    n = _draw(law, stones, aims, keys, n, FRONT_DRAW, 0, 0.0, tee - WING, 1.0)
    n = _draw(law, stones, aims, keys, n, WING_DRAW, 0, -WING, tee, 1.0)
    n = _draw(law, stones, aims, keys, n, WING_DRAW, 1, WING, tee, -1.0)
    if n == 0 or (shot == LAST_SHOT and mine < 0 and n < MOST_CANDIDATES):
        # to blank the end, or because everything else is blocked
        aims[n, 0], aims[n, 1] = launched(law, 2.0, tee, PEEL * TEE_SPEED[law], 1.0)
        aims[n, 2] = 1.0
        n = _keep(aims, keys, n, THROW_AWAY, 0)
    return n


@helper
def _stops_at(law: int, aim: Array, x: float, y: float) -> bool:
    """Return whether an aim is the draw to (x, y)."""
    vx, vy = draw(law, x, y, aim[2])
    return bool(aim[0] == vx and aim[1] == vy)


@kernel(uint64(int64, MATRIX, int64, VECTOR, VECTOR))
def key_of_draw(law: int, stones: Array, team: int, aim: Array, candidate: Array) -> np.uint64:
    """The key of the candidate that an aim of `team` is, if that is a tee draw or a freeze; otherwise NO_KEY.

    `candidate` is scratch space, [3].
    """
    if _stops_at(law, aim, 0.0, TEE[law]):
        clear = draw_if_clear(law, stones, candidate, 0.0, TEE[law], aim[2], ROOM)
        return _key(TEE_DRAW, 0, aim[2]) if clear else NO_KEY
    theirs = nearest(law, stones, 1 - team, -1.0)
    if theirs >= 0:
        x, y = stones[theirs, 0], stones[theirs, 1] - 1.2 * DIAMETER
        if _stops_at(law, aim, x, y) and try_draw(law, stones, candidate, x, y, 1.0, ROOM):
            return _key(FREEZE, 0, aim[2]) if candidate[2] == aim[2] else NO_KEY
    return NO_KEY
