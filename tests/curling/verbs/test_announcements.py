"""Commands that play in workers say themselves when the champion has the network of another game."""

import pytest

from bonspiel.curling.players import champion
from bonspiel.runs.experiment import Entrant, Experiment
from bonspiel.runs.games.tournament import make_tournament
from bonspiel.runs.suite import Suite


@pytest.mark.parametrize(("game", "lines"), [("curling:rule=four_rock", 1), ("curling", 0)])
def test_it_is_said_once_before_the_workers_start(game, lines, capfd):
    players = "champion:threads=1", "rulebased"
    tournament = make_tournament(players, game, 1, [20], [])
    suite = Suite("one", (Experiment(game, (Entrant(players[0]),), simulations=(20,), episodes=2),))
    for resolve in (tournament.resolve, suite.resolve):
        champion._print_once.cache_clear()
        for _ in range(2):
            resolve()
        assert capfd.readouterr().err.count("network of another game: rule='four_rock'") == lines
