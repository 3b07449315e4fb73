"""Legal moves: empty points, no suicide, no ko; with superko, no repeated position of the game."""

import numpy as np

from bonspiel.go.board import (
    INTS,
    LARGEST,
    Board,
    Ints,
    board_in,
    count_dead,
    in_atari,
    is_suicide,
    point_of,
    read_position,
)
from bonspiel.go.neighbourhoods import BLACK, EDGE, EMPTY, SIDES, WHITE
from bonspiel.go.state import AREAS, HISTORY, KO, MOVER, PLY, SIZE, SUPERKO
from bonspiel.planners.jit import VECTOR, helper, int64, kernel
from bonspiel.planners.model import Array

LEGAL, OCCUPIED, SUICIDE, BARRED, REPEATED = range(5)
REASONS = {
    OCCUPIED: "the point is occupied",
    SUICIDE: "it would be suicide",
    BARRED: "ko: the point may be retaken after another move",
    REPEATED: "superko: the position has been on the board before",
}
_KEYS = np.random.default_rng(0).integers(2**53, size=(3, (LARGEST + 2) ** 2))  # as many bits as a float keeps


@helper
def colour_to_move(state: Array, size: int) -> int:
    """BLACK or WHITE."""
    return BLACK if state[size * size + MOVER] > 0.0 else WHITE


@helper
def position_hash(board: Board) -> int:
    """The Zobrist hash of a position, 0 to 2^53 - 1."""
    found = 0
    for point in range(len(board.colours)):
        if board.colours[point] != EMPTY and board.colours[point] != EDGE:
            found ^= _KEYS[board.colours[point], point]
    return found


@helper
def hash_after(board: Board, before: int, point: int, colour: int) -> int:
    """The hash of the position after a legal move."""
    found = before ^ _KEYS[colour, point]
    for side in range(SIDES):
        near = point + board.steps[side]
        if board.colours[near] != 3 - colour or not in_atari(board, board.heads[near]):
            continue
        met = False  # the same chain from another side
        for earlier in range(side):
            other = point + board.steps[earlier]
            met |= board.colours[other] == 3 - colour and board.heads[other] == board.heads[near]
        if not met:
            stone = near
            for _ in range(board.stones[board.heads[near]]):
                found ^= _KEYS[3 - colour, stone]
                stone = board.rings[stone]
    return found


@helper
def judge(board: Board, state: Array, params: Array, before: int, index: int) -> int:
    """Return LEGAL if the player to move may play on a point, or the rule that the move breaks.

    Args:
        board: the position of the state.
        state: see `go.state`.
        params: of the model.
        before: with superko, hash of the position.
        index: the point, 0 to n^2 - 1.
    """
    size = int(params[SIZE])
    area = size * size
    point, colour = point_of(index, size), colour_to_move(state, size)
    if state[index] != 0.0:
        return OCCUPIED
    if index == state[area + KO]:
        return BARRED
    if is_suicide(board, point, colour):
        return SUICIDE
    if params[SUPERKO] > 0.0:
        after = hash_after(board, before, point, colour)
        for ply in range(min(int(state[area + PLY]) + 1, AREAS * area)):
            if state[area + HISTORY + ply] == after:
                return REPEATED
    return LEGAL


@kernel(int64(INTS, VECTOR, VECTOR, int64))
def judge_move(workspace: Ints, state: Array, params: Array, index: int) -> int:
    """`judge` with a workspace in place of the board and of the hash."""
    board = board_in(workspace, int(params[SIZE]))
    read_position(board, state, int(params[SIZE]))
    return judge(board, state, params, position_hash(board), index)


@kernel(int64(INTS, VECTOR, int64))
def hash_points(workspace: Ints, points: Array, size: int) -> int:
    """`position_hash` of points, [size^2 or more]."""
    board = board_in(workspace, size)
    read_position(board, points, size)
    return position_hash(board)


@kernel(int64(INTS, VECTOR, int64))
def count_dead_chains(workspace: Ints, points: Array, size: int) -> int:
    """The number of chains without liberties of a position, [size^2 or more]."""
    board = board_in(workspace, size)
    read_position(board, points, size)
    return count_dead(board, size)
