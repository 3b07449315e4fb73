import pytest

from runs.curling.game import CurlingGame
from runs.games.game import ScheduledGame, Side
from runs.games.play import play_game


def game(players=("rulebased", "rulebased"), budget=20, seed=5, physics="fcv1", **match):
    sides = tuple(Side(name, budget, "simulations") for name in players)
    return play_game(CurlingGame(physics=physics, **match), ScheduledGame(sides, seed, 0, 0))


@pytest.fixture(scope="session")
def make_game():
    return game


@pytest.fixture(scope="session")
def played():
    """Two ends; both players think of their chances."""
    return game()
