"""Priors of moves before they are tried, as visits at a win rate (the idea is from Gelly and Silver 2007).

The weights are those of the field's small programs: a fair chance for all, more for captures, escapes, 3x3 patterns,
moves near the last one and the third line of an empty area; less for self-atari and the edge of an empty area; nothing
for filling an own eye, which must be worth less than to pass.
"""

from bonspiel.go.board import NOWHERE, Board, in_atari
from bonspiel.go.neighbourhoods import EDGE, EMPTY, EYE, PATTERN, SIDES, TABLE
from bonspiel.go.playouts.tactics import is_self_atari
from bonspiel.planners.jit import helper

EVEN, PASS_WINS = 10.0, 0.05  # visits of every move; win rate of a pass
OWN_EYE = 20.0  # visits, all lost
CAPTURE, ESCAPE, SELF_ATARI, SHAPE = 20.0, 15.0, 10.0, 10.0  # visits
BESIDE_LAST, NEAR_LAST, EMPTY_AREA = 20.0, 12.0, 10.0  # visits
BESIDE, NEAR = 3, 5  # distances dx + dy + max(dx, dy) from the last move
ALONE = 3  # steps without a stone around an empty area
LOW, THIRD = 2, 3  # lines from the edge


@helper
def _distance(point: int, other: int, size: int) -> int:
    """The distance of two points as BESIDE and NEAR count it."""
    down = abs(point // (size + 1) - other // (size + 1))
    across = abs(point % (size + 1) - other % (size + 1))
    return down + across + max(down, across)


@helper
def _line(point: int, size: int) -> int:
    """The line counted from the nearest edge, from 1 on."""
    row, column = point // (size + 1), point % (size + 1)
    return min(row, column, size + 1 - row, size + 1 - column)


@helper
def _is_alone(board: Board, point: int, size: int) -> bool:
    """Return whether no stone is within ALONE steps along the lines."""
    row, column = point // (size + 1), point % (size + 1)
    for down in range(-ALONE, ALONE + 1):
        width = ALONE - abs(down)
        if not 1 <= row + down <= size:
            continue
        for across in range(-width, width + 1):
            if 1 <= column + across <= size and board.colours[point + down * (size + 1) + across] != EMPTY:
                return False
    return True


@helper
def prior_of(board: Board, point: int, colour: int, last: int, size: int) -> tuple[float, float]:
    """Visits and mean return for the player to move that a legal move starts with; NOWHERE is a pass."""
    if point == NOWHERE:
        return EVEN, 2.0 * PASS_WINS - 1.0
    if TABLE[board.around[point]] & EYE << colour:
        return OWN_EYE, -1.0
    visits, wins, captures, escapes = EVEN, 0.5 * EVEN, False, False
    for side in range(SIDES):
        near = point + board.steps[side]
        seen = board.colours[near]
        if seen != EMPTY and seen != EDGE and in_atari(board, board.heads[near]):
            captures |= seen != colour
            escapes |= seen == colour
    if is_self_atari(board, point, colour):
        visits += SELF_ATARI
        escapes = False
    gain = CAPTURE * captures + ESCAPE * escapes
    if TABLE[board.around[point]] & PATTERN:
        gain += SHAPE
    if last != NOWHERE:
        distance = _distance(point, last, size)
        gain += BESIDE_LAST if distance <= BESIDE else NEAR_LAST if distance <= NEAR else 0.0
    if _is_alone(board, point, size):
        line = _line(point, size)
        if line <= LOW:
            visits += EMPTY_AREA
        elif line == THIRD:
            gain += EMPTY_AREA
    return visits + gain, 2.0 * (wins + gain) / (visits + gain) - 1.0
