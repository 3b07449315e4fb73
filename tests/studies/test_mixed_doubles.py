"""Self-play of ends of mixed doubles: the counts of the table by which ends are set up."""

import ast
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel.curling.match.setup_value import CHOICES
from bonspiel.planners.planner import Budget
from docs.studies.mixed_doubles import Situation, main, play_end, situation


class Draws:
    """Draws to the tee for the team with the hammer, and throws away for the other one, or the other way round."""

    def __init__(self, hammer_scores):
        self.hammer_scores = hammer_scores

    def plan(self, model, state, budget, rng):
        throws_last = int(state[0]) % 2 == 1
        aim = (0.1317, 2.3997) if throws_last == self.hammer_scores else (-0.3, 3.9)
        return SimpleNamespace(action=model.aim(*aim, 1.0))


@pytest.mark.parametrize("decider", [0, 1])
@pytest.mark.parametrize("hammer_scores", [True, False])
@pytest.mark.parametrize("choice", CHOICES[1:])
def test_points_are_those_of_the_team_with_the_hammer(decider, hammer_scores, choice):
    begins = Situation(2, 1, 2, decider, (True, True))
    points = play_end(Draws(hammer_scores), begins, choice, Budget(1), np.random.default_rng(1))
    assert points > 0 if hammer_scores else points < 0


def test_the_team_that_decides_has_its_power_play():
    rng = np.random.default_rng(0)
    drawn = [situation(rng) for _ in range(500)]
    assert all(begins.power_plays[begins.decider] for begins in drawn)
    assert {(begins.left, begins.lead) for begins in drawn} == {(n, lead) for n in (1, 2, 3, 4) for lead in (-1, 0, 1)}
    assert {begins.pattern for begins in drawn} == set(range(6))
    assert {begins.power_plays for begins in drawn} == {(True, True), (True, False), (False, True)}


def test_the_counts_are_printed_as_the_table_has_them(capsys):
    assert main(["--ends", "3", "--simulations", "1", "--planner", "rulebased"]) == 0
    lines = [line.split(" = ") for line in capsys.readouterr().out.splitlines()]
    assert [name for name, _ in lines] == ["SELF_PLAY", "SELF_PLAY_POWER_PLAY"]
    for _, counts in lines:
        ends = ast.literal_eval(counts)
        assert len(ends) == 17 and sum(ends) == 3
