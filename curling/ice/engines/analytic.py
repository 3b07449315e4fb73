"""The analytic engine: a shot as a sequence of events in closed form, with no computation between them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, nan, sqrt

import numpy as np

from bonspiel.curling.ice.engines.base import Engine, Path
from bonspiel.curling.ice.engines.board import ABSENT, COUNT, FIELDS, MOVING, RESTING, ROW, STATE, X, Y, row_count
from bonspiel.curling.ice.engines.curve import place_of
from bonspiel.curling.ice.engines.curve_tables import BACK_AT_REST, HOG, LONGEST, TOP_SPEED
from bonspiel.curling.ice.engines.events import find_next_event, process_events, start_moving
from bonspiel.curling.ice.engines.impact import CONTACT_ROWS
from bonspiel.curling.ice.engines.rates import TIME_STEP
from bonspiel.curling.ice.physics import LAWS, law_index
from bonspiel.curling.ice.sheet import STONES
from bonspiel.planners.jit import helper, kernel
from bonspiel.planners.model import Array

WORKSPACE = (STONES + CONTACT_ROWS, FIELDS)
# s; fcv1 slows a stone before moving it, as if released half a step earlier; dc2 slows it half a step first
EARLY = np.array([0.0 if law.name == "dc2" else 0.5 * TIME_STEP for law in LAWS])
HOG_REMOVES_ALL = np.array([law.hog_removes_all for law in LAWS])


@helper
def _release(law: int, board: Array, stones: Array, index: int, vx: float, vy: float, spin: float) -> None:
    """Fill the board and release the thrown stone; with a velocity that is 0 or not finite it is absent at once.

    Stones fill the first rows, so that later loops skip absent ones.
    """
    n, thrown = 0, 0
    for i in range(STONES):
        x, y = stones[i, 0], stones[i, 1]
        if i == index:
            thrown = n
        board[n, X], board[n, Y], board[n, ROW], board[n, STATE] = x, y, i, RESTING
        n += (i == index) | (isfinite(x) & isfinite(y))  # without a branch, which no processor could predict
    board[0, COUNT] = n
    board[n:STONES, STATE] = ABSENT
    board[thrown, STATE] = ABSENT
    v = sqrt(vx * vx + vy * vy)
    if isfinite(v) and isfinite(spin) and v > 0.0:
        fast = min(v, TOP_SPEED[law]) / v
        vx, vy, early = fast * vx, fast * vy, EARLY[law]
        board[thrown, X], board[thrown, Y] = -early * vx, -early * vy
        if start_moving(law, board, thrown, -early, vx, vy, spin):
            find_next_event(law, board, thrown, -early)


@helper
def _collect(law: int, board: Array, stones: Array, index: int) -> None:
    """Write the stones at rest, without those that the hog line or the back line removes."""
    for i in range(STONES):
        stones[i, 0], stones[i, 1] = nan, nan
    for n in range(row_count(board)):
        i = int(board[n, ROW])
        short = board[n, Y] <= HOG[law] and (HOG_REMOVES_ALL[law] or i == index)
        if board[n, STATE] != ABSENT and not short and not board[n, Y] > BACK_AT_REST[law]:
            stones[i, 0], stones[i, 1] = board[n, X], board[n, Y]


@kernel("void(f8[:, ::1], i8, f8, f8, f8, i8, f8[:, ::1])")
def shoot(stones: Array, index: int, vx: float, vy: float, spin: float, law: int, workspace: Array) -> None:
    """Play a shot in place, from compiled code, without checks; non-finite input is allowed.

    Args:
        stones: places at rest, [16, 2] in metres in the shot frame, NaN where absent; receives those after the shot.
        index: row of the thrown stone; a stone there is removed. Without effect unless 0 <= index < 16.
        vx: release velocity, m/s. The stone is lost if it is not finite or too slow to move; beyond the range of the
            tables it is reduced to their largest speed.
        vy: see vx.
        spin: rad/s, counter-clockwise above 0.
        law: 0 is fcv1, 1 is dc2, 2 is dc4, see `curling.ice.physics.law_index`.
        workspace: scratch space, float64 of shape WORKSPACE, with any contents.
    """
    if not 0 <= index < STONES:
        return
    rule = law if 0 < law < len(HOG) else 0
    _release(rule, workspace, stones, index, vx, vy, spin)
    process_events(rule, workspace, 0.0, inf)
    _collect(rule, workspace, stones, index)


@kernel("void(i8, f8[:, ::1], f8[::1], i8, f8[:, :, ::1], f8[:, ::1])")
def _shoot_many(index: int, velocities: Array, spins: Array, law: int, after: Array, workspace: Array) -> None:
    for n in range(len(spins)):
        shoot(after[n], index, velocities[n, 0], velocities[n, 1], spins[n], law, workspace)


@kernel("i8(f8[:, ::1], i8, f8, f8, f8, i8, f8[::1], f8[:, :, ::1], f8[:, ::1])")
def _film(
    stones: Array, index: int, vx: float, vy: float, spin: float, law: int, times: Array, frames: Array, board: Array
) -> int:
    """`shoot`, with a frame at each of `times` until all stones are at rest; the number of frames."""
    _release(law, board, stones, index, vx, vy, spin)
    time, moving, n = 0.0, True, 0
    while moving and n < len(times):
        time = process_events(law, board, time, times[n])
        moving = False
        for k in range(row_count(board)):
            moving = moving or board[k, STATE] == MOVING
        if not moving:
            times[n] = time
        for i in range(STONES):
            frames[n, i, 0], frames[n, i, 1] = nan, nan
        for k in range(row_count(board)):
            i = int(board[k, ROW])
            if board[k, STATE] == RESTING:
                frames[n, i, 0], frames[n, i, 1] = board[k, X], board[k, Y]
            elif board[k, STATE] == MOVING:
                frames[n, i, 0], frames[n, i, 1] = place_of(law, board[k], times[n])
        n += 1
    _collect(law, board, stones, index)
    return n


@dataclass(frozen=True)
class AnalyticEngine(Engine):
    """The compiled engine: exact impacts, events in closed form; about a microsecond per shot."""

    def _shots(self, stones: Array, index: int, velocities: Array, spins: Array, threads: int) -> Array:
        after = np.tile(stones, (len(spins), 1, 1))
        law = law_index(self.physics)
        cuts = np.linspace(0, len(spins), threads + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(cuts)]

        def play(part: slice) -> None:
            _shoot_many(index, velocities[part], spins[part], law, after[part], np.empty(WORKSPACE))

        if threads == 1:
            play(parts[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(play, parts))
        return after

    def _path(self, stones: Array, index: int, velocity: Array, spin: float) -> tuple[Array, Path]:
        after = stones.copy()
        law = law_index(self.physics)
        most = int(2.0 * LONGEST[law] / self.path_interval)
        times, frames = np.arange(most, dtype=np.float64) * self.path_interval, np.empty((most, STONES, 2))
        n = _film(after, index, velocity[0], velocity[1], spin, law, times, frames, np.empty(WORKSPACE))
        return after, Path(times[:n].copy(), frames[:n].copy())
