"""The points of tournaments while they are played, and the reasons of forfeits in their tables."""

import pytest

from bonspiel.runs.games.game import GameSummary, Side
from bonspiel.runs.games.standings import kind_of, points
from bonspiel.runs.games.tournament import Tournament

NAMES = "v1", "v2", "uct:exploration=1", "uct:exploration=2"
SIDES = [Side(name, 1, "s a game") for name in NAMES]


def test_points_are_the_results_of_every_side_which_is_player_0_in_even_games():
    def game(value):
        return GameSummary(value, None, None, ())

    games = {(0, 1): {0: game(1.0), 1: game(0.75), 2: game(0.5)}, (1, 3): {1: game(1.0)}}
    assert points(Tournament("go", None, tuple(SIDES), 0), games) == [1.75, 1.25, 0.0, 1.0]


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
