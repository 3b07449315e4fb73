"""Playouts: games played to their end, at random (light) or by answers to the last move (mogo)."""

from bonspiel.go.board import (
    INTS,
    NOWHERE,
    Board,
    Ints,
    board_in,
    index_of_point,
    is_suicide,
    place_stone,
    point_of,
    read_position,
)
from bonspiel.go.neighbourhoods import BLACK, EYE, TABLE
from bonspiel.go.playouts.tactics import is_self_atari, list_ataris, note_ataris, suggested_move, tactics_in
from bonspiel.go.rules import colour_to_move
from bonspiel.go.scoring import score_filled
from bonspiel.go.state import AREAS, KO, KOMI, LAST, MOGO, PASSES, PLY, SIZE
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, boolean, helper, int64, kernel
from bonspiel.planners.model import Array, Rng


@helper
def uniform_move(board: Board, colour: int, ko: int, careful: bool, rng: Rng) -> int:
    """A legal move that fills no eye, all equally likely; a pass if there is none.

    The careful player drops every second self-atari while there is another move.
    """
    left, dropped = board.counts[0], NOWHERE
    while left > 0:
        place = int(rng.random() * left)
        point = board.empties[place]
        if not TABLE[board.around[point]] & EYE << colour and point != ko and not is_suicide(board, point, colour):
            if not (careful and is_self_atari(board, point, colour) and rng.random() < 0.5):
                return point
            dropped = point
        left -= 1
        other = board.empties[left]
        board.empties[place], board.empties[left] = other, point
        board.places[other], board.places[point] = place, left
    return dropped


@helper
def point_in(state: Array, field: int, size: int) -> int:
    """The point in a field of the state; NOWHERE for a pass and for none."""
    index = int(state[size * size + field])
    return point_of(index, size) if 0 <= index < size * size else NOWHERE


@kernel(boolean(INTS, VECTOR, int64, VECTOR, RNG, INTS))
def play_out(workspace: Ints, state: Array, depth: int, params: Array, rng: Rng, trace: Ints) -> bool:
    """Play a game from a state on, at most `depth` plies, with simple ko; return whether it is over then.

    The board in the workspace has its last position. `trace`, [depth + 1] or empty, receives 1 + the index of each of
    Black's moves, or 1 + size^2 for a pass, the negative of it for White's, and 0 after the last one.
    """
    size, mogo = int(params[SIZE]), params[MOGO] > 0.0
    board, tactics = board_in(workspace, size), tactics_in(workspace, size)
    read_position(board, state, size)
    area = size * size
    colour, ko, last = colour_to_move(state, size), point_in(state, KO, size), point_in(state, LAST, size)
    passes, left = int(state[area + PASSES]), AREAS * area - int(state[area + PLY])
    ply, traced = 0, len(trace) > 0
    if mogo:
        list_ataris(board, tactics)
    while passes < 2 and left > 0 and depth > 0:
        point = suggested_move(board, tactics, colour, ko, last, rng) if mogo else NOWHERE
        if point == NOWHERE:
            point = uniform_move(board, colour, ko, mogo, rng)
        if point == NOWHERE:
            passes, ko = passes + 1, NOWHERE
        else:
            passes, ko = 0, place_stone(board, point, colour)
            if mogo:
                note_ataris(board, tactics, point)
        if traced:
            move = 1 + (area if point == NOWHERE else index_of_point(point, size))
            trace[ply] = move if colour == BLACK else -move
            ply += 1
        colour, last = 3 - colour, point
        left, depth = left - 1, depth - 1
    if traced:
        trace[ply] = 0
    return passes == 2 or left == 0


@kernel(int64(INTS, VECTOR, int64, VECTOR, MATRIX, RNG))
def add_owners(workspace: Ints, state: Array, playouts: int, params: Array, owned: Array, rng: Rng) -> int:
    """Count at the end of how many playouts Black and White own each point in `owned`, [2, size^2]; Black's wins."""
    size, wins = int(params[SIZE]), 0
    board = board_in(workspace, size)
    for _ in range(playouts):
        play_out(workspace, state, AREAS * size * size, params, rng, workspace[:0])
        wins += score_filled(board, size) > params[KOMI]
        for index in range(size * size):
            owner = board.owners[point_of(index, size)]
            owned[0, index] += owner > 0
            owned[1, index] += owner < 0
    return wins
