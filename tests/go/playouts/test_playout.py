"""Patterns, the moves that MoGo's rules suggest, and what playouts leave."""

import random

import numpy as np
import pytest

from bonspiel.go.board import INTS, NOWHERE, board_in, read_position, workspace_of
from bonspiel.go.dynamics import sample_action, step
from bonspiel.go.model import Go
from bonspiel.go.neighbourhoods import DOWN, PATTERN, PATTERNS, RIGHT, TABLE, number_of
from bonspiel.go.playouts.playout import play_out, point_in
from bonspiel.go.playouts.tactics import MOVES, list_ataris, suggested_move, tactics_in
from bonspiel.go.rules import colour_to_move
from bonspiel.go.scoring import score_filled
from bonspiel.go.state import KO, LAST, first_state
from bonspiel.planners.jit import RNG, VECTOR, int64, kernel
from tests.go.diagrams import index, params_of, state_of
from tests.go.naive_board import NaiveBoard

MEANING = {"X": "X", "O": "O", ".": ".", "-": "-", "x": ".O", "o": ".X", "?": ".XO", "*": "*"}


def turned(rows):
    return ["".join(row) for row in zip(*rows[::-1], strict=True)]


def naive_match(rows):
    """Whether any pattern matches three rows of text, however it is turned, mirrored or coloured."""
    for pattern in (pattern for family in PATTERNS.values() for pattern in family):
        for colours in ("XOxo", "OXox"):
            square = pattern.translate(str.maketrans("XOxo", colours)).split("/")
            for _ in range(4):
                square = turned(square)
                for mirrored in (square, square[::-1]):
                    pairs = zip("".join(rows), "".join(mirrored), strict=True)
                    if all(seen in MEANING[allowed] for seen, allowed in pairs):
                        return True
    return False


def test_patterns_match_as_text_does():
    draw, found = random.Random(0), 0
    for _ in range(3000):
        rows = [[draw.choice(".XO") for _ in range(3)] for _ in range(3)]
        if draw.random() < 0.3:
            rows[2] = ["-"] * 3
        for _ in range(draw.randrange(4)):
            rows = [list(row) for row in turned(rows)]
        neighbours = tuple(".XO-".index(rows[1 + down][1 + right]) for down, right in zip(DOWN, RIGHT, strict=True))
        rows[1][1] = "*"
        matched = bool(TABLE[number_of(neighbours)] & PATTERN)
        assert matched == naive_match(["".join(row) for row in rows])
        found += matched
    assert 300 < found < 2700


@kernel(int64(INTS, VECTOR, int64, RNG))
def suggest(workspace, state, size, rng):
    """The candidates are left in the workspace."""
    board, tactics = board_in(workspace, size), tactics_in(workspace, size)
    read_position(board, state, size)
    list_ataris(board, tactics)
    colour, ko, last = colour_to_move(state, size), point_in(state, KO, size), point_in(state, LAST, size)
    return suggested_move(board, tactics, colour, ko, last, rng)


def candidates(state, size):
    """(row, column) of all suggested moves, from which one is drawn."""
    workspace = np.empty(workspace_of.py_func(size), np.int32)
    move = suggest(workspace, state, size, np.random.default_rng(0))
    tactics = tactics_in.py_func(workspace, size)
    moves = tactics.moves[: tactics.counts[MOVES]].tolist()
    assert move in moves or (move == NOWHERE and not moves)
    return {(point // (size + 1) - 1, point % (size + 1) - 1) for point in moves}


def suggestions(drawing, last, mover="X", ko=None):
    """The candidates in a position of 7 x 7."""
    state = state_of(drawing, mover, last=last)
    state[49 + KO] = -1 if ko is None else index(7, *ko)
    return candidates(state, 7)


ATARI = """
    . . . . . . .
    . . O . . . .
    . O X X O . .
    . . O O X . .
    . . . X . . .
    . . . . . . .
    . . . . . . ."""


def test_an_atari_is_answered_by_an_extension_or_by_the_capture_of_an_attacker():
    """The last move, at row 1, column 2, left the two black stones one liberty."""
    assert suggestions(ATARI, (1, 2)) == {(1, 3)}
    weak = ATARI.replace(". . . X . . .", ". . X X . . .")
    assert suggestions(weak, (1, 2)) == {(1, 3), (3, 1)}
    assert suggestions(weak, (1, 2), ko=(3, 1)) == {(1, 3)}


def test_an_extension_to_one_liberty_is_not_suggested():
    assert (1, 3) not in suggestions(ATARI.replace(". . O . . . .", ". . O . O . ."), (1, 2))


def test_patterns_are_looked_for_around_the_last_move():
    contact = """
        . . . . . . .
        . . . . . . .
        . . X O . . .
        . . . . . . .
        . . . . . . .
        . . . . O . .
        . . . . X . ."""
    assert suggestions(contact, (2, 3)) == {(1, 2), (1, 3), (3, 2), (3, 3)}
    assert suggestions(contact, (2, 3), ko=(1, 2)) == {(1, 3), (3, 2), (3, 3)}


def test_captures_are_looked_for_everywhere_if_there_is_no_pattern():
    corner = """
        O X . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . O .
        . . . . . . ."""
    assert suggestions(corner, (5, 5)) == suggestions(corner, None) == {(1, 0)}
    assert suggestions(corner, (5, 5), mover="O") == set()


def played_out(state, size, mogo, seed, depth=10_000):
    """The stones after a playout, whether it is over, and the points of Black less those of White."""
    workspace = np.empty(workspace_of.py_func(size), np.int32)
    over = play_out(workspace, state, depth, params_of(size, mogo=mogo), np.random.default_rng(seed), workspace[:0])
    board = board_in.py_func(workspace, size)
    colours = board.colours[size + 1 : -size - 2].reshape(size, size + 1)[:, 1:]
    stones = {(int(row), int(column)): 3 - 2 * int(colours[row, column]) for row, column in np.argwhere(colours)}
    return stones, over, score_filled(board, size)


def is_eye(naive, point, colour):
    row, column = point
    across = [(row + down, column + right) for down in (-1, 1) for right in (-1, 1)]
    enemies = sum(naive.stones.get(corner) == -colour for corner in across)
    at_edge = not all(corner in naive.points() for corner in across)
    own = all(naive.stones.get(near) == colour for near in naive.neighbours(point))
    return own and enemies <= (0 if at_edge else 1)


@pytest.mark.parametrize("mogo", [False, True])
def test_playouts_are_legal_games_that_end_when_nothing_but_eyes_is_left(mogo):
    size, seen, answered = 7, 0, 0
    for seed in range(3):
        naive, state, over = NaiveBoard(size, False), first_state(size, False), False
        passes = depth = 0
        while not over:
            depth += 1
            stones, over, score = played_out(first_state(size, False), size, mogo, seed, depth)
            new = [point for point in stones if point not in naive.stones]
            assert len(new) <= 1
            passes = 0 if new else passes + 1
            if new:
                assert stones[new[0]] == naive.mover and naive.is_legal(new[0])
                assert not is_eye(naive, new[0], naive.mover)
            else:
                assert all(is_eye(naive, p, naive.mover) for p in naive.points() if naive.is_legal(p))
            if mogo and (suggested := candidates(state, size)):
                answered += 1
                assert new[0] in suggested
            naive.play(new[0] if new else None)
            assert naive.stones == stones
            before, state = state, np.empty_like(state)
            action = np.array([float(index(size, *new[0]) if new else size * size)])
            step(before, action, state, params_of(size), np.random.default_rng(0))
        assert passes == 2 or depth == 3 * size * size
        assert passes < 2 or score == naive.score()
        seen += depth
    assert seen > 3 * size * size and (answered > seen / 4) == mogo


def test_the_first_move_of_a_playout_is_uniform():
    state, action, rng = first_state(5, False), np.empty(1), np.random.default_rng(0)
    counts = np.zeros(26)
    for _ in range(5_000):
        sample_action(state, action, params_of(5), rng)
        counts[int(action[0])] += 1
    assert counts[25] == 0 and ((counts[:25] - 200.0) ** 2 / 200.0).sum() < 52.0  # chi-square, 24 degrees, p = 0.001


def test_mogo_knows_more_than_chance():
    """White's two stones in the corner can be captured by one of 45 moves."""
    state = state_of("""
        O O X . . . .
        X . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .""")
    captured = [0, 0]
    for seed in range(200):
        for mogo in (0, 1):
            captured[mogo] += (0, 0) not in played_out(state, 7, mogo, seed, 1)[0]
    assert captured[1] == 200 and captured[0] < 20


def test_a_rollout_that_is_cut_off_is_worth_nothing():
    model, rng = Go(5, komi=0.5), np.random.default_rng(0)
    for depth, results in ((5, {0.0}), (75, {-1.0, 1.0})):
        states = (model.initial_state(rng) for _ in range(50))
        assert {model.rollout(state, state.copy(), depth, model.params, rng) for state in states} == results
