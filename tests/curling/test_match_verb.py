import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from bonspiel.curling.game import TIES, CurlingGame
from bonspiel.curling.records import record, umpire
from bonspiel.planners.random import RandomPlanner
from bonspiel.runs.games import play, standings
from bonspiel.runs.games.game import ScheduledGame, Side

LINE = ("match", "random", "uct", "--ends", "1", "--budget", "20", "--seed", "5")
KEYS = "a b games wins losses draws win_rate low high p_value elo elo_low elo_high".split()


def records(folder):
    """The records of a match without the seconds, which differ from run to run."""
    found = {}
    for file in sorted(Path(folder, "records").iterdir()):
        game = record.read(file)
        found[file.name] = game._replace(shots=tuple(shot._replace(seconds=0.0) for shot in game.shots))
    return found


@dataclass(frozen=True)
class Butterfingers(RandomPlanner):
    """Drops the stone in some way in its third shot, whenever it has the hammer; or throws all out of play."""

    way: str = "raise"

    def plan(self, model, state, budget, rng, root_actions=None):
        decision = super().plan(model, state, budget, rng, root_actions)
        if self.way == "through":
            decision.action[:] = model.action_high
        elif self.way == "scribble":
            state[:] = 7.0
        elif state[0] == 5.0:
            if self.way == "raise":
                raise RuntimeError("dropped\nthe stone")
            decision.action[0] = {"nan": np.nan, "far": 1e3}[self.way]
        return decision


@pytest.fixture
def butterfingers(register):
    register(Butterfingers)
    yield
    play._warmed_up.cache_clear()


def test_games_come_in_pairs_with_the_hammer_swapped_and_the_same_noise(run):
    status, out, err = run(*LINE, "--games", 4, "--jobs", 1, "--out", "m")
    assert status == 0 and "4 of 4 games to play" in err
    assert "random, 20 simulations  against  uct, 20 simulations" in out and "4 games: " in out
    games = list(records("m").values())
    assert [game.match.players for game in games] == [("random", "uct"), ("uct", "random")] * 2
    assert [game.match.pair for game in games] == [0, 0, 1, 1]

    def turned(game):
        return np.array([np.arctan2(*shot.thrown[:2]) - np.arctan2(*shot.aim[:2]) for shot in game.shots])

    assert np.allclose(turned(games[0]), turned(games[1]), atol=1e-12)
    assert not np.allclose(turned(games[0]), turned(games[2]), atol=1e-6)
    for game in games:
        umpire.replay(game)


def test_planners_draw_from_streams_of_their_own(run):
    assert run("match", "random", "random", "--ends", 1, "--games", 2, "--budget", 1, "--jobs", 1, "--out", "m")[0] == 0
    aims = [[shot.aim for shot in game.shots if shot.team == team] for game in records("m").values() for team in (0, 1)]
    assert len({aim for throws in aims for aim in throws}) == 4 * 8


def test_a_planner_cannot_change_the_game(run, butterfingers):
    text = "butterfingers:way=scribble"
    assert run("match", text, text, "--ends", 1, "--games", 2, "--budget", 1, "--jobs", 1, "--out", "m")[0] == 1
    for game in records("m").values():
        assert game.result.reason == "forfeit" and "contract of planners: state=" in str(game.result.detail)


def test_expectations_on_record_are_those_of_team_0(run):
    line = ("match", "uct", "uct", "--ends", 1, "--games", 2, "--budget", 200, "--jobs", 1, "--out", "m")
    assert run(*line)[0] == 0
    shots = [shot for game in records("m").values() for shot in game.shots]
    assert all(0.0 <= shot.value <= 1.0 for shot in shots)
    assert all(any(shot.value > 0.1 for shot in shots if shot.team == team) for team in (0, 1))


def test_decisions_over_time_are_counted():
    """5 % or 4 ms, whichever is more, are allowed."""
    moves = [(seconds, 1) for seconds in (0.010, 0.0139, 0.0141, 0.5) * 4]
    for milliseconds, late in ((10, 8), (480, 0)):
        text = standings.decision_times(Side("random", milliseconds, "ms"), moves)
        assert f"{late} of 16 over time" in text


def test_json_is_one_object_and_adds_up(run):
    status, out, err = run(*LINE, "--games", 6, "--jobs", 1, "--out", "m", "--json")
    found = json.loads(out)
    assert status == 0 and list(found) == KEYS
    assert (found["a"], found["b"], found["games"]) == ("random", "uct", 6)
    winners = [game.result.winner for game in records("m").values()]
    assert found["wins"] == sum(winner == k % 2 for k, winner in enumerate(winners))
    assert found["draws"] == winners.count(None)
    assert found["wins"] + found["losses"] + found["draws"] == 6
    assert found["win_rate"] == pytest.approx((found["wins"] + 0.5 * found["draws"]) / 6)
    assert found["low"] <= found["win_rate"] <= found["high"] and 0.0 < found["p_value"] <= 1.0
    assert "win rate" in err


def test_two_workers_play_the_same_games(run):
    for jobs in (1, 2):
        assert run(*LINE, "--games", 6, "--jobs", jobs, "--out", f"m{jobs}")[0] == 0
    assert records("m1") == records("m2")


def test_a_killed_match_goes_on(run, start):
    program = """
import os, signal
from bonspiel.curling.records import record, umpire
from bonspiel.runs.cli import main
write, count = record.write, 0
def dying(path, game):
    global count
    count += 1
    if count == 3:
        path.with_name(path.name + ".new").write_text('{"type": "match"')
        os.kill(os.getpid(), signal.SIGKILL)
    write(path, game)
record.write = dying
"""
    line = (*LINE, "--games", 6, "--jobs", 1)
    assert start(*line, "--out", "killed", program=program).wait(300) == -signal.SIGKILL
    kept = {file.name: file.stat().st_mtime_ns for file in Path("killed/records").glob("*.jsonl")}
    assert len(kept) == 2
    assert run(*line, "--out", "killed", "--resume")[0] == 0
    assert run(*line, "--out", "whole")[0] == 0
    assert records("killed") == records("whole")
    assert kept.items() <= {file.name: file.stat().st_mtime_ns for file in Path("killed/records").iterdir()}.items()


def test_workers_that_die_end_the_match_in_one_line_and_lose_nothing(run, start):
    program = """
import os
from bonspiel.curling.records import record, umpire
from bonspiel.runs.cli import main
import joblib.externals.loky as loky
from bonspiel.runs.runner import parallel
parallel.RETRIES = 0
write = record.write
def killing(path, game):
    write(path, game)
    for pid in list(loky.get_reusable_executor(reuse=True)._processes):
        os.kill(pid, 9)
record.write = killing
"""
    line = ("match", "random", "random", "--ends", "1", "--budget", "1", "--games", "400", "--jobs", "2", "--out", "m")
    process = start(*line, program=program)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "died repeatedly" in err and "Traceback" not in err
    assert 1 <= len(list(Path("m/records").glob("*.jsonl"))) < 400


def test_ctrl_c_says_how_to_go_on(run, start):
    line = (*LINE, "--games", "2000", "--jobs", "1", "--out", "m")
    process = start(*line)
    deadline = time.monotonic() + 300
    while not list(Path("m").glob("records/*.jsonl")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130 and "Traceback" not in err
    assert err.endswith(f"Continue with: bonspiel {' '.join(line)} --resume\n")


def test_more_games_of_the_same_match(run):
    assert run(*LINE, "--games", 2, "--jobs", 1, "--out", "m")[0] == 0
    before = records("m")
    status, out, err = run(*LINE, "--games", 4, "--jobs", 1, "--out", "m", "--resume", "--json")
    assert status == 0 and "2 of 4 games to play" in err and json.loads(out)["games"] == 4
    assert before.items() <= records("m").items()


@pytest.mark.parametrize(
    "way, message", [("raise", "RuntimeError: dropped the stone"), ("nan", "action="), ("far", "action=")]
)
def test_a_planner_that_fails_forfeits_and_the_match_goes_on(run, butterfingers, way, message):
    text = f"butterfingers:way={way}"
    status, out, _ = run("match", text, "random", "--ends", 1, "--games", 4, "--budget", 1, "--jobs", 1, "--out", "m")
    assert status == 0
    assert f"2 games forfeited, the first one by {text}: " in out and message in out
    games = list(records("m").values())
    assert [game.result.reason == "forfeit" for game in games] == [False, True, False, True]
    assert games[1].result.winner == 0 and games[1].result.value == 1.0 and len(games[1].shots) == 5
    umpire.replay(games[1])


def test_a_round_robin_has_ratings(run):
    line = ("match", "random", "uct", "random", "--ends", 1, "--games", 2, "--budget", "1,20,2", "--jobs", 1)
    status, out, err = run(*line, "--out", "m", "--json")
    found = json.loads(out)
    assert status == 0 and [(one["a"], one["b"]) for one in found["pairs"]] == [
        ("random", "uct"),
        ("random", "random"),
        ("uct", "random"),
    ]
    assert [(one["planner"], one["budget"]) for one in found["elo"]] == [
        ("random", "1 simulation"),
        ("uct", "20 simulations"),
        ("random", "2 simulations"),
    ]
    assert sum(one["elo"] for one in found["elo"]) == pytest.approx(0.0, abs=1e-6)
    assert len(records("m")) == 6 and "Elo (95 % bootstrap interval over pairs)" in err


def test_what_a_draw_is_worth():
    assert {ties: CurlingGame(ties=ties).model.tie for ties in TIES} == {"half": 0.5, "thesis": 0.781}


def test_draws_of_the_thesis_count_for_the_hammer(run, butterfingers):
    """A blank end leaves the hammer with team 1, which is each planner in one game of a pair."""
    text = "butterfingers:way=through"
    status, out, _ = run(
        "match", text, text, "--games", 4, "--budget", 1, "--jobs", 1, "--ties", "thesis", "--json", "--out", "m"
    )
    found = json.loads(out)
    assert status == 0 and (found["draws"], found["p_value"]) == (4, 1.0) and found["win_rate"] == pytest.approx(0.5)
    results = [game.result for game in records("m").values()]
    assert all((result.value, result.reason) == (pytest.approx(0.219), "draw") for result in results)


@pytest.mark.parametrize(
    "change, message",
    [
        (("--games", 3), "games=3: must be even"),
        (("--games", 0), "games=0: must be a whole number from 2"),
        (("--ends", 0), "ends=0: must be"),
        (("--physics", "ice"), "unknown physics 'ice'"),
        (("--noise", "loud"), "unknown noise 'loud'"),
        (("--seed", -1), "seed=-1: must be"),
        (("--milliseconds", 5), "give one of --milliseconds"),
        (("--budget", "1,2"), "3 budgets for 2"),
        (("--budget", 0), "budget=0: must be"),
        (("--jobs", 0), "jobs=0: must be"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(refused, change, message):
    err = refused(*LINE, "--games", 2, *change, "--out", "m")
    assert message in err
    assert not Path("m").exists()


@pytest.mark.parametrize(
    "names, message",
    [
        (["random", "uctt"], "unknown planner 'uctt'. Did you mean 'uct'?"),
        (["random"], "planners=1: give from 2"),
        (["random", "uct:exploration=x"], "exploration='x'"),
    ],
)
def test_unknown_players_are_refused(refused, names, message):
    err = refused("match", *names, "--budget", 1, "--games", 2, "--out", "m")
    assert message in err
    assert not Path("m").exists()


def test_folders_that_are_not_this_match_are_refused(run):
    line = ("match", "random", "random", "--ends", 1, "--budget", 1, "--games", 2, "--jobs", 1, "--out", "m")
    assert run(*line)[0] == 0
    before, index = records("m"), Path("m/results.sqlite").read_bytes()
    for extra, message in [
        ((), "add --resume"),
        (("--resume", "--seed", 9), "its seed is 1, not 9"),
        (("--resume", "--ends", 2), "random against random in curling:ends=1"),
        (("--resume", "--budget", 2), "random (1 simulation), random (1 simulation)"),
    ]:
        status, _, err = run(*line, *extra)
        assert status == 2 and message in err and err.count("\n") == 1
    assert Path("m/results.sqlite").read_bytes() == index
    with closing(sqlite3.connect("m/results.sqlite")) as changed, changed:
        changed.execute("UPDATE meta SET value = json_replace(value, '$.sources', 'x') WHERE key = 'provenance'")
    assert "begun with other sources" in run(*line, "--resume")[2]
    Path("m/match.json").write_text("{")
    assert "match.json cannot be read" in run(*line, "--resume")[2]
    Path("m/match.json").unlink()
    Path("m/results.sqlite").unlink()
    assert "other files" in run(*line)[2]
    assert records("m") == before


def test_a_match_of_an_older_version_is_read_and_not_continued(run):
    """Its folder has no index, and match.json names no game."""
    line = ("match", "random", "uct", "--ends", 1, "--budget", 1, "--games", 2, "--jobs", 1, "--out", "m")
    assert run(*line)[0] == 0
    Path("m/results.sqlite").unlink()
    old = {
        "format": 1,
        "sides": [["random", 1, "simulations"], ["uct", 1, "simulations"]],
        "match": {"ends": 1, "physics": "fcv1", "noise": "normal_dist", "rule": "five_rock", "seed": 1},
        "provenance": {"sources": "x", "commit": "y"},
    }
    Path("m/match.json").write_text(json.dumps(old))
    before = records("m")
    status, _, err = run(*line, "--resume")
    assert status == 2 and "older version" in err and err.count("\n") == 1
    assert records("m") == before and json.loads(Path("m/match.json").read_text()) == old
    status, out, _ = run("strength", "m")
    assert status == 0 and "1 end, fcv1, normal_dist noise" in out


def test_the_index_of_games_is_that_of_any_run(run, table):
    line = ("match", "random", "uct", "random", "--ends", 1, "--games", 2, "--budget", "1,20,2", "--jobs", 1)
    assert run(*line, "--out", "m")[0] == 0
    rows = table(run("export", "m")[1])
    games = list(records("m").values())
    assert [row["planner"] for row in rows[::2]] == [
        "random against uct, 20 simulations",
        "random against random, 2 simulations",
        "uct against random, 2 simulations",
    ]
    assert {row["env"] for row in rows} == {"curling:ends=1"}
    assert [float(row["return"]) for row in rows] == [game.result.value_for(k % 2) for k, game in enumerate(games)]
    assert {row["steps"] for row in rows} == {"16"}
    assert "6 of 6" in run("status", "m")[1]
    for verb in ("report", "chart"):
        status, _, err = run(verb, "m")
        assert status == 2 and "holds a match" in err and err.count("\n") == 1


def test_a_deleted_record_is_played_again_and_one_without_a_row_is_kept(run):
    line = (*LINE, "--games", 4, "--jobs", 1, "--out", "m", "--resume")
    assert run(*line)[0] == 0
    before = records("m")
    Path("m/records/1-2-00002.jsonl").unlink()
    with closing(sqlite3.connect("m/results.sqlite")) as changed, changed:
        changed.execute("DELETE FROM episode WHERE episode = 1")
    kept = Path("m/records/1-2-00001.jsonl").stat().st_mtime_ns
    status, _, err = run(*line)
    assert status == 0 and "1 of 4 games to play" in err
    assert records("m") == before and Path("m/records/1-2-00001.jsonl").stat().st_mtime_ns == kept


def test_further_planners_extend_a_match_if_they_come_last(run):
    line = ("--ends", 1, "--games", 2, "--budget", 1, "--jobs", 1, "--out", "m", "--resume")
    assert run("match", "random", "uct", *line)[0] == 0
    before = records("m")
    status, _, err = run("match", "rulebased", "random", "uct", *line)
    assert status == 2 and "name these first" in err and records("m") == before
    status, _, err = run("match", "random", "uct", "rulebased", *line)
    assert status == 0 and "4 of 6 games to play" in err and before.items() <= records("m").items()


def test_a_damaged_record_is_named(run, refused):
    line = ("match", "random", "random", "--ends", 1, "--budget", 1, "--games", 2, "--jobs", 1, "--out", "m")
    assert run(*line)[0] == 0
    Path("m/records/1-2-00001.jsonl").write_text("{}\n")
    err = refused(*line, "--resume")
    assert "1-2-00001.jsonl, line 1: not a line of a record" in err and "delete that file" in err


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"value": None}, "value=None"),
        ({"simulations": None}, "simulations=None"),
        ({"action": np.array([0.1 + 1j, 2.4, 1.0])}, "real"),
    ],
)
def test_a_decision_that_is_none_forfeits_the_game(monkeypatch, given, problem):
    from bonspiel.planners.planner import Decision

    class Odd:
        def plan(self, model, state, budget, rng, root_actions=None):
            parts = {
                "action": np.array([0.1, 2.4, 1.0]),
                "value": 0.5,
                "simulations": 1,
                "seconds": 0.0,
                "actions": np.zeros((1, 3)),
                "visits": np.ones(1, int),
                "values": np.zeros(1),
            }
            return Decision(**(parts | given))

    side = Side("random", 1, "simulations")
    monkeypatch.setattr(play, "_warmed_up", lambda side, game: Odd())
    record = play.play_game(CurlingGame(ends=1), ScheduledGame((side, side), 1, 0, 0))
    assert (record.result.reason, record.result.winner) == ("forfeit", 1)
    assert problem in record.result.detail


def test_equal_sides_in_a_round_robin_are_refused(refused):
    errors = refused("match", "random", "uct", "random", "--budget", "10", "--games", "2", "--out", "m")
    assert "the same planner with the same budget" in errors
