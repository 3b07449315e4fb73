"""Matches of programs: the player of docs/curling/process-player.md, forfeits, times, and what is left after Ctrl-C."""

import os
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bonspiel.curling.game import CurlingGame
from bonspiel.curling.records import record
from bonspiel.planners.core.code import sources
from bonspiel.planners.planner import Decision
from bonspiel.runs.games import play
from bonspiel.runs.games.game import ScheduledGame, Side

PAGE = (sources.ROOT / "docs/curling/process-player.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1)
PROGRAM = f"{sys.executable} -IS my_player.py"
LINE = ("match", "random", f"process:{PROGRAM}", "--ends", 1, "--games", 2, "--budget", 1, "--out", "m")


@pytest.fixture(autouse=True)
def one_program_a_test():
    yield
    play._warmed_up.cache_clear()


def games():
    return [record.read(file) for file in sorted(Path("m/records").iterdir())]


def test_the_player_of_the_page_plays(run):
    Path("my_player.py").write_text(EXAMPLE)
    assert EXAMPLE.count("\n") <= 15
    status, _, err = run(*LINE, "--jobs", 1)
    assert status == 0 and "Traceback" not in err
    for number, game in enumerate(games()):
        assert game.result.reason in ("score", "draw")
        own = [shot for shot in game.shots if shot.team == 1 - number]
        assert [shot.aim[2] for shot in own] == [1.0, -1.0] * 4
        assert sum(place is not None for place in own[-1].stones) > 1


def test_a_program_that_fails_forfeits_and_the_match_goes_on(run):
    Path("my_player.py").write_text(EXAMPLE.replace("print(", "asked.get('shot', 0) > 3 and sys.exit(7)\n    print("))
    status, out, err = run(*LINE, "--jobs", 1)
    assert status == 1 and "bonspiel match: every game of random, 1 simulation against process:" in err
    assert f"2 games forfeited, the first one by process:{PROGRAM}: " in out
    for number, game in enumerate(games()):
        assert (game.result.reason, game.result.winner) == ("forfeit", number)
        assert "ended (exit status 7)" in game.result.detail and len(game.shots) in (4, 5)


def test_a_command_that_is_not_found_is_refused_before_anything_is_written(refused):
    err = refused("match", "random", "process:no-such-program", "--games", 2, "--budget", 1, "--out", "m")
    assert "no-such-program" in err
    assert not Path("m").exists()


@pytest.mark.parametrize(("itself", "seconds"), [(True, 7.5), (False, 0.0)])
def test_the_time_on_record_is_that_of_a_planner_which_measures_it(monkeypatch, itself, seconds):
    class Timed:
        times_itself = itself

        def plan(self, model, state, budget, rng, root_actions=None):
            nothing = np.zeros((1, 3)), np.ones(1, int), np.zeros(1)
            return Decision(model.aim(0.1, 2.4, 1.0), 0.5, 1, 7.5, *nothing)

    side = Side("random", 1, "simulations")
    monkeypatch.setattr(play, "_warmed_up", lambda side, game: Timed())
    game = play.play_game(CurlingGame(ends=1), ScheduledGame((side, side), 1, 0, 0))
    assert {round(shot.seconds, 1) for shot in game.shots} == {seconds}


STUCK = """
with open("pids", "a") as pids:
    print(os.getpid(), file=pids)
while asked["type"] != "hello":
    time.sleep(1.0)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    ("number", "jobs", "status"), [(signal.SIGINT, 1, 130), (signal.SIGINT, 2, 130), (signal.SIGKILL, 2, -9)]
)
def test_no_program_is_left_behind(tmp_path, start, number, jobs, status):
    stuck = STUCK.strip().replace("\n", "\n    ")
    program = EXAMPLE.replace("import sys", "import os, sys, time").replace(
        "    if asked", f"    {stuck}\n    if asked"
    )
    (tmp_path / "my_player.py").write_text(program)
    bonspiel = start(*LINE, "--jobs", jobs)
    pids, deadline = tmp_path / "pids", time.monotonic() + 300.0
    while not pids.exists() or len(pids.read_text().split()) < 2 * jobs:  # all are asked for a shot
        assert bonspiel.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(bonspiel.pid, number) if number == signal.SIGINT else bonspiel.kill()
    _, err = bonspiel.communicate(timeout=120.0)
    assert bonspiel.returncode == status and "Traceback" not in err
    deadline = time.monotonic() + 120.0
    while any(map(is_running, set(pids.read_text().split()))):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
