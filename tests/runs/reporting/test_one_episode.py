"""One episode of each planner in the report: what is drawn of it, and which one."""

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.runs import provenance
from bonspiel.runs.reporting import one_episode, page
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.rows import Batch
from bonspiel.runs.runner.episode import play_batch
from bonspiel.runs.statistics import curves
from bonspiel.runs.suite import Suite

PENDULUM = "pendulum"
PLANNERS = ["icem:lookahead=10", "constant", "random"]


@pytest.fixture
def no_episode():
    """Reports show one here."""


def played(folder, changed=lambda setting, one: one, **given):
    """A run of episodes that were played, with changes of their rows."""
    experiment = {"env": PENDULUM, "planners": PLANNERS, "simulations": [4, 8], "episodes": 2} | given
    suite = Suite.of("one", {"experiment": [experiment]})
    with run_folder.write(folder, suite, suite.resolve(), provenance.collect(["run", "x"]), False) as run:
        for setting in suite.settings():
            rows = [changed(setting, one) for one in play_batch(setting, range(2)).results]
            run.add(Batch(setting, rows, 1.0))
    return folder


def courses(folder, episode=None):
    with store.read(folder) as run:
        return one_episode.of_run(run, episode)


def quick(setting, one):
    return one._replace(seconds=0.1)


def test_an_episode_of_each_planner_is_that_of_the_run(tmp_path):
    found = courses(played(tmp_path / "run", quick))[PENDULUM]
    assert {*found} == {*PLANNERS}
    with store.read(tmp_path / "run") as run:
        for course in found.values():
            row = next(run.episodes(course.setting))
            assert course.setting.budget == 8 and row.number == 0
            assert np.sum(course.rewards) == pytest.approx(row.total)
            assert course.actions[0].astype("<f8").tobytes() == row.first_action
    icem, random = found["icem:lookahead=10"], found["random"]
    assert [len(plan) for plan in icem.plans.values()] == [10, 10, 10] and {*icem.plans} == {0, 66, 133}
    assert all(plan[0] == icem.actions[step] for step, plan in icem.plans.items())
    assert random.plans == {}
    assert found["constant"].effort == 0.0
    assert random.effort == pytest.approx(np.abs(np.diff(random.actions, axis=0)).mean() / 4.0)
    np.testing.assert_array_equal(random.states[0], icem.states[0])
    assert random.states.shape == (200, 2) and random.actions.shape == (200, 1)  # the count of steps is no coordinate


def test_another_episode_is_drawn_if_it_is_asked_for(tmp_path):
    folder = played(tmp_path / "run", quick)
    first, second = (courses(folder, episode)[PENDULUM]["random"] for episode in (None, 1))
    assert not np.array_equal(first.actions, second.actions)
    assert courses(folder, 2) == {PENDULUM: {}}


def test_a_dear_episode_is_played_again_only_if_it_is_asked_for(tmp_path):
    def dear(setting, one):
        slow = setting.planner == "random" or setting.budget == 8
        return one._replace(seconds=one_episode.LONGEST * 2.0 if slow else 0.1)

    folder = played(tmp_path / "run", dear)
    found = courses(folder)[PENDULUM]
    assert {(name, course.setting.budget) for name, course in found.items()} == {(name, 4) for name in PLANNERS[:2]}
    assert {course.setting.budget for course in courses(folder, 0)[PENDULUM].values()} == {8}


def test_what_comes_out_otherwise_is_not_shown(tmp_path):
    folder = played(tmp_path / "run", lambda setting, one: quick(setting, one)._replace(total=1.0))
    assert courses(folder) == {PENDULUM: {}}
    with store.read(folder) as run:
        assert "One episode" not in page.text(run, curves.panels(run.suite, run.returns(), run.values("episode")), {})


def test_observations_are_the_states_of_an_environment_of_gymnasium():
    setting = one_episode.Setting("gym:Pendulum-v1:horizon=5", "random", 2, "simulations", 0)
    [row] = play_batch(setting, [0]).results
    course = one_episode.again(setting, row)
    np.testing.assert_allclose(course.states[:, 0] ** 2 + course.states[:, 1] ** 2, 1.0, rtol=1e-6)
    assert course.states.shape == (5, 3) and envs.parse(setting.env).state_dim > 4


def test_the_verb_draws_the_episode_and_refuses_what_is_none(tmp_path, run):
    folder = played(tmp_path / "run", quick)
    assert run("report", folder, "--episode", "1")[0] == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "States, actions and rewards of episode 1" in text and "data:image/svg+xml" in text
    assert "episode=-1: must be a whole number from 0" in run("report", folder, "--episode", "-1")[2]
    assert "--episode is drawn in the report" in run("report", folder, "--leaderboard", "--episode", "1")[2]
