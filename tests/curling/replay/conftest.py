from dataclasses import replace

import pytest

from bonspiel.curling.game import CurlingGame
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.play import play_game


def game(players=("rulebased", "rulebased"), budget=20, seed=5, engine="analytic", **match):
    sides = tuple(Side(name, budget, "simulations") for name in players)
    record = play_game(CurlingGame(**match), ScheduledGame(sides, seed, 0, 0))
    return record._replace(match=replace(record.match, engine=engine))


@pytest.fixture(scope="session")
def make_game():
    return game


@pytest.fixture(scope="session")
def played():
    """Two ends; both players think of their chances."""
    return game()
