"""Positions as drawings: X is Black, O is White, . is empty."""

import numpy as np

from bonspiel.go.board import workspace_of
from bonspiel.go.dynamics import actions, step
from bonspiel.go.rules import hash_points
from bonspiel.go.state import HISTORY, KO, LAST, MOVER, first_state
from bonspiel.planners.model import Array

RNG = np.random.default_rng(0)


def lines(drawing):
    return [line.split() for line in drawing.strip().splitlines()]


def state_of(drawing, mover="X", superko=False, last=None) -> Array:
    """The state of a position, the first of its game."""
    points = np.array([{"X": 1.0, "O": -1.0, ".": 0.0}[mark] for line in lines(drawing) for mark in line])
    state = first_state(len(lines(drawing)), superko)
    state[: len(points)] = points
    state[len(points) + MOVER] = 1.0 if mover == "X" else -1.0
    state[len(points) + LAST] = -1.0 if last is None else index(len(lines(drawing)), *last)
    if superko:
        size = len(lines(drawing))
        state[len(points) + HISTORY] = hash_points(np.empty(workspace_of.py_func(size), np.int32), state, size)
    return state


def drawing_of(state, size):
    marks = [".", "X", "O"]
    rows = state[: size * size].astype(int).reshape(size, size)
    return "\n".join(" ".join(marks[mark] for mark in row) for row in rows)


def same(drawing):
    """The drawing without its indentation."""
    return "\n".join(map(" ".join, lines(drawing)))


def index(size, row, column):
    return row * size + column


def params_of(size, komi=0.5, superko=False, mogo=False):
    return np.array([size, komi, superko, mogo], float)


def legal(state, size, superko=False):
    """The indices of the legal moves, the pass included."""
    out, keys = np.empty((size * size + 1, 1)), np.empty(size * size + 1, np.uint64)
    count = actions(state, params_of(size, superko=superko), out, keys)
    assert out[:count, 0].tolist() == keys[:count].tolist()
    return [int(key) for key in keys[:count]]


def played(state, size, *moves, superko=False, komi=0.5):
    """The state after moves, (row, column) or None for a pass, which must be legal; and the last reward and end."""
    reward, over = 0.0, False
    for move in moves:
        number = size * size if move is None else index(size, *move)
        assert number in legal(state, size, superko)
        after = np.empty_like(state)
        reward, over = step(state, np.array([float(number)]), after, params_of(size, komi, superko), RNG)
        state = after
    return state, reward, over


def ko_of(state, size):
    barred = int(state[size * size + KO])
    return None if barred < 0 else divmod(barred, size)
