"""The board against known numbers, a naive board, and the shapes that Go players know."""

import numpy as np
import pytest

from bonspiel.go.board import (
    INTS,
    board_in,
    clear,
    count_dead,
    in_atari,
    point_of,
    put_stone,
    read_position,
    workspace_of,
)
from bonspiel.go.dynamics import actions, step
from bonspiel.go.neighbourhoods import EMPTY
from bonspiel.go.playouts.tactics import is_self_atari
from bonspiel.go.rules import LEGAL, colour_to_move, judge_move, position_hash
from bonspiel.go.state import HISTORY, PASSES, PLY, first_state
from bonspiel.planners.jit import VECTOR, int64, kernel, typeof
from tests.go.diagrams import drawing_of, ko_of, legal, params_of, played, same, state_of
from tests.go.naive_board import NaiveBoard


@kernel(int64(typeof(np.empty((1, 1), np.int32)), typeof(np.empty(1, np.int64)), int64))
def count_legal_positions(workspaces, tried, size):
    """Colour one point after the other, each with a workspace of its own, and count boards without dead chains.

    The first point is empty or black: a board with a white one is another's with the colours exchanged.
    """
    found, level, area = 0, 0, size * size
    clear(board_in(workspaces[0], size), size)
    tried[:] = 0
    while level >= 0:
        colour = tried[level]
        tried[level] += 1
        if colour == (3 if level > 0 else 2):
            level -= 1
            continue
        for place in range(workspaces.shape[1]):
            workspaces[level + 1, place] = workspaces[level, place]
        if colour > 0:
            put_stone(board_in(workspaces[level + 1], size), point_of(level, size), colour)
        if level + 1 == area:
            found += tried[0] * (count_dead(board_in(workspaces[area], size), size) == 0)
        else:
            level += 1
            tried[level] = 0
    return found


@pytest.mark.parametrize(("size", "positions"), [(1, 1), (2, 57), (3, 12675), (4, 24318165)])
def test_number_of_legal_positions(size, positions):
    """John Tromp, Gunnar Farneback: Combinatorics of Go."""
    workspaces = np.empty((size * size + 1, workspace_of.py_func(size)), np.int32)
    assert count_legal_positions(workspaces, np.empty(size * size, np.int64), size) == positions


def sequences(state, params, plies):
    """The number of games of so many plies; one that is over before counts once."""
    if plies == 0:
        return 1
    size, total = int(params[0]), 0
    out, keys = np.empty((size * size + 1, 1)), np.empty(size * size + 1, np.uint64)
    for action in out[: actions(state, params, out, keys)].copy():
        after = np.empty_like(state)
        _, over = step(state, action, after, params, np.random.default_rng(0))
        total += 1 if over else sequences(after, params, plies - 1)
    return total


@pytest.mark.parametrize(
    ("size", "superko", "numbers"),
    [
        (2, False, [5, 21, 69, 161, 337, 673, 1329, 2929]),
        (2, True, [5, 21, 69, 161, 337, 673, 1249, 2521]),
        (3, False, [10, 91, 739, 5291, 33475]),
        (5, False, [26, 651, 15651]),
    ],
)
def test_number_of_move_sequences(size, superko, numbers):
    first, params = first_state(size, superko), params_of(size, superko=superko)
    assert [sequences(first, params, plies) for plies in range(1, len(numbers) + 1)] == numbers


@kernel(int64(INTS, VECTOR, int64, VECTOR))
def look(workspace, state, size, out):
    """For each point whether its chain is in atari, or would be after a move there; the hash of the position."""
    board = board_in(workspace, size)
    read_position(board, state, size)
    colour = colour_to_move(state, size)
    for index in range(size * size):
        point = point_of(index, size)
        stone = board.colours[point] != EMPTY
        out[index] = in_atari(board, board.heads[point]) if stone else is_self_atari(board, point, colour)
    return position_hash(board)


def ataris(naive):
    """What `look` says, in plain Python, of stones and legal moves."""
    found = {}
    for point in naive.points():
        stones = naive.stones if point in naive.stones else naive.after(point)[0]
        if stones is not None:
            found[point] = len(naive.liberties(stones, point)) == 1
    return found


@pytest.mark.parametrize(
    ("size", "superko", "plies"), [(2, True, 2000), (3, True, 2000), (5, False, 1800), (7, True, 300), (19, False, 250)]
)
def test_random_games_agree_with_a_naive_board(size, superko, plies):
    rng, params = np.random.default_rng(size), params_of(size, 0.5, superko)
    workspace, found = np.empty(workspace_of.py_func(size), np.int32), np.empty(size * size)
    hashes, over = {}, True
    for _ in range(plies):
        if over:
            naive, state = NaiveBoard(size, superko), first_state(size, superko)
        allowed = [row * size + column for row, column in naive.points() if naive.is_legal((row, column))]
        assert legal(state, size, superko) == [*allowed, size * size]
        stones = frozenset(naive.stones.items())
        assert hashes.setdefault(look(workspace, state, size, found), stones) == stones
        assert all(found[row * size + column] == expected for (row, column), expected in ataris(naive).items())
        # passes are rare, so that boards fill up, and ko fights are long
        move = int(rng.choice(allowed)) if allowed and rng.random() < 0.95 else size * size
        naive.play(None if move == size * size else divmod(move, size))
        before, state = state, np.empty_like(state)
        reward, over = step(before, np.array([float(move)]), state, params, rng)
        assert state[: size * size].tolist() == [naive.stones.get(point, 0) for point in naive.points()]
        assert ko_of(state, size) == naive.ko
        assert not over or reward == np.sign(naive.score() - 0.5)


def test_a_ko_may_be_retaken_after_another_move():
    state = state_of("""
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .""")
    state, *_ = played(state, 5, (1, 2))
    assert ko_of(state, 5) == (1, 1) and 6 not in legal(state, 5)
    state, *_ = played(state, 5, (4, 4), None, (1, 1))
    assert ko_of(state, 5) == (1, 2) and 7 not in legal(state, 5)


def test_of_two_kos_the_other_may_be_taken():
    state = state_of("""
        . X O . . . .
        X O . O . . .
        . X O . . . .
        . . . . . . .
        . . . . O X .
        . . . O X . X
        . . . . O X .""")
    state, *_ = played(state, 7, (1, 2), (5, 5))
    assert ko_of(state, 7) == (5, 4) and 5 * 7 + 4 not in legal(state, 7)
    state, *_ = played(state, 7, (0, 0), (1, 1))
    assert ko_of(state, 7) == (1, 2) and 5 * 7 + 4 in legal(state, 7)


def test_a_snapback_is_no_ko():
    state = state_of("""
        X . . O X
        X O O O X
        X X X X X
        . . . . .
        . . . . .""")
    state, *_ = played(state, 5, (0, 2), (0, 1))
    assert ko_of(state, 5) is None
    state, *_ = played(state, 5, (0, 2))
    assert drawing_of(state, 5).startswith("X . X . X\nX . . . X\nX X X X X")


@pytest.mark.parametrize("superko", [False, True])
def test_sending_two_stones_to_get_one_back_repeats_the_position(superko):
    drawing = """
        . O . O .
        X X O O O
        . X X O .
        X . X O O
        . X X O ."""
    state, *_ = played(state_of(drawing, superko=superko), 5, None, (0, 0), (0, 2), superko=superko)
    assert ko_of(state, 5) is None and (1 in legal(state, 5, superko)) == (not superko)
    if not superko:
        again, *_ = played(state, 5, (0, 1))
        assert drawing_of(again, 5) == same(drawing)


def test_suicide_is_illegal_and_an_illegal_action_is_a_pass():
    state = state_of(
        """
        . X .
        X . X
        . X .""",
        "O",
    )
    assert legal(state, 3) == [9] and legal(state_of(drawing_of(state, 3)), 3) == [0, 2, 4, 6, 8, 9]
    after = np.empty_like(state)
    step(state, np.array([4.0]), after, params_of(3), np.random.default_rng(0))
    assert drawing_of(after, 3) == drawing_of(state, 3) and after[9 + PASSES] == 1.0


@pytest.mark.parametrize(("komi", "reward"), [(3.5, 1.0), (4.0, 0.0), (4.5, -1.0)])
def test_two_passes_end_the_game_by_area(komi, reward):
    """Black has 13 stones and 1 point, White 9 stones and 1 point; a point that both reach is nobody's."""
    state = state_of("""
        X X . O O
        X . X O O
        X X X O O
        X X X O .
        X X X O O""")
    assert played(state, 5, None, komi=komi)[1:] == (0.0, False)
    assert played(state, 5, None, None, komi=komi)[1:] == (reward, True)


def test_no_more_hashes_are_read_than_there_are():
    """The number behind the state of a game of all its plies is the hash of what a move would lead to."""
    state = state_of(". X .\n. . .\n. . .", "O", superko=True)
    after, workspace = played(state, 3, (2, 2), superko=True)[0], np.empty(workspace_of.py_func(3), np.int32)
    longer = np.append(state, after[9 + HISTORY + 1])
    longer[9 + PLY] = 27
    assert judge_move(workspace, longer[:-1], params_of(3, superko=True), 8) == LEGAL


def test_a_game_without_end_is_scored_after_three_times_the_points():
    state = state_of(". X .\n. . .\n. . .")
    state[9 + PLY] = 26
    assert played(state, 3, (1, 1), komi=8.5)[1:] == (1.0, True)
