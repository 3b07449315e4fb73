"""Win probabilities by what the network expects of each end."""

from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import NETWORK, VALUES, state_of
from bonspiel.curling.match.value import LEADS, MOST_LEAD
from bonspiel.curling.model import Curling
from bonspiel.curling.players.champion import Champion
from bonspiel.planners import Budget

MATCH = Curling(3, extra_ends=1, reward="win_probability", table="network")


def rows(match):
    """Win probabilities by ends left and lead."""
    return match.params[VALUES : int(match.params[NETWORK])].reshape(-1, LEADS)


def test_each_row_is_what_the_network_expects_of_an_empty_sheet_with_the_rows_after_it():
    for left in (1, 2, 3, 4):
        for lead in (-2, 0, 1):
            if left > 1 or lead == 0:
                before = state_of(no_stones(), 0, hammer=0, end=4 - left, lead=lead)
                expected = MATCH.value(before, np.empty_like(before), 16, MATCH.params, np.random.default_rng(0))
                assert rows(MATCH)[left, MOST_LEAD + lead] == expected
    np.testing.assert_array_equal(rows(MATCH)[0], rows(replace(MATCH, table=None))[0])


def test_an_extra_end_is_for_ties_alone():
    np.testing.assert_array_equal(rows(MATCH)[1, :MOST_LEAD], 0.0)
    np.testing.assert_array_equal(rows(MATCH)[1, MOST_LEAD + 1 :], 1.0)


@pytest.mark.parametrize("reward", ["points", "win"])
def test_the_rows_are_those_of_the_match_whatever_is_searched_for(reward):
    np.testing.assert_array_equal(rows(replace(MATCH, reward=reward)), rows(MATCH))


def test_another_game_has_no_such_table():
    with pytest.raises(ValueError, match="table='network'"):
        Curling(physics="dc2", table="network")
    with pytest.raises(ValueError, match="table='network'"):
        Curling(weights="none", table="network")


def test_the_champion_searches_with_it_unless_another_table_is_given():
    state = state_of(no_stones(), 15, hammer=0)  # blanking keeps the hammer
    tables = (None, "network", "thesis")
    plans = [
        Champion(threads=1).plan(
            replace(MATCH, table=table), state, Budget(simulations=3_000), np.random.default_rng(0)
        )
        for table in tables
    ]
    assert plans[0].value == plans[1].value != plans[2].value
