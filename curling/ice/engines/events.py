"""The events of a shot: finding each stone's next event and processing it; compiled.

The reference processes a contact in the first of its steps of 1 ms that begins with overlapping discs. The overlap, up
to the travel in a step, tilts the line of centres. The engine therefore processes a contact found in continuous time at
the next step of the reference, which halves the error of shots with several impacts.
"""

from math import ceil, inf, sqrt

from bonspiel.curling.ice.engines.board import (
    ABSENT,
    ANCHOR_X,
    ANCHOR_Y,
    END_KIND,
    END_TAU,
    MOVING,
    NEXT_KIND,
    NEXT_TIME,
    RESTING,
    SIDE_OF_SPIN,
    SPEED_X,
    SPEED_Y,
    SPIN,
    STATE,
    STOP_TIME,
    TURNING,
    X,
    Y,
    row_count,
)
from bonspiel.curling.ice.engines.contact import (
    NEAR,
    NEVER,
    contact_of_moving,
    contact_with_resting,
    corner,
    is_near,
    line_crossing,
    list_near,
    place_on_curve,
)
from bonspiel.curling.ice.engines.curve import motion, place_of, spin_at, start_path, tau_of_spin_lost
from bonspiel.curling.ice.engines.curve_tables import BACK, SIDE, STOP_SPEED
from bonspiel.curling.ice.engines.impact import impact, impact_of_many
from bonspiel.curling.ice.engines.rates import TIME_STEP
from bonspiel.curling.ice.sheet import DIAMETER, STONES
from bonspiel.planners.jit import MATRIX, boolean, float64, helper, int64, kernel, typeof
from bonspiel.planners.model import Array

STOPS, SPIN_ENDS, LEAVES = -1.0, -2.0, -3.0  # kinds of events; from 0 on: contact with the resting stone in that row
MAX_EVENTS = 20_000  # usually a few; stones that still move afterwards stay in place


@helper
def _find_end_of_piece(law: int, stone: Array, time: float, vx: float, vy: float) -> None:
    """Find the end of a piece of path without contacts, from the velocity at its start: write END_TAU and END_KIND."""
    stone[END_TAU], stone[END_KIND] = 0.0, STOPS
    if stone[SPIN] < 0.0 and stone[SIDE_OF_SPIN] != 0.0:
        stone[END_TAU] = min(tau_of_spin_lost(law, -stone[SPIN]), stone[STOP_TIME] - time)
        stone[END_KIND] = SPIN_ENDS
    x, y = corner(stone, vx, vy)
    tau = NEVER
    for nx, ny, limit in ((0.0, 1.0, BACK[law]), (1.0, 0.0, SIDE[law]), (-1.0, 0.0, SIDE[law])):
        tau = max(tau, line_crossing(law, stone, time, x, y, nx, ny, limit))
    if tau >= stone[END_TAU]:
        stone[END_TAU], stone[END_KIND] = tau, LEAVES


@helper
def _step_after(time: float) -> float:
    """Time of the next step of the reference."""
    return ceil(time / TIME_STEP) * TIME_STEP


@kernel(typeof(None)(int64, MATRIX, int64, float64))
def find_next_event(law: int, board: Array, i: int, time: float) -> None:
    """Find the next event of moving stone i, except contacts with moving stones: write NEXT_TIME and NEXT_KIND."""
    tau, kind = board[i, END_TAU], board[i, END_KIND]
    for a in range(list_near(board, i)):
        contact = contact_with_resting(law, board[i], time, board[NEAR + 1, a], board[NEAR + 2, a])
        if contact >= tau:
            tau, kind = contact, board[NEAR, a]
    when = board[i, STOP_TIME] - tau
    if kind >= 0.0:
        when = _step_after(when)
        if board[i, END_KIND] == LEAVES and board[i, STOP_TIME] - board[i, END_TAU] <= when:
            when, kind = board[i, STOP_TIME] - board[i, END_TAU], LEAVES
    board[i, NEXT_TIME], board[i, NEXT_KIND] = when, kind


@kernel(typeof(None)(int64, MATRIX, int64, int64, float64))
def _update_next_event(law: int, board: Array, i: int, j: int, time: float) -> None:
    """Update the next event of moving stone i after stone j may have come to rest in its path."""
    if board[j, STATE] == RESTING:
        x, y = place_on_curve(board[i], board[j, X], board[j, Y])
        if not is_near(board[i], x, y):
            return
        contact = contact_with_resting(law, board[i], time, x, y)
        when = _step_after(board[i, STOP_TIME] - contact)
        if contact >= 0.0 and when < board[i, NEXT_TIME]:
            board[i, NEXT_TIME], board[i, NEXT_KIND] = when, float(j)


@kernel(boolean(int64, MATRIX, int64, float64, float64, float64, float64))
def start_moving(law: int, board: Array, i: int, time: float, vx: float, vy: float, spin: float) -> bool:
    """Start moving stone i from X, Y with a new velocity; False if it is too slow to move."""
    if not sqrt(vx * vx + vy * vy) > STOP_SPEED[law]:
        return False
    board[i, STATE] = MOVING
    start_path(law, board[i], time, board[i, X], board[i, Y], vx, vy, spin)
    _find_end_of_piece(law, board[i], time, vx, vy)
    return True


@helper
def _prepare_impact(law: int, board: Array, i: int, time: float) -> None:
    """Write place, velocity and spin of stone i for an impact in the step that begins at `time`.

    A step moves stones with their velocities at its middle.
    """
    board[i, SPEED_X], board[i, SPEED_Y], board[i, TURNING] = 0.0, 0.0, 0.0
    if board[i, STATE] == MOVING:
        board[i, X], board[i, Y] = place_of(law, board[i], time)
        _, _, board[i, SPEED_X], board[i, SPEED_Y] = motion(law, board[i], time + 0.5 * TIME_STEP)
        board[i, TURNING] = spin_at(law, board[i], time + 0.5 * TIME_STEP)


@helper
def _move_on(law: int, board: Array, i: int, time: float) -> None:
    """Let stone i move on, or rest, after an impact in the step that begins at `time`."""
    vx, vy = board[i, SPEED_X], board[i, SPEED_Y]
    board[i, X] += 0.5 * TIME_STEP * vx
    board[i, Y] += 0.5 * TIME_STEP * vy
    if not start_moving(law, board, i, time + 0.5 * TIME_STEP, vx, vy, board[i, TURNING]):
        board[i, STATE] = RESTING


@helper
def _third_stone_touches(law: int, board: Array, i: int, j: int, time: float) -> bool:
    """Return whether a third stone touches i or j at their impact."""
    for k in range(row_count(board)):
        if board[k, STATE] != ABSENT and k != i and k != j:
            x, y = board[k, X], board[k, Y]
            if board[k, STATE] == MOVING:
                x, y = place_of(law, board[k], time)
            dx, dy, ex, ey = x - board[i, X], y - board[i, Y], x - board[j, X], y - board[j, Y]
            if min(dx * dx + dy * dy, ex * ex + ey * ey) <= DIAMETER * DIAMETER:
                return True
    return False


@helper
def _process_impact(law: int, board: Array, i: int, j: int, time: float) -> None:
    """Process the impact of moving stone i and stone j in the step that begins at `time`."""
    middle = time + 0.5 * TIME_STEP
    _prepare_impact(law, board, i, time)
    _prepare_impact(law, board, j, time)
    if _third_stone_touches(law, board, i, j, time):
        for k in range(row_count(board)):
            if k != i and k != j:
                _prepare_impact(law, board, k, time)
        impact_of_many(law, board)
        for k in range(row_count(board)):
            if board[k, STATE] == MOVING or board[k, SPEED_X] != 0.0 or board[k, SPEED_Y] != 0.0:
                _move_on(law, board, k, time)
        for k in range(row_count(board)):
            if board[k, STATE] == MOVING:
                find_next_event(law, board, k, middle)
        return
    impact(law, board, i, j)
    _move_on(law, board, i, time)
    _move_on(law, board, j, time)
    for k in range(row_count(board)):
        if board[k, STATE] == MOVING:
            if k == i or k == j or board[k, NEXT_KIND] == j:
                find_next_event(law, board, k, middle)
            else:
                _update_next_event(law, board, k, i, middle)
                _update_next_event(law, board, k, j, middle)


@helper
def _process_end(law: int, board: Array, i: int, time: float) -> None:
    """Process the end of a piece of path of moving stone i."""
    if board[i, END_KIND] == LEAVES:
        board[i, STATE] = ABSENT
        return
    if board[i, END_KIND] == STOPS:
        board[i, X], board[i, Y] = board[i, ANCHOR_X], board[i, ANCHOR_Y]
    else:
        board[i, X], board[i, Y], vx, vy = motion(law, board[i], time)
        if start_moving(law, board, i, time, vx, vy, 0.0):
            find_next_event(law, board, i, time)
            return
    board[i, STATE] = RESTING
    for k in range(row_count(board)):
        if board[k, STATE] == MOVING:
            _update_next_event(law, board, k, i, time)


@helper
def _list_moving(board: Array) -> int:
    """List the rows of the moving stones, rising, in the row below the stones; their number."""
    n = 0
    for i in range(row_count(board)):
        board[STONES, n] = i
        n += board[i, STATE] == MOVING
    return n


@helper
def process_events(law: int, board: Array, time: float, until: float) -> float:
    """Process events from `time` until `until`; the time of the last event."""
    for _ in range(MAX_EVENTS):
        stone, other, soonest, moving = -1, -1, inf, _list_moving(board)
        for a in range(moving):
            i = int(board[STONES, a])
            if board[i, NEXT_TIME] < soonest:
                stone, soonest = i, board[i, NEXT_TIME]
        for a in range(1, moving):
            for b in range(a):
                i, j = int(board[STONES, a]), int(board[STONES, b])
                contact = contact_of_moving(law, board[i], board[j], time, min(soonest, until))
                contact = _step_after(contact) if contact < inf else inf
                if contact < soonest:
                    stone, other, soonest = i, j, contact
        if stone < 0 or soonest > until:
            break
        if other < 0 and board[stone, NEXT_KIND] >= 0.0:
            other = int(board[stone, NEXT_KIND])
        if other >= 0:
            _process_impact(law, board, stone, other, soonest)
            time = max(time, soonest + 0.5 * TIME_STEP)
        else:
            _process_end(law, board, stone, soonest)
            time = max(time, soonest)
            if moving == 1 and board[stone, STATE] != MOVING:
                break
    return time
