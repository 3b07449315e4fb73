"""Building blocks of rule-based shots: stones near the tee, guards, draws and hits with a clear path; compiled.

`law` is of `curling.ice.physics.law_index`. `stones` are [16, 2] in the shot frame, NaN where absent; places and
distances are in metres, velocities in m/s. `side` is +1 for counter-clockwise spin, -1 for clockwise. A path is clear
if it passes the stones at a diameter and `room` metres more, which allows for noise. `aim` receives (vx, vy, side).
"""

from math import hypot, isfinite, sqrt

import numpy as np

from bonspiel.curling.ice.engines.curve import graph_at
from bonspiel.curling.ice.physics import LAWS
from bonspiel.curling.ice.sheet import DIAMETER, STONE_RADIUS, STONES, TEAM_STONES
from bonspiel.curling.ice.shots import Throw, throw_to_hit, throw_to_stop, turned
from bonspiel.planners.jit import MATRIX, VECTOR, boolean, float64, helper, int64, kernel
from bonspiel.planners.model import Array

TEE = np.array([law.sheet.tee for law in LAWS])  # m
IN_HOUSE = np.array([law.sheet.in_house for law in LAWS])  # m
TEE_SPEED = np.array([hypot(*law.tee_draw) for law in LAWS])  # m/s, of a draw to the tee


@helper
def to_tee(law: int, stones: Array, i: int) -> float:
    """Distance of stone i from the tee, NaN where absent."""
    x, y = stones[i, 0], stones[i, 1] - TEE[law]
    return sqrt(x * x + y * y)


@helper
def nearest(law: int, stones: Array, team: int, beyond: float) -> int:
    """The row of a team's stone in the house that is nearest the tee but farther than `beyond`; -1 without one."""
    best, least = -1, IN_HOUSE[law]
    for i in range(team * TEAM_STONES, (team + 1) * TEAM_STONES):
        distance = to_tee(law, stones, i)
        if beyond < distance < least:
            best, least = i, distance
    return best


@helper
def is_guard(law: int, stones: Array, i: int) -> bool:
    """Return whether stone i is a guard: outside the house and in front of the tee line."""
    return bool(stones[i, 1] + STONE_RADIUS < TEE[law] and to_tee(law, stones, i) >= IN_HOUSE[law])


@kernel(boolean(int64, MATRIX, float64, float64, float64, float64, float64, float64, float64))
def _is_clear(
    law: int, stones: Array, cos: float, sin: float, along: float, across: float, side: float, until: float, room: float
) -> bool:
    """Return whether a path is clear of the stones in front of the line y = until.

    It ends along (cos, sin); see `shots.Throw`.
    """
    for i in range(STONES):
        x, y = stones[i, 0], stones[i, 1]
        if y < until:
            _, height = graph_at(law, along - cos * x - sin * y)
            if abs(side * (cos * y - sin * x) + across - height) < DIAMETER + room:
                return False
    return True


@helper
def _aim_if_clear(
    law: int, stones: Array, aim: Array, x: float, y: float, throw: Throw, side: float, until: float, room: float
) -> bool:
    """Write the aim of a throw at (x, y); return whether its path is clear."""
    vx, vy, cos, sin = turned(law, side, x, y, throw)
    aim[0], aim[1], aim[2] = vx, vy, side
    return isfinite(vx) and _is_clear(law, stones, cos, sin, throw[4], throw[5], side, until, room)


@kernel(boolean(int64, MATRIX, VECTOR, float64, float64, float64, float64))
def draw_if_clear(law: int, stones: Array, aim: Array, x: float, y: float, side: float, room: float) -> bool:
    """Write the aim of a draw to (x, y); whether its path is clear."""
    throw = throw_to_stop(law, sqrt(x * x + y * y))
    return _aim_if_clear(law, stones, aim, x, y, throw, side, y + DIAMETER, room)


@kernel(boolean(int64, MATRIX, VECTOR, float64, float64, float64, float64))
def try_draw(law: int, stones: Array, aim: Array, x: float, y: float, side: float, room: float) -> bool:
    """`draw_if_clear` with this spin, or else with the other."""
    throw, until = throw_to_stop(law, sqrt(x * x + y * y)), y + DIAMETER
    clear = _aim_if_clear(law, stones, aim, x, y, throw, side, until, room)
    return clear or _aim_if_clear(law, stones, aim, x, y, throw, -side, until, room)


@kernel(boolean(int64, MATRIX, VECTOR, int64, float64, float64, float64, float64))
def try_hit(
    law: int, stones: Array, aim: Array, target: int, offset: float, speed: float, side: float, room: float
) -> bool:
    """Write the aim of a hit on the stone in row `target` with this spin, or else with the other; whether one is clear.

    See `curling.ice.shots.hit`.
    """
    x, y = stones[target, 0], stones[target, 1]
    distance = sqrt(x * x + y * y)
    throw = throw_to_hit(law, distance, offset, speed, side)
    if _aim_if_clear(law, stones, aim, x, y, throw, side, y, room):
        return True
    if offset != 0.0:
        throw = throw_to_hit(law, distance, offset, speed, -side)
    return _aim_if_clear(law, stones, aim, x, y, throw, -side, y, room)
