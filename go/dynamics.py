"""The functions of `go.model.Go`, compiled."""

import numpy as np
from numpy.typing import NDArray

from bonspiel.go.board import (
    INTS,
    NOWHERE,
    Ints,
    board_in,
    drop_empty,
    index_of_point,
    place_stone,
    point_of,
    read_position,
    workspace_of,
)
from bonspiel.go.neighbourhoods import BLACK, EMPTY
from bonspiel.go.playouts.playout import play_out, point_in, uniform_move
from bonspiel.go.playouts.priors import prior_of
from bonspiel.go.rules import LEGAL, colour_to_move, judge, position_hash
from bonspiel.go.scoring import score_area, score_filled
from bonspiel.go.state import AREAS, BEFORE_LAST, HISTORY, KO, KOMI, LAST, MOVER, NONE, PASSES, PLY, SIZE, SUPERKO
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, compiled, float64, helper, int64, kernel, typeof, uint64
from bonspiel.planners.model import Array, Rng


@helper
def result_of(points: int, params: Array) -> float:
    """+1 if Black has won with these points more than White, -1 if White has won, 0 for a draw."""
    lead = points - params[KOMI]
    return 1.0 if lead > 0.0 else -1.0 if lead < 0.0 else 0.0


@kernel(typeof((0.0, True))(INTS, VECTOR, VECTOR, VECTOR, VECTOR))
def _advance(workspace: Ints, state: Array, action: Array, next_state: Array, params: Array) -> tuple[float, bool]:
    """`step` with a workspace."""
    size = int(params[SIZE])
    area = size * size
    board = board_in(workspace, size)
    read_position(board, state, size)
    index, ply = round(action[0]), int(state[area + PLY]) + 1
    before = position_hash(board) if params[SUPERKO] > 0.0 else 0
    is_pass = index == area or judge(board, state, params, before, index) != LEGAL
    ko = NOWHERE if is_pass else place_stone(board, point_of(index, size), colour_to_move(state, size))
    for place in range(len(state)):
        next_state[place] = state[place]
    next_state[area + KO] = NONE if ko == NOWHERE else index_of_point(ko, size)
    for place in range(area):
        colour = board.colours[point_of(place, size)]
        next_state[place] = 0.0 if colour == EMPTY else 1.0 if colour == BLACK else -1.0
    next_state[area + MOVER] = -state[area + MOVER]
    next_state[area + LAST], next_state[area + BEFORE_LAST] = area if is_pass else index, state[area + LAST]
    next_state[area + PASSES] = state[area + PASSES] + 1.0 if is_pass else 0.0
    next_state[area + PLY] = ply
    if params[SUPERKO] > 0.0 and ply < AREAS * area:
        next_state[area + HISTORY + ply] = position_hash(board)
    over = next_state[area + PASSES] >= 2.0 or ply >= AREAS * area
    return (result_of(score_area(board, size), params) if over else 0.0), over


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Play the move nearest to the action; a move that is illegal is a pass."""
    return _advance(np.empty(workspace_of(int(params[SIZE])), np.int32), state, action, next_state, params)


@kernel(int64(INTS, VECTOR, VECTOR, MATRIX, uint64[::1]))
def _legal_moves(workspace: Ints, state: Array, params: Array, out: Array, keys: NDArray[np.uint64]) -> int:
    """`actions` with a workspace."""
    size, count = int(params[SIZE]), 0
    board = board_in(workspace, size)
    read_position(board, state, size)
    before = position_hash(board) if params[SUPERKO] > 0.0 else 0
    for index in range(size * size + 1):
        if index == size * size or judge(board, state, params, before, index) == LEGAL:
            out[count, 0], keys[count] = index, index
            count += 1
    return count


@compiled("actions")
def actions(state: Array, params: Array, out: Array, keys: NDArray[np.uint64]) -> int:
    """The legal moves from left to right and top to bottom, then the pass; the key is the point."""
    return _legal_moves(np.empty(workspace_of(int(params[SIZE])), np.int32), state, params, out, keys)


@kernel(int64(INTS, VECTOR, VECTOR, RNG))
def _sample_move(workspace: Ints, state: Array, params: Array, rng: Rng) -> int:
    size = int(params[SIZE])
    board = board_in(workspace, size)
    read_position(board, state, size)
    before = position_hash(board) if params[SUPERKO] > 0.0 else 0
    while True:
        point = uniform_move(board, colour_to_move(state, size), point_in(state, KO, size), False, rng)
        if point == NOWHERE:
            return size * size
        index = index_of_point(point, size)
        if judge(board, state, params, before, index) == LEGAL:
            return index
        drop_empty(board, point)


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """A move of a light playout."""
    action[0] = _sample_move(np.empty(workspace_of(int(params[SIZE])), np.int32), state, params, rng)


@kernel(float64(INTS, VECTOR, int64, VECTOR, RNG, INTS, VECTOR))
def _playout_result(
    workspace: Ints, state: Array, depth: int, params: Array, rng: Rng, trace: Ints, owners: Array
) -> float:
    """`rollout` with a workspace; also writes the trace and the owners where these are not empty."""
    size = int(params[SIZE])
    board = board_in(workspace, size)
    over = play_out(workspace, state, depth, params, rng, trace)
    points = score_filled(board, size)
    for index in range(len(owners)):
        owners[index] = board.owners[point_of(index, size)]
    return result_of(points, params) if over else 0.0


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """The result of a playout; 0 if it takes more than `depth` plies."""
    workspace = np.empty(workspace_of(int(params[SIZE])), np.int32)
    return _playout_result(workspace, state, depth, params, rng, workspace[:0], scratch[:0])


@compiled("traced_rollout")
def traced_rollout(
    state: Array,
    scratch: Array,
    depth: int,
    params: Array,
    rng: Rng,
    keys: NDArray[np.uint64],
    movers: Array,
    owners: Array,
) -> float:
    """The result of a playout, its moves, the owner of each point in its last position, and the winner."""
    workspace, trace = np.empty(workspace_of(int(params[SIZE])), np.int32), np.empty(depth + 1, np.int32)
    points = int(params[SIZE]) ** 2
    result = _playout_result(workspace, state, depth, params, rng, trace, owners[:points])
    owners[points] = result
    for ply in range(depth + 1):
        move = trace[ply]
        movers[ply] = 0.0 if move == 0 else 1.0 if move > 0 else -1.0
        if move == 0:
            break
        keys[ply] = abs(move) - 1
    return result


@kernel(int64(INTS, VECTOR, VECTOR, MATRIX, MATRIX))
def _write_priors(workspace: Ints, state: Array, params: Array, moves: Array, out: Array) -> int:
    """`priors` with a workspace."""
    size = int(params[SIZE])
    board = board_in(workspace, size)
    read_position(board, state, size)
    last = point_in(state, LAST, size)
    for row in range(len(moves)):
        index = int(moves[row, 0])
        point = point_of(index, size) if index < size * size else NOWHERE
        out[row, 0], out[row, 1] = prior_of(board, point, colour_to_move(state, size), last, size)
    return 0


@compiled("priors")
def priors(state: Array, params: Array, actions: Array, out: Array) -> None:
    """Prior visits and mean of each move by the position around it; see `go.playouts.priors`."""
    _write_priors(np.empty(workspace_of(int(params[SIZE])), np.int32), state, params, actions, out)


@compiled("region")
def region(action: Array, params: Array) -> int:
    """The point of a move; none for a pass."""
    index = int(action[0])
    return index if index < int(params[SIZE]) ** 2 else -1


@compiled("player")
def player(state: Array, params: Array) -> float:
    """+1 Black or -1 White."""
    size = int(params[SIZE])
    return state[size * size + MOVER]
