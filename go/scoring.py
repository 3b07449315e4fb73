"""Area scoring: a player's stones, and the empty regions that only these border."""

from bonspiel.go.board import INTS, Board, Ints, board_in, point_of, read_position
from bonspiel.go.neighbourhoods import BESIDE, BLACK, EMPTY, SIDES, TABLE, WHITE
from bonspiel.planners.jit import VECTOR, helper, int64, kernel
from bonspiel.planners.model import Array

BESIDE_BLACK, BESIDE_WHITE = BESIDE << BLACK, BESIDE << WHITE
BOTH = BESIDE_BLACK | BESIDE_WHITE


@helper
def _owner(reached: int) -> int:
    """Owner of an empty region bordered by stones of these colours: +1 Black, -1 White, 0 neither or both."""
    return (1 if reached == BESIDE_BLACK else 0) - (1 if reached == BESIDE_WHITE else 0)


@helper
def score_filled(board: Board, size: int) -> int:
    """Points of Black less those of White if the stones beside each empty point own it, as after a playout.

    Writes `Board.owners`.
    """
    total = 0
    for index in range(size * size):
        point = point_of(index, size)
        colour = board.colours[point]
        owner = _owner(TABLE[board.around[point]] & BOTH) if colour == EMPTY else 1 if colour == BLACK else -1
        board.owners[point] = owner
        total += owner
    return total


@helper
def score_area(board: Board, size: int) -> int:
    """Points of Black less those of White in any position; an empty region belongs to the one colour that borders it.

    Writes `Board.owners`.
    """
    reached = board.owners
    for index in range(size * size):
        point = point_of(index, size)
        reached[point] = TABLE[board.around[point]] & BOTH
    spread = True
    while spread:
        spread = False
        for place in range(board.counts[0]):
            point = board.empties[place]
            found = reached[point]
            for side in range(SIDES):
                near = point + board.steps[side]
                if board.colours[near] == EMPTY:
                    found |= reached[near]
            spread |= found != reached[point]
            reached[point] = found
    total = 0
    for index in range(size * size):
        point = point_of(index, size)
        colour = board.colours[point]
        owner = _owner(reached[point]) if colour == EMPTY else 1 if colour == BLACK else -1
        board.owners[point] = owner
        total += owner
    return total


@kernel(int64(INTS, VECTOR, int64))
def count_area(workspace: Ints, points: Array, size: int) -> int:
    """`score_area` of a position, [size^2 or more]."""
    board = board_in(workspace, size)
    read_position(board, points, size)
    return score_area(board, size)
