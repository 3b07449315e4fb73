"""The analytic engine: a shot as a chain of events, each in closed form, between which nothing is computed at all."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, nan, sqrt

import numpy as np

from curling.engines.base import Engine, Path
from curling.engines.contact import collide, crosses, impact, meets
from curling.engines.curve import (END_KIND, END_TAU, FIELDS, NEXT_KIND, NEXT_TIME, SIDE_OF_SPIN, SPIN, STATE, STOP_TIME,
                                   X, Y, launch, motion, spin_at, tau_of_spin_lost, where)
from curling.engines.tables import BACK, HOG, LAWS, LONGEST, SIDE, STOP_SPEED, law_index
from curling.sheet import STONES
from planners.base import Array
from planners.jit import helper, kernel

WORKSPACE = (STONES, FIELDS)
ABSENT, RESTING, MOVING = 0.0, 1.0, 2.0  # STATE of a stone
STOPS, SPIN_DIES, LEAVES = -1.0, -2.0, -3.0  # kinds of events; from 0 on it is the row of the resting stone that is hit
MAX_EVENTS = 2000  # a shot has a handful; stones that still move after so many stay where they are

HOG_REMOVES_ALL = np.array([law.hog_removes_all for law in LAWS])


@helper
def _end_piece(law: int, stone: Array, time: float) -> None:
    """Write when and why this piece of the path ends if no stone is in the way: END_TAU, END_KIND."""
    stone[END_TAU], stone[END_KIND] = 0.0, STOPS
    if stone[SPIN] < 0.0 and stone[SIDE_OF_SPIN] != 0.0:
        stone[END_TAU] = min(tau_of_spin_lost(law, -stone[SPIN]), stone[STOP_TIME] - time)
        stone[END_KIND] = SPIN_DIES
    tau = max(crosses(law, stone, time, 0.0, 1.0, BACK[law]),
              max(crosses(law, stone, time, 1.0, 0.0, SIDE[law]), crosses(law, stone, time, -1.0, 0.0, SIDE[law])))
    if tau >= stone[END_TAU]:
        stone[END_TAU], stone[END_KIND] = tau, LEAVES


@helper
def _look_ahead(law: int, board: Array, i: int, time: float) -> None:
    """Write what happens next to moving stone i, other moving stones apart: NEXT_TIME, NEXT_KIND."""
    tau, kind = board[i, END_TAU], board[i, END_KIND]
    for j in range(STONES):
        if board[j, STATE] == RESTING:
            contact = meets(law, board[i], time, board[j, X], board[j, Y])
            if contact >= tau:
                tau, kind = contact, float(j)
    board[i, NEXT_TIME], board[i, NEXT_KIND] = board[i, STOP_TIME] - tau, kind


@helper
def _rest(law: int, board: Array, i: int, time: float) -> None:
    """Stone i lies at X, Y from now on: it may be in the way of moving ones."""
    board[i, STATE] = RESTING
    for k in range(STONES):
        if board[k, STATE] == MOVING:
            contact = meets(law, board[k], time, board[i, X], board[i, Y])
            if contact >= 0.0 and board[k, STOP_TIME] - contact < board[k, NEXT_TIME]:
                board[k, NEXT_TIME], board[k, NEXT_KIND] = board[k, STOP_TIME] - contact, float(i)


@helper
def _go(law: int, board: Array, i: int, time: float, vx: float, vy: float, spin: float) -> bool:
    """Stone i moves on from X, Y with a new velocity; False if that is too slow to move."""
    if not sqrt(vx * vx + vy * vy) > STOP_SPEED[law]:
        return False
    board[i, STATE] = MOVING
    launch(law, board[i], time, board[i, X], board[i, Y], vx, vy, spin)
    _end_piece(law, board[i], time)
    return True


@helper
def _hit(law: int, board: Array, i: int, j: int, time: float) -> None:
    """Moving stone i touches stone j."""
    x1, y1, vx1, vy1 = motion(law, board[i], time)
    spin1 = spin_at(law, board[i], time)
    x2, y2, vx2, vy2, spin2 = board[j, X], board[j, Y], 0.0, 0.0, 0.0
    if board[j, STATE] == MOVING:
        x2, y2, vx2, vy2 = motion(law, board[j], time)
        spin2 = spin_at(law, board[j], time)
    dx, dy = x2 - x1, y2 - y1
    distance = max(sqrt(dx * dx + dy * dy), 1e-12)
    dvx, dvy, dw = impact(law, dx / distance, dy / distance, vx1 - vx2, vy1 - vy2, spin1 + spin2)
    board[i, X], board[i, Y], board[j, X], board[j, Y] = x1, y1, x2, y2
    first = _go(law, board, i, time, vx1 + dvx, vy1 + dvy, spin1 + dw)
    second = _go(law, board, j, time, vx2 - dvx, vy2 - dvy, spin2 + dw)
    if not first:
        _rest(law, board, i, time)
    if not second:
        _rest(law, board, j, time)
    if first:
        _look_ahead(law, board, i, time)
    if second:
        _look_ahead(law, board, j, time)
    for k in range(STONES):  # whoever was going to hit the stone that has just gone
        if board[k, STATE] == MOVING and k != i and k != j and board[k, NEXT_KIND] == j:
            _look_ahead(law, board, k, time)


@helper
def _happen(law: int, board: Array, i: int, time: float) -> None:
    """The next event of stone i, which takes place now."""
    kind = board[i, NEXT_KIND]
    if kind >= 0.0:
        _hit(law, board, i, int(kind), time)
        return
    if kind == LEAVES:
        board[i, STATE] = ABSENT
        return
    x, y, vx, vy = motion(law, board[i], time)
    board[i, X], board[i, Y] = x, y
    if kind == SPIN_DIES and _go(law, board, i, time, vx, vy, 0.0):
        _look_ahead(law, board, i, time)
    else:
        _rest(law, board, i, time)


@helper
def _advance(law: int, board: Array, time: float, until: float) -> float:
    """Let everything happen that happens from `time` to `until`; the time of the last event."""
    for _ in range(MAX_EVENTS):
        who, other, soonest, moving = -1, -1, inf, 0
        for i in range(STONES):
            if board[i, STATE] == MOVING:
                moving += 1
                if board[i, NEXT_TIME] < soonest:
                    who, soonest = i, board[i, NEXT_TIME]
        if moving > 1:
            for i in range(1, STONES):
                for j in range(i):
                    if board[i, STATE] == MOVING and board[j, STATE] == MOVING:
                        contact = collide(law, board[i], board[j], time, min(soonest, until))
                        if contact < soonest:
                            who, other, soonest = i, j, contact
        if who < 0 or soonest > until:
            break
        time = max(time, soonest)
        if other >= 0:
            _hit(law, board, who, other, time)
        else:
            _happen(law, board, who, time)
    return time


@helper
def _release(law: int, board: Array, stones: Array, index: int, vx: float, vy: float, spin: float) -> None:
    """Lay out the board with the thrown stone on its way; with a velocity that is no velocity it is gone at once."""
    for i in range(STONES):
        board[i, X], board[i, Y] = stones[i, 0], stones[i, 1]
        board[i, STATE] = RESTING if isfinite(stones[i, 0]) and isfinite(stones[i, 1]) else ABSENT
    board[index, X], board[index, Y], board[index, STATE] = 0.0, 0.0, ABSENT
    v2 = vx * vx + vy * vy
    if isfinite(v2) and isfinite(spin) and _go(law, board, index, 0.0, vx, vy, spin):
        _look_ahead(law, board, index, 0.0)


@helper
def _collect(law: int, board: Array, stones: Array, index: int) -> None:
    """The stones at rest, without those that the hog line takes away."""
    for i in range(STONES):
        short = board[i, Y] <= HOG[law] and (HOG_REMOVES_ALL[law] or i == index)
        if board[i, STATE] == ABSENT or short:
            stones[i, 0], stones[i, 1] = nan, nan
        else:
            stones[i, 0], stones[i, 1] = board[i, X], board[i, Y]


@kernel("void(f8[:, ::1], i8, f8, f8, f8, i8, f8[:, ::1])")
def shoot(stones: Array, index: int, vx: float, vy: float, spin: float, law: int, workspace: Array) -> None:
    """Play a shot in place, from compiled code; any floats will do.

    Args:
        stones: places at rest, [16, 2] in metres in the shot frame, NaN where absent; becomes the places after the shot.
        index: row of the thrown stone; a stone that lies there is taken away. Nothing happens unless 0 <= index < 16.
        vx: velocity (vx, vy) at the release point, m/s. Not finite, or slower than a stone can move: the stone is lost.
            Faster than the tables go: that speed.
        vy: see vx.
        spin: rad/s, counter-clockwise above 0.
        law: 0 fcv1, 1 dc2, see `tables.law_index`.
        workspace: scratch, [16, FIELDS]; what it holds does not matter.
    """
    if not 0 <= index < STONES:
        return
    rule = 1 if law == 1 else 0
    _release(rule, workspace, stones, index, vx, vy, spin)
    _advance(rule, workspace, 0.0, inf)
    _collect(rule, workspace, stones, index)


@kernel("void(f8[:, ::1], i8, f8[:, ::1], f8[::1], i8, f8[:, :, ::1])")
def _shoot_many(stones: Array, index: int, velocities: Array, spins: Array, law: int, after: Array) -> None:
    workspace = np.empty(WORKSPACE)
    for n in range(len(spins)):
        after[n] = stones
        shoot(after[n], index, velocities[n, 0], velocities[n, 1], spins[n], law, workspace)


@kernel("i8(f8[:, ::1], i8, f8, f8, f8, i8, f8, f8[::1], f8[:, :, ::1])")
def _film(stones: Array, index: int, vx: float, vy: float, spin: float, law: int, interval: float, times: Array,
          frames: Array) -> int:
    """`shoot` with frames at every interval until all is at rest; how many."""
    board = np.empty(WORKSPACE)
    _release(law, board, stones, index, vx, vy, spin)
    time, moving, n = 0.0, True, 0
    while moving and n < len(times):
        times[n] = n * interval
        time = _advance(law, board, time, times[n])
        moving = False
        for i in range(STONES):
            moving = moving or board[i, STATE] == MOVING
        if not moving:
            times[n] = time
        for i in range(STONES):
            frames[n, i, 0], frames[n, i, 1] = board[i, X], board[i, Y]
            if board[i, STATE] == ABSENT:
                frames[n, i, 0], frames[n, i, 1] = nan, nan
            elif board[i, STATE] == MOVING:
                frames[n, i, 0], frames[n, i, 1] = where(law, board[i], times[n])
        n += 1
    _collect(law, board, stones, index)
    return n


@dataclass(frozen=True)
class AnalyticEngine(Engine):
    """The compiled engine: exact impacts, closed-form events; about a microsecond a shot."""

    def _shots(self, stones: Array, index: int, velocities: Array, spins: Array, threads: int) -> Array:
        after = np.empty((len(spins), STONES, 2))
        law = law_index(self.physics)
        cuts = np.linspace(0, len(spins), threads + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(cuts)]

        def play(part: slice) -> None:
            _shoot_many(stones, index, velocities[part], spins[part], law, after[part])

        if threads == 1:
            play(parts[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(play, parts))
        return after

    def _path(self, stones: Array, index: int, velocity: Array, spin: float) -> tuple[Array, Path]:
        after = stones.copy()
        most = int(2.0 * LONGEST[law_index(self.physics)] / self.path_interval)
        times, frames = np.empty(most), np.empty((most, STONES, 2))
        n = _film(after, index, velocity[0], velocity[1], spin, law_index(self.physics), self.path_interval, times, frames)
        return after, Path(times[:n].copy(), frames[:n].copy())
