"""The board that rules and playouts work on: flat arrays with an edge around, and chains with their liberties.

A point is row * (size + 1) + column with rows and columns from 1 on; the edge at the right of a row is that at the left
of the next. Point 0 is of the edge: it stands for no point, and as a move for a pass.

A chain is a ring of stones, known by one of them, its head. Its pseudo-liberties are its liberties, each counted once
for every stone of the chain beside it. All of them are the same point if and only if their number times the sum of
their squares is the square of their sum.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.go.neighbourhoods import BLACK, DOWN, EDGE, EMPTY, NEIGHBOURS, OPEN, RIGHT, SIDES, TABLE, WHITE
from bonspiel.planners.jit import helper, typeof
from bonspiel.planners.model import Array

LARGEST = 19
BOARD_ARRAYS, TACTICS_ARRAYS = 11, 3  # of points in a workspace
NOWHERE = 0  # the point that is none; as a move, a pass

Ints = NDArray[np.int32]
INTS = typeof(np.empty(0, np.int32))


class Board(NamedTuple):
    """The arrays of a board, int32, all but the last two indexed by points.

    Attributes:
        colours: EMPTY, BLACK, WHITE or EDGE.
        around: neighbourhoods, see `go.neighbourhoods`; undefined at the edge.
        heads: of the chain of each stone.
        rings: the next stone of the chain of each stone.
        liberties: number of the pseudo-liberties of each head's chain.
        sums: of these pseudo-liberties.
        squares: sum of their squares.
        stones: number of stones of each head's chain.
        empties: the empty points, in any order.
        places: of each empty point in `empties`.
        owners: owner of each point, +1 Black, -1 White, 0 neither; see `go.scoring`.
        steps: from a point to its neighbours, [8].
        counts: the number of empty points, [1].
    """

    colours: Ints
    around: Ints
    heads: Ints
    rings: Ints
    liberties: Ints
    sums: Ints
    squares: Ints
    stones: Ints
    empties: Ints
    places: Ints
    owners: Ints
    steps: Ints
    counts: Ints


@helper
def points_of(size: int) -> int:
    """The number of points of a board of a size from 1 to 19, the edge included."""
    return (size + 2) * (size + 1) + 1


@helper
def workspace_of(size: int) -> int:
    """Length of the workspace, int32, that the functions of this folder need for a board and for tactics."""
    return (BOARD_ARRAYS + TACTICS_ARRAYS) * points_of(size) + NEIGHBOURS + 3


@helper
def board_in(workspace: Ints, size: int) -> Board:
    """The arrays of a board, at the beginning of a workspace."""
    n = points_of(size)
    rest = (BOARD_ARRAYS + TACTICS_ARRAYS) * n
    return Board(
        workspace[:n],
        workspace[n : 2 * n],
        workspace[2 * n : 3 * n],
        workspace[3 * n : 4 * n],
        workspace[4 * n : 5 * n],
        workspace[5 * n : 6 * n],
        workspace[6 * n : 7 * n],
        workspace[7 * n : 8 * n],
        workspace[8 * n : 9 * n],
        workspace[9 * n : 10 * n],
        workspace[10 * n : 11 * n],
        workspace[rest : rest + NEIGHBOURS],
        workspace[rest + NEIGHBOURS : rest + NEIGHBOURS + 1],
    )


@helper
def point_of(index: int, size: int) -> int:
    """The point of an index, 0 to size^2 - 1, from left to right and from top to bottom."""
    row = index // size
    return (row + 1) * (size + 1) + index - row * size + 1


@helper
def index_of_point(point: int, size: int) -> int:
    """The index of a point, as `point_of` takes it."""
    row = point // (size + 1)
    return (row - 1) * size + point - row * (size + 1) - 1


@helper
def clear(board: Board, size: int) -> None:
    """Make the board empty."""
    colours, around, steps = board.colours, board.around, board.steps
    for place in range(NEIGHBOURS):
        steps[place] = DOWN[place] * (size + 1) + RIGHT[place]
    colours[:] = EDGE
    for index in range(size * size):
        point = point_of(index, size)
        colours[point] = EMPTY
        board.empties[index], board.places[point] = point, index
    board.counts[0] = size * size
    for index in range(size * size):
        point, neighbours = point_of(index, size), 0
        for place in range(NEIGHBOURS):
            neighbours |= colours[point + steps[place]] << 2 * place
        around[point] = neighbours


@helper
def drop_empty(board: Board, point: int) -> None:
    """Take a point off the list of empty ones."""
    last = board.counts[0] - 1
    place, moved = board.places[point], board.empties[last]
    board.empties[place], board.places[moved], board.counts[0] = moved, place, last


@helper
def put_stone(board: Board, point: int, colour: int) -> None:
    """Put a stone on an empty point; chains without liberties stay."""
    colours, around, heads, steps = board.colours, board.around, board.heads, board.steps
    liberties, sums, squares = board.liberties, board.sums, board.squares
    drop_empty(board, point)
    colours[point] = colour
    count, total, square_total = 0, 0, 0
    for side in range(SIDES):
        near, far = point + steps[side], point + steps[SIDES + side]
        around[near] += colour << 2 * (3 - side)
        around[far] += colour << 2 * (7 - side)
        seen = colours[near]
        if seen == EMPTY:
            count, total, square_total = count + 1, total + near, square_total + near * near
        elif seen != EDGE:
            head = heads[near]
            liberties[head] -= 1
            sums[head] -= point
            squares[head] -= point * point
    heads[point], board.rings[point], board.stones[point] = point, point, 1
    liberties[point], sums[point], squares[point] = count, total, square_total
    for side in range(SIDES):
        near = point + steps[side]
        if colours[near] == colour and heads[near] != heads[point]:
            _join(board, heads[near], heads[point])


@helper
def _join(board: Board, one: int, other: int) -> None:
    """Make one chain of two."""
    heads, rings, stones = board.heads, board.rings, board.stones
    if stones[one] < stones[other]:
        one, other = other, one
    board.liberties[one] += board.liberties[other]
    board.sums[one] += board.sums[other]
    board.squares[one] += board.squares[other]
    stones[one] += stones[other]
    stone = other
    for _ in range(stones[other]):
        heads[stone] = one
        stone = rings[stone]
    rings[one], rings[other] = rings[other], rings[one]


@helper
def remove_chain(board: Board, head: int) -> int:
    """Take a chain off the board; the number of its stones."""
    colours, around, heads, steps = board.colours, board.around, board.heads, board.steps
    liberties, sums, squares = board.liberties, board.sums, board.squares
    colour, stones, point = colours[head], board.stones[head], head
    for _ in range(stones):
        last = board.counts[0]
        board.empties[last], board.places[point], board.counts[0] = point, last, last + 1
        colours[point] = EMPTY
        for side in range(SIDES):
            near, far = point + steps[side], point + steps[SIDES + side]
            around[near] -= colour << 2 * (3 - side)
            around[far] -= colour << 2 * (7 - side)
            seen = colours[near]
            if seen != EMPTY and seen != EDGE:
                neighbour = heads[near]
                liberties[neighbour] += 1
                sums[neighbour] += point
                squares[neighbour] += point * point
        point = board.rings[point]
    return stones


@helper
def place_stone(board: Board, point: int, colour: int) -> int:
    """Play a legal move; the point that simple ko bars for the next one, or NOWHERE."""
    put_stone(board, point, colour)
    captured, where = 0, NOWHERE
    for side in range(SIDES):
        near = point + board.steps[side]
        if board.colours[near] == 3 - colour and board.liberties[board.heads[near]] == 0:
            captured += remove_chain(board, board.heads[near])
            where = near
    lone = board.stones[board.heads[point]] == 1 and board.liberties[board.heads[point]] == 1
    return where if captured == 1 and lone else NOWHERE


@helper
def in_atari(board: Board, head: int) -> bool:
    """Return whether a chain has exactly one liberty."""
    return board.liberties[head] * board.squares[head] == board.sums[head] * board.sums[head]


@helper
def is_suicide(board: Board, point: int, colour: int) -> bool:
    """Return whether a stone on an empty point would leave its own chain without liberties."""
    if TABLE[board.around[point]] & OPEN:
        return False
    for side in range(SIDES):
        near = point + board.steps[side]
        seen = board.colours[near]
        if seen != EDGE and in_atari(board, board.heads[near]) != (seen == colour):
            return False
    return True


@helper
def read_position(board: Board, points: Array, size: int) -> None:
    """Set up a position: +1 Black's stone, -1 White's, 0 none, [size^2 or more]."""
    clear(board, size)
    for index in range(size * size):
        if points[index] != 0.0:
            put_stone(board, point_of(index, size), BLACK if points[index] > 0.0 else WHITE)


@helper
def count_dead(board: Board, size: int) -> int:
    """The number of chains without liberties, of which a position that occurs in games has none."""
    dead = 0
    for index in range(size * size):
        point = point_of(index, size)
        stone = board.colours[point] != EMPTY and board.heads[point] == point
        dead += stone and board.liberties[point] == 0
    return dead
