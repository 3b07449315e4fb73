"""`bonspiel arena`: matches of commands on servers of its own, in pairs, with the reasons of all failures."""

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bonspiel.curling.arena import game as playing
from bonspiel.curling.records import record, umpire
from bonspiel.runs.games.tournament import read_tournament

pytestmark = pytest.mark.usefixtures("patient")

ODD = Path(__file__).with_name("odd_client.py")
PATIENCE = 120.0  # s
CORES = r" \d+" if hasattr(os, "sched_getaffinity") else ""
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not list processes")


def client(name, way=""):
    return "--client", f"{name}={sys.executable} {ODD} {{port}} {{seed}} {way}"


def arena(*clients, games=2, **options):
    given = {"ends": 1, "clock": 20, "jobs": 2, "cores": 1, "games": games, "out": "a"} | options
    return "arena", "dc3", *sum(clients, ()), *(word for key, value in given.items() for word in (f"--{key}", value))


def records(folder="a"):
    """Records without the seconds, which differ from run to run."""
    found = [record.read(file) for file in sorted(Path(folder, "records").glob("*.jsonl"))]
    return [game._replace(shots=tuple(shot._replace(seconds=0.0) for shot in game.shots)) for game in found]


def outputs(name, folder="a"):
    return [file.read_text() for file in sorted(Path(folder, "records").glob(f"*-{name}.txt"))]


def started(name):
    """The processes that a client told of in its outputs, where a traceback with other numbers may follow."""
    lines = (line.split() for text in outputs(name) for line in text.splitlines())
    return [int(pid) for word, *pids in filter(None, lines) if word == "started" for pid in pids]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_games_come_in_pairs_with_the_hammer_swapped_and_the_same_errors_for_the_same_throws(run):
    status, out, err = run(*arena(client("one"), client("two"), games=4, ends=2))
    assert status == 0 and "4 of 4 games to play with 2 jobs, into a" in err
    assert "one, 20 s a game  against  two, 20 s a game" in out and "\n  4 games: " in out and "forfeited" not in out
    games = records()
    assert [game.match.players for game in games] == [("one", "two"), ("two", "one")] * 2
    assert [game.match.pair for game in games] == [0, 0, 1, 1]

    def errors(game, team):
        shots = [shot for shot in game.shots if shot.team == team and shot.end < 2]
        return np.array([np.arctan2(*shot.thrown[:2]) - np.arctan2(*shot.aim[:2]) for shot in shots])

    for team in (0, 1):  # in whatever order the ends were begun
        assert np.allclose(errors(games[0], team), errors(games[1], team), atol=1e-12)
        assert not np.allclose(errors(games[0], team), errors(games[2], team), atol=1e-6)
    assert not np.allclose(errors(games[0], 0), errors(games[0], 1), atol=1e-6)
    for game in games:
        umpire.replay(game)
    assert all(re.match(rf"threads 1 1 cores{CORES}\n", text) for text in outputs("one") + outputs("two"))
    assert len(outputs("one")) == len(outputs("two")) == 4


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("crash", "left the match (exit status 1; its last output: ZeroDivisionError: dropped the stone)"),
        ("killed", "left the match (signal 9, Killed; its last output: threads 1 1 cores"),
        ("nonsense", "broke the protocol: Invalid value 'swep'"),
        ("hang", "no time left"),
        ("rude", "ended before the match: "),
        ("unready", "was not ready within 5 s"),
    ],
)
def test_a_client_that_fails_loses_and_the_table_has_the_reason(run, monkeypatch, way, reason):
    games = 6 if way == "crash" else 2  # it does so in some games
    options = {"hang": {"clock": 5}, "unready": {"start": 5}}.get(way, {"clock": 100})
    if way == "unready":
        monkeypatch.setattr(playing, "GRACE", 0.0)  # it never ends
    status, out, err = run(*arena(client("fine"), client("odd", way), games=games, **options))
    failed = [game for game in records() if game.result.reason in ("forfeit", "time_limit")]
    assert failed and f"forfeited, the first one by odd: {reason}" in out and f"odd: {reason}" in err
    assert f"{len(failed)} games forfeited" in out or f"{len(failed)} game forfeited" in out
    assert all(game.match.players[game.result.winner] == "fine" for game in failed)
    assert status == (1 if len(failed) == games else 0) and (way == "crash") == (len(failed) < games)
    for game in records():
        umpire.replay(game)
        assert game.result.reason != "time_limit" or game.result.detail is None


def test_two_clients_that_fail_at_once_share_the_game(run):
    line = "--client", "one=sh -c 'exit 3 # {port}'", "--client", "two=sh -c 'exit 4 # {port}'"
    status, out, _ = run(*arena(line))
    assert status == 1 and "2 games: 0 won, 0 lost, 2 drawn" in out
    assert "one: ended before the match (exit status 3); two: ended before the match (exit status 4)" in out
    for game in records():
        assert (game.result.reason, game.result.winner, game.result.value) == ("forfeit", None, 0.5)
        umpire.replay(game)
    assert run("replay", "a/records/1-2-00000.jsonl")[0] == 0


@needs_proc
def test_nothing_is_left_running(run):
    """Not even a client that ignores the end of the match and SIGTERM, and what it has started."""
    assert run(*arena(client("fine"), client("odd", "stays")))[0] == 0
    assert len(started("odd")) == 4 and not any(map(is_running, started("odd")))


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_arena_that_is_stopped_leaves_nothing_running_and_goes_on(run, start, number):
    line = arena(client("one", "stays"), client("two"), jobs=1)
    process = start(*line)
    deadline = time.monotonic() + PATIENCE
    while not (len(outputs("one")) == 2 and "started" in outputs("one")[1]):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == (130 if number == signal.SIGINT else -number) and "Traceback" not in err
    assert number == signal.SIGKILL or err.endswith(" --resume\n")
    while any(map(is_running, started("one"))):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    kept = records()
    assert len(kept) == 1
    status, _, err = run(*arena(client("one"), client("two")), "--resume")
    assert status == 2 and "a: one was " in err  # another command
    status, _, err = run(*line, "--resume", "--extra-clock", "5")
    assert status == 2 and "a: --extra-clock was 21.9 s" in err
    status, out, err = run(*line, "--resume", "--json")
    assert status == 0 and json.loads(out)["games"] == 2 and "1 of 2 games to play" in err
    assert records()[:1] == kept


def test_many_games_with_crashes_lose_no_result(run):
    """The same games whatever runs beside them: seeds and errors of execution decide."""
    for jobs in (1, 3):
        line = arena(client("one", "crash"), client("two", "crash"), games=12, jobs=jobs, out=f"j{jobs}")
        assert run(*line)[0] == 0
    assert records("j1") == records("j3") and len(records("j1")) == 12
    reasons = [game.result.reason for game in records("j1")]
    assert "forfeit" in reasons and "score" in reasons


def test_several_clients_play_a_round_robin_which_other_verbs_read(run):
    clients = client("one"), client("two"), client("three", "nonsense")
    status, out, err = run(*arena(*clients, jobs=1), "--json")
    found = json.loads(out)
    assert status == 1 and [(one["a"], one["b"]) for one in found["pairs"]] == [
        ("one", "two"),
        ("one", "three"),
        ("two", "three"),
    ]
    assert [one["planner"] for one in found["elo"]] == ["one", "two", "three"] and "every game of " in err
    assert read_tournament(Path("a")).sides[0] == ("one", 20, "s a game")
    status, out, _ = run("strength", "a")
    assert status == 0 and re.search(r"\| against +\| 20 s a game", out)
    status, out, _ = run("status", "a")
    assert status == 0 and "one against three" in out
    assert run("replay", "a/records/1-2-00000.jsonl")[0] == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("--client", "champion"), "must be from 2"),
        (("--client", "champion", "--client", "presaerch"), "Did you mean 'presearch'"),
        (("--client", "champion", "--client", "uct", "--ends", "0"), "--ends=0"),
        (("--client", "champion", "--client", "uct", "--clock", "0"), "--clock=0"),
        (
            ("--client", "champion", "--client", "uct", "--start", "901"),
            "--start=901: must be a number from 0.1 to 900",
        ),
        (("--client", "champion", "--client", "uct", "--games", "3"), "games=3: must be even"),
        (("--client", "champion", "--client", "uct", "--jobs", "0"), "jobs=0"),
        (("--client", "champion", "--client", "uct", "--cores", str(1 + (os.cpu_count() or 1))), "--cores="),
        (("--client", "champion", "--client", "uct", "--against-last", "none"), "none holds no match"),
    ],
)
def test_an_invalid_command_line_is_refused_before_anything_is_written(refused, line, words):
    err = refused("arena", "dc3", *line, "--out", "a")
    assert words in err and err.startswith("bonspiel arena dc3: ") and not Path("a").exists()


def test_a_program_that_never_ran_as_a_planner_wins_nothing(run, tmp_path):
    (tmp_path / "broken.py").write_text("raise SystemExit('bug')\n")
    broken = f"process:{sys.executable} {tmp_path / 'broken.py'}"
    _, out, err = run(*arena(("--client", broken), ("--client", "rulebased"), games=2, ends=1))
    assert "0 won, 2 lost" in out, err
    assert "2 games forfeited" in out and "ended before the match" in out
