"""A planner in a process of its own: it decides as in this one, and a crash of it does not end the game."""

import os
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pytest

from bonspiel.curling import players
from bonspiel.curling.play.browser.web import play_in_web, serve_game
from bonspiel.curling.play.game import InteractiveGame
from bonspiel.curling.play.separate_planner import SeparatePlanner
from bonspiel.curling.records.record import Match
from bonspiel.planners import Decision
from bonspiel.planners.planner import Budget
from bonspiel.runs.experiment import RunError
from tests.curling.browsing import Person

MATCH = Match(players=("crashing", "you"), physics="fcv1", rule=None, noise="none", ends=1, seed=5)
BUDGET = Budget(simulations=50)


@dataclass(frozen=True)
class Crashing:
    """Draws to the tee; its process ends as often as a file has lines."""

    file: Path

    def plan(self, model, state, budget, rng, root_actions=None):
        lines = self.file.read_text().splitlines()
        if lines:
            self.file.write_text("\n".join(lines[1:]))
            os._exit(7)
        action, nothing = np.array(model.aim(*model.law.tee_draw, 1.0)), np.full(1, np.nan)
        return Decision(action, float(os.getpid()), 1, 0.0, action[None], np.zeros(1, np.int64), nothing)


class CountsWorkers:
    def plan(self, *_):
        action = np.zeros((1, 3))
        return Decision(action[0], float(joblib.effective_n_jobs(2)), 1, 0.0, action, np.ones(1, np.int64), np.ones(1))


class Raising:
    def plan(self, *_):
        raise ValueError("no idea")


@pytest.fixture
def crashing(tmp_path):
    """A planner, the file of its crashes, and the lines that tell of them."""
    file, said = tmp_path / "crashes", []
    file.write_text("")
    with SeparatePlanner(Crashing(file), said.append) as planner:
        yield planner, file, said


def test_it_decides_as_the_planner_in_this_process():
    model = MATCH.model().planning()
    state = model.initial_state(np.random.default_rng(0))
    own, other = np.random.default_rng(3), np.random.default_rng(3)
    expected = players.parse("presearch").plan(model, state, BUDGET, own)
    with SeparatePlanner("presearch", print) as planner:
        found = planner.plan(model, state, BUDGET, other)
    np.testing.assert_array_equal(found.action, expected.action)
    np.testing.assert_array_equal(found.visits, expected.visits)
    assert own.random() == other.random()


def test_the_planner_can_have_workers():
    model = MATCH.model()
    state = model.initial_state(np.random.default_rng(0))
    with SeparatePlanner(CountsWorkers(), print) as planner:
        assert planner.plan(model, state, BUDGET, np.random.default_rng(0)).value == 2.0


def test_an_error_of_the_planner_is_told():
    model = MATCH.model()
    state = model.initial_state(np.random.default_rng(0))
    with SeparatePlanner(Raising(), print) as planner, pytest.raises(RuntimeError, match="no idea"):
        planner.plan(model, state, BUDGET, np.random.default_rng(0))


def test_a_game_goes_on_after_a_crash(crashing, look):
    planner, file, said = crashing
    game, ended = InteractiveGame(MATCH, planner, BUDGET, 1), Future()
    with closing(game), closing(serve_game(game, ended, "/token", "127.0.0.1", 0)) as server:
        person = Person(look(f"http://127.0.0.1:{server.port}/token"), False)
        person.hurry()
        person.says("stone 2 of 16: your shot")
        file.write_text("once")
        person.press("#release")
        person.says("stone 4 of 16: your shot")
        person.press("#release")
        person.says("stone 6 of 16: your shot")
        assert not ended.done()
    first, second, third = (game.decisions[shot][1].value for shot in (0, 2, 4))
    assert first != second == third and os.getpid() not in (first, second)
    assert said == ["the planner's process ended (exit code 7); it is started again, and the game goes on"]


def test_two_crashes_at_one_shot_end_the_game_with_a_line(crashing):
    planner, file, said = crashing
    file.write_text("once\ntwice")
    game = InteractiveGame(MATCH, planner, BUDGET, 1)
    with (
        closing(game),
        pytest.raises(
            RunError, match=r"crashing failed at shot 1 of end 1: the planner's process ended \(exit code 7\)"
        ),
    ):
        play_in_web(game)
    assert len(said) == 1
