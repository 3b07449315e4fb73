"""The points of tournaments while they are played, and the reasons of forfeits in their tables."""

import json
import re
from pathlib import Path

import pytest

from bonspiel.runs.games.game import GameSummary, Side
from bonspiel.runs.games.standings import kind_of, points, results
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


class NamedGame:
    """What tables need of a game."""

    roles = "first", "second"


def played(games, sides=SIDES[:2]):
    """The results of games by their values for player 0, of every two of the sides."""
    found = {k: GameSummary(value, int(value < 0.5), None, ()) for k, value in enumerate(games)}
    pairings = [(a, b) for b in range(len(sides)) for a in range(b)]
    return results(Tournament("a game", NamedGame(), tuple(sides), 0), dict.fromkeys(pairings, found))


@pytest.mark.parametrize(
    ("games", "words"),
    [
        ([1.0, 1.0], "Elo -0 (-393 to +393)"),
        ([1.0, 0.0], "(at least -113)"),
        ([0.0, 1.0], "(at most +113)"),
        ([1.0, 1.0] * 50, "(-68 to +68)"),
    ],
)
def test_elo_of_two_has_the_limits_of_the_win_rate(games, words):
    _, text = played(games)
    assert words.replace("-0", "+0") in text.replace("Elo -0", "Elo +0")
    assert ("over pairs no interval from 1 pair\n" in text) == (len(games) == 2)


@pytest.mark.parametrize(
    ("games", "low", "high"), [([1.0, 1.0] * 50, -67.7, 67.7), ([1.0, 0.0], -113.4, None), ([0.0, 1.0], None, 113.4)]
)
def test_elo_of_two_has_its_limits_in_json_too(games, low, high):
    found, _ = played(games)
    assert [found["elo_low"], found["elo_high"]] == [limit and pytest.approx(limit, abs=0.1) for limit in (low, high)]
    json.dumps(found, allow_nan=False)
    several, _ = played(games, SIDES[:3])
    assert all(
        (pair["elo_low"], pair["elo_high"]) == (found["elo_low"], found["elo_high"]) for pair in several["pairs"]
    )


def test_the_example_of_the_guide_has_the_limits_of_its_games():
    pytest.importorskip("bonspiel.curling")
    guide = (Path(__file__).parents[3] / "docs/curling/arena.md").read_text(encoding="utf-8")
    _, text = played([1.0, 0.0] * 14 + [0.0, 0.0] * 3 + [0.0, 1.0] * 33)
    for figures in ("100 games: .*", r"win rate .* Wilson", r"Elo -.*\)"):
        assert re.search(figures, text)[0] == re.search(figures, guide)[0]


@pytest.mark.parametrize("pairs", [1, 4, 5])
def test_ratings_of_few_pairs_have_no_interval(pairs):
    found, text = played([1.0, 1.0, *[1.0, 0.0] * (pairs - 1)], SIDES[:3])
    counted = "1 pair" if pairs == 1 else f"{pairs} pairs"
    assert all((row["low"] is None) == (row["high"] is None) == (pairs < 5) for row in found["elo"])
    assert text.count(f"(no interval from {counted})") == (3 if pairs < 5 else 0)
