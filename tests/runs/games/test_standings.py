"""The reasons of forfeits in the tables of tournaments."""

import pytest

from bonspiel.runs.games.game import Side
from bonspiel.runs.games.standings import kind_of

NAMES = "v1", "v2", "uct:exploration=1", "uct:exploration=2"
SIDES = [Side(name, 1, "s a game") for name in NAMES]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("v1: left the match", "v2: left the match"),
        ("uct:exploration=1: no time left", "uct:exploration=2: no time left"),
        ("v1: left the match (exit status 3); v2: no time left", "v1: left the match (exit status 3)"),
        (
            "v1: left the match (exit status 3); v2: no time left",
            "v1: left the match (exit status 3); v2: was not ready",
        ),
        ("v1: left the match", "v1: broke the protocol"),
    ],
)
def test_forfeits_of_other_players_or_for_other_reasons_differ(one, other):
    assert kind_of(one, SIDES) != kind_of(other, SIDES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("v1: left the match (exit status 3)", "v1: left the match (exit status 4; its last output: bye)"),
        ("v1: action=[0.1, 2.4] is no move", "v1: action=[0.7, 2] is no move"),
    ],
)
def test_reasons_that_differ_in_numbers_or_in_brackets_are_of_one_kind(one, other):
    assert kind_of(one, SIDES) == kind_of(other, SIDES)
