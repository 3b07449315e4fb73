"""Checks of given states."""

import numpy as np
import pytest

from bonspiel.curling.checks import check_match_state
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import FIRST_STONE, HAMMER, LEAD, TIME, state_of
from bonspiel.curling.model import Curling

MATCH = Curling(ends=3, extra_ends=1)


def board(*rows, y=38.0):
    stones = no_stones()
    for row in rows:
        stones[row] = -2.0 + 0.3 * (row % 8), y - row // 8
    return stones


@pytest.mark.parametrize(("physics", "noise"), [("fcv1", "normal_dist"), ("dc2", "gat"), ("dc2", "dc2")])
def test_every_state_of_random_matches_passes(physics, noise):
    model = Curling(ends=3, extra_ends=2, physics=physics, noise=noise)
    rng = np.random.default_rng(1)
    action, following = np.empty(3), np.empty(model.state_dim)
    for _ in range(20):
        state, over = model.initial_state(rng), False
        while not over:
            checked = check_match_state(model, state)
            np.testing.assert_array_equal(checked, state)
            assert not np.shares_memory(checked, state)
            model.sample_action(state, action, model.params, rng)
            over = model.step(state, action, following, model.params, rng)[1]
            state[:] = following


@pytest.mark.parametrize(
    "state",
    [
        state_of(board(0, 1, 8), 3),
        state_of(board(0, 8, 9), 3, hammer=0),
        state_of(board(0, 8, 9), 3, hammer=0, end=2),
        state_of(board(), 0, hammer=1, end=1, lead=8),
        state_of(board(), 0, hammer=0, end=1, lead=-1),
        state_of(board(), 0, hammer=1, end=2, lead=-7),
        state_of(board(), 0, hammer=0, end=2, lead=7),
        state_of(board(), 15, hammer=0, end=3),
    ],
)
def test_possible_states_are_accepted(state):
    check_match_state(MATCH, state)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (state_of(board(*range(7)), 3), "team 0=7.*at most 2"),
        (state_of(board(8, 9), 3), "team 1=2.*at most 1"),
        (state_of(board(0, 1), 3, hammer=0), "team 0=2.*at most 1"),
        (state_of(board(0), 0, end=1), "team 0=1.*at most 0"),
        (state_of(board(2), 3), r"rows of team 0=\[2\].*below 2"),
        (state_of(board(), 0, end=4), "time=64.*0 to 63"),
        (state_of(board(), 0, lead=1), "lead=1.*0 to 0"),
        (state_of(board(), 0, hammer=1, end=1, lead=9), "lead=9.*0 to 8"),
        (state_of(board(), 0, hammer=1, end=1, lead=-1), "lead=-1.*team 1"),
        (state_of(board(), 0, hammer=0, end=1, lead=1), "lead=1.*-8 to 0.*team 0"),
        (state_of(board(), 0, hammer=0, end=2, lead=8), "lead=8.*-16 to 7"),
        (state_of(board(), 0, hammer=1, end=3, lead=1), "lead=1.*extra end"),
        (state_of(board(0, y=41.0), 3), r"stones\[0\]=.*on the sheet"),
        (state_of(board(0, y=32.1), 3), r"stones\[0\]=.*past the hog line"),
    ],
)
def test_impossible_states_are_named(state, message):
    with pytest.raises(ValueError, match=message):
        check_match_state(MATCH, state)


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (TIME, 0.5, "time=0.5"),
        (TIME, -1.0, "time=-1"),
        (HAMMER, 0.5, "hammer=0.5"),
        (LEAD, 0.5, "lead=0.5"),
        (FIRST_STONE, 1.0, r"stones=\[\[1.0, 0.0\]\].*absent"),
        (FIRST_STONE + 1, -5.0, r"stones=\[\[0.0, -5.0\]\]"),
        (FIRST_STONE, np.nan, "(?s)state=.*finite"),
    ],
)
def test_fields(index, value, message):
    state = state_of(no_stones(), 0)
    state[index] = value
    with pytest.raises(ValueError, match=message):
        check_match_state(MATCH, state)


def test_overlap_and_shape():
    stones = board(0, 1)
    stones[1] = stones[0] + (0.2, 0.0)
    with pytest.raises(ValueError, match=r"stones\[0\]=.*clear"):
        check_match_state(MATCH, state_of(stones, 3))
    with pytest.raises(ValueError, match=r"(?s)state=.*35"):
        check_match_state(MATCH, np.zeros(34))


def test_a_thrown_stone_alone_has_to_pass_the_hog_line_of_dc2():
    check_match_state(Curling(physics="dc2"), state_of(board(0, y=29.0), 3))
