import pytest

from curling.record import Match
from runs.curling.game import Game, Side, play


def game(players=("rulebased", "rulebased"), budget=20, seed=5, physics="fcv1", **match):
    sides = tuple(Side(name, budget, "simulations") for name in players)
    return play(Game(sides, Match(players, physics, None, None, seed=seed, **{"ends": 2, **match}), 0))


@pytest.fixture(scope="session")
def make_game():
    return game


@pytest.fixture(scope="session")
def played():
    """Two ends; both players think of their chances."""
    return game()
