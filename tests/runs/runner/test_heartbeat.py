"""The progress of episodes under way, from a worker to the lines that a person reads."""

import os
import time
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel.runs import progress
from bonspiel.runs.experiment import Setting
from bonspiel.runs.runner import driver, heartbeat
from bonspiel.runs.runner.episode import play_batch
from bonspiel.runs.runner.heartbeat import Beat
from tests.runs.conftest import Constant

SEEN = []


@dataclass(frozen=True)
class Watching(Constant):
    """Notes what the driver could read when it is asked."""

    def plan(self, model, state, budget, rng, root_actions=None):
        SEEN.append(heartbeat.read(heartbeat.current()._file.parent) if heartbeat.current() else None)
        return super().plan(model, state, budget, rng, root_actions)


@dataclass(frozen=True)
class Slow(Constant):
    def plan(self, model, state, budget, rng, root_actions=None):
        time.sleep(0.4)
        return super().plan(model, state, budget, rng, root_actions)


@pytest.fixture
def eager(register, monkeypatch):
    from bonspiel.runs.runner import episode

    register(Watching, Slow)
    monkeypatch.setattr(heartbeat, "INTERVAL", 0.0)
    SEEN.clear()
    yield
    episode._ready.cache_clear()


def test_decisions_made_so_far_are_read_while_an_episode_is_played(eager, tmp_path):
    setting = Setting("trap", "watching", 1, "simulations", 0)
    heartbeat.beating(str(tmp_path), play_batch, setting, [0])
    first, second = SEEN[-2:]
    assert first == [] and [beat[:3] for beat in second] == [(setting, 1, 2)] and second[0].seconds > 0.0
    assert heartbeat.read(tmp_path) == [] and heartbeat.current() is None
    play_batch(setting, [0])
    assert SEEN[-2:] == [None, None]


def test_a_horizon_of_numpy_and_a_folder_that_is_gone_cost_no_episode(eager, tmp_path):
    setting = Setting("trap", "watching", 1, "simulations", 0)
    heart = heartbeat.Heart(tmp_path / "1", setting)
    heart.beat(3, np.int64(7))
    assert [beat[:3] for beat in heartbeat.read(tmp_path)] == [(setting, 3, 7)]
    heart.begin()  # the one before ended by an error
    assert heartbeat.read(tmp_path) == []
    heartbeat.Heart(tmp_path / "gone" / "1", setting).beat(3, 7)


def test_a_file_that_is_stale_or_just_being_written_is_left_out(tmp_path):
    (tmp_path / "3").write_text('[["trap", "uct", 1, "simulations", 0], 7, 1000, 3.0]')
    assert len(heartbeat.read(tmp_path)) == 1
    os.utime(tmp_path / "3", (0.0, 0.0))
    (tmp_path / "1").write_text("")
    (tmp_path / "2").write_text('[["trap", "uct", 1, "simulations"')
    assert heartbeat.read(tmp_path) == []


def test_the_longest_episode_is_told():
    setting = Setting("trap", "uct", 1, "simulations", 0)
    beats = [Beat(setting, 7, 1000, 3.0), Beat(setting, 1200, 2000, 30.0)]
    assert heartbeat.text(beats) == "; the longest episode under way has 1,200 of at most 2,000 decisions"
    assert heartbeat.text([]) == ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_long_episode_is_not_silent(eager, run, monkeypatch, jobs):
    for module in (driver, progress):
        monkeypatch.setattr(module, "LINE_SECONDS", 0.1)
    line = ("run", "trap", "--planner", "slow", "--budget", 1, "--episodes", 1, "--jobs", jobs, "--out", "x")
    if jobs == 2:  # where workers are other processes, which lack the planner
        monkeypatch.setattr(driver.parallel, "spread", lambda play, tasks, *_: (play(*task) for task in tasks))
    status, _, err = run(*line)
    assert status == 0
    assert "0 of 1 episodes, about 0 s left; the longest episode under way has 1 of at most 2 decisions" in err
