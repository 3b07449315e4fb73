"""One episode of each planner in the report: what is drawn of it, and which one."""

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.runs import provenance
from bonspiel.runs.reporting import one_episode, page
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.rows import Batch, Failure
from bonspiel.runs.runner.episode import play_batch
from bonspiel.runs.statistics import curves
from bonspiel.runs.suite import Suite

PENDULUM = "pendulum"
PLANNERS = ["icem:lookahead=10", "constant", "random"]


@pytest.fixture
def no_episode():
    """Reports show one here."""


def played(folder, changed=lambda setting, one: one, *others, **given):
    """A run of episodes that were played, with changes of their rows, and of other experiments."""
    experiment = {"env": PENDULUM, "planners": PLANNERS, "simulations": [4, 8], "episodes": 2} | given
    kept = {name: value for name, value in experiment.items() if value is not None}
    suite = Suite.of("one", {"experiment": [kept, *others]})
    with run_folder.write(folder, suite, suite.resolve(), provenance.collect(["run", "x"]), False) as run:
        for setting in suite.settings():
            rows = [changed(setting, one) for one in play_batch(setting, range(2)).results]
            run.add(Batch(setting, rows, 1.0))
    return folder


def replays(folder, episode=None, env=PENDULUM):
    with store.read(folder) as run:
        return one_episode.of_run(run, episode)[env]


def courses(folder, episode=None):
    return replays(folder, episode).courses


def page_of(folder):
    with store.read(folder) as run:
        return page.text(run, curves.panels(run.suite, run.returns(), run.values("episode")), {})


def quick(setting, one):
    return one._replace(seconds=0.1)


def test_an_episode_of_each_planner_is_that_of_the_run(tmp_path):
    found = courses(played(tmp_path / "run", quick))
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
    first, second = (courses(folder, episode)["random"] for episode in (None, 1))
    assert not np.array_equal(first.actions, second.actions)
    assert replays(folder, 2) == ({}, dict.fromkeys(PLANNERS, "not played"))


def test_a_dear_episode_is_played_again_only_if_it_is_asked_for(tmp_path):
    def dear(setting, one):
        slow = setting.planner == "random" or setting.budget == 8
        return one._replace(seconds=one_episode.LONGEST * 2.0 if slow else 0.1)

    folder = played(tmp_path / "run", dear)
    found, reasons = replays(folder)
    assert {(name, course.setting.budget) for name, course in found.items()} == {(name, 4) for name in PLANNERS[:2]}
    assert reasons == {"random": "not quick"}
    assert {course.setting.budget for course in courses(folder, 0).values()} == {8}


def test_a_replay_that_takes_long_is_stopped_unless_it_is_asked_for(tmp_path, ticking):
    folder = played(tmp_path / "run", quick, planners=["random"], simulations=[1])
    ticking(0.01)  # the clock is read three times a step or more, of which there are 200
    assert replays(folder) == ({}, {"random": "not quick"})
    assert {*courses(folder, 0)} == {"random"}


def test_the_page_says_who_is_left_out_and_why(tmp_path, monkeypatch):
    def changed(setting, one):
        return Failure(one.number, "out of luck") if setting.planner == "random" else quick(setting, one)

    monkeypatch.setattr(one_episode, "MOST", 2)
    folder = played(tmp_path / "run", changed, planners=[*PLANNERS, "do_nothing"], simulations=[8])
    found, reasons = replays(folder)
    assert "icem:lookahead=10" in found and len(found) == len(reasons) == 2 and reasons["random"] == "failed"
    (other,) = {*reasons} - {"random"}
    told = page_of(folder)
    assert "<h3>One episode</h3><figure>" in told and "Episode 0 is not shown of " in told
    assert "random (failed)" in told and f"{other} (not among the first 2)" in told


def test_what_comes_out_otherwise_is_named_and_not_shown(tmp_path):
    folder = played(
        tmp_path / "run", lambda setting, one: quick(setting, one)._replace(total=1.0), planners=["constant"]
    )
    found, reasons = replays(folder)
    assert found == {} and reasons["constant"].startswith("now returns -") and reasons["constant"].endswith(" of 1.0")
    told = page_of(folder)
    assert "<h3>One episode</h3><p" in told and f"Episode 0 is not shown of constant ({reasons['constant']})." in told


def test_an_error_and_a_budget_in_time_are_reasons(tmp_path, monkeypatch):
    timed = {"env": PENDULUM, "planners": ["do_nothing"], "milliseconds": [1], "episodes": 2}
    folder = played(tmp_path / "run", quick, timed, planners=["constant"])
    monkeypatch.setattr(one_episode, "play_one", lambda *_: 1 / 0)
    reasons = replays(folder).reasons
    assert reasons == {
        "constant": "cannot be played here (ZeroDivisionError)",
        "do_nothing": "no budget in simulations",
    }


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


def test_an_episode_that_nobody_finished_is_refused_before_work(tmp_path, run):
    folder = played(tmp_path / "run", quick, planners=["constant"], simulations=[1])
    for episode in (2, 7):
        status, out, err = run("report", folder, "--episode", episode)
        allowed = "must be one that was played with a budget in simulations or steps, from 0 to 1"
        assert (status, out) == (2, "") and f"episode={episode}: {allowed}" in err
    timed = played(tmp_path / "timed", planners=["constant"], simulations=None, milliseconds=[1])
    assert "in simulations or steps, but there is none" in run("report", timed, "--episode", 1)[2]
    assert run("report", timed)[0] == 0 and "One episode" not in (timed / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("steps", [1, 3])
def test_the_last_step_has_a_width_and_a_single_state_is_seen(steps):
    setting = one_episode.Setting("pendulum", "random", 2, "simulations", 0)
    values = np.arange(1.0, steps + 1.0)
    plan = {0: values[:, None]}
    course = one_episode.Course(setting, values[:, None], values[:, None], values, plan, 0.0)
    x, u, r = one_episode.draw({"random": course}, {"random": "random"}).axes
    for line in (r.lines[0], u.lines[0]):
        assert [*line.get_xdata()] == [*range(steps + 1)] and [*line.get_ydata()] == [*values, values[-1]]
    assert u.lines[1].get_xdata()[-1] == -(-steps // one_episode.PLANS)
    assert (x.lines[0].get_marker() == ".") == (steps == 1)
