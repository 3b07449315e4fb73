"""Whose points are, and which stones are dead, by playouts."""

import numpy as np

from envs.go.estimate import dead_stones, mean_owners
from envs.go.model import Go
from tests.envs.go.diagrams import state_of

SETTLED = """
    . X . X O . O
    X X X X O O .
    . X . X O O O
    X X O X O . O
    . X . X O O O
    X . X X O X .
    . X . X O O O"""


def test_stones_that_cannot_be_saved_are_dead():
    """Black's at F2 and White's at C4."""
    model, rng = Go(7), np.random.default_rng(0)
    owners = mean_owners(model, state_of(SETTLED), rng).reshape(7, 7)
    assert (owners[:, :4] > 0.5).all() and (owners[:, 4:] < -0.5).all()
    assert dead_stones(model, state_of(SETTLED), rng).tolist() == [23, 40]


def test_stones_of_an_open_board_are_alive():
    open_board = "\n".join(
        [". . . . . . ."] * 2 + [". . X . O . ."] + [". . . . . . ."] + [". . O . X . ."] + [". . . . . . ."] * 2
    )
    assert dead_stones(Go(7), state_of(open_board), np.random.default_rng(0)).tolist() == []
