"""Whose points are, and which stones are dead, by playouts."""

import numpy as np
import pytest

from bonspiel.go import estimate
from bonspiel.go.estimate import dead_stones, final_lead, owned_parts
from bonspiel.go.model import Go
from bonspiel.go.state import PASSES, PLY
from tests.go.diagrams import state_of

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
    black, white = owned_parts(model, state_of(SETTLED), rng).reshape(2, 7, 7)
    assert (black[:, :4] > 0.75).all() and (white[:, 4:] > 0.75).all() and (black + white <= 1.0).all()
    assert dead_stones(model, state_of(SETTLED), rng).tolist() == [23, 40]


@pytest.mark.parametrize(("field", "value"), [(PASSES, 1), (PASSES, 2), (PLY, 146), (PLY, 147)])
def test_a_game_that_is_over_is_played_on(field, value):
    """Of both colours the dead are the same at the end of the game, by passes or plies, as before it."""
    model, rng, state = Go(7, komi=0.5), np.random.default_rng(0), state_of(SETTLED)
    state[49 + field] = value
    assert dead_stones(model, state, rng).tolist() == [23, 40]
    assert final_lead(model, state, rng) == 4 * 7 - 3 * 7 - 0.5


def test_a_point_of_nobody_is_not_owned_by_its_stone(monkeypatch):
    """The stones at B7, D6 and F1 are their colour's in 0.24, 0.25 and 0.26 of the playouts, or else nobody's."""
    state, owned = state_of(SETTLED), np.ones((2, 49))
    owned[0, 1], owned[0, 10], owned[1, 47] = 0.24, 0.25, 0.26
    monkeypatch.setattr(estimate, "owned_parts", lambda *_: owned)
    assert dead_stones(Go(7), state, np.random.default_rng(0)).tolist() == [1]


def test_stones_of_an_open_board_are_alive():
    open_board = "\n".join(
        [". . . . . . ."] * 2 + [". . X . O . ."] + [". . . . . . ."] + [". . O . X . ."] + [". . . . . . ."] * 2
    )
    assert dead_stones(Go(7), state_of(open_board), np.random.default_rng(0)).tolist() == []
