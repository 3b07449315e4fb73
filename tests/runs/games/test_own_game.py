"""A two-player game of another package: a class with its name in the registry. The example is Nim."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from bonspiel.planners import Decision
from bonspiel.runs.games.game import GAMES
from bonspiel.runs.games.tournament import read_tournament

PACKAGE = Path(__file__).parents[2] / "example_package"
LINE = ("match", "perfect", "random", "--game", "nim:heap=11", "--budget", 1, "--jobs", 1, "--out", "m")


@dataclass(frozen=True)
class Perfect:
    """Leaves a multiple of four; or takes five stones, which is outside the bounds."""

    illegal: bool = False

    def plan(self, model, state, budget, rng, root_actions=None):
        action = np.array([5.0 if self.illegal else state[0] % 4 or 1.0])
        return Decision(action, 0.0, 1, 0.0, action[None], np.ones(1, np.int64), np.zeros(1))


@pytest.fixture(autouse=True)
def registered(register, monkeypatch):
    """A name for the game, and one for a planner."""
    register(Perfect)
    monkeypatch.syspath_prepend(PACKAGE)
    monkeypatch.setitem(GAMES.classes, "nim", "example_planning.game:Nim")


def moves(folder):
    files = sorted(Path(folder, "records").glob("*.json"))
    return {file.name: [move[3] for move in json.loads(file.read_text())["moves"]] for file in files}


def test_a_tournament_is_played_resumed_rated_and_charted(run):
    status, out, _ = run(*LINE, "--games", 4)
    assert status == 0 and "perfect, 1 simulation  against  random, 1 simulation" in out
    assert "first 1.000, second" in out
    before = moves("m")
    assert list(before) == [f"1-2-{index:05d}.json" for index in range(4)]
    assert all(sum(taken) == 11 for taken in before.values())
    status, out, err = run(*LINE, "--games", 20, "--resume", "--json")
    assert status == 0 and "16 of 20 games to play" in err
    assert before.items() <= moves("m").items() and len(moves("m")) == 20
    found = json.loads(out)
    won = [index for index, taken in enumerate(moves("m").values()) if len(taken) % 2 == (index + 1) % 2]
    assert (found["wins"], found["draws"]) == (len(won), 0) and found["wins"] >= 15 and found["elo"] > 100.0
    tournament = read_tournament(Path("m"))
    assert (repr(tournament.game), [side.planner for side in tournament.sides]) == (
        "Nim(heap=11)",
        ["perfect", "random"],
    )
    status, out, _ = run("strength", "m")
    assert status == 0 and "perfect, a heap of 11" in out


def test_the_same_tournament_has_the_same_games(run):
    assert run(*LINE, "--games", 6)[0] == 0
    assert run(*LINE[:-1], "again", "--games", 6)[0] == 0
    assert moves("m") == moves("again") and len({tuple(taken) for taken in moves("m").values()}) > 1


def test_games_that_the_index_lacks_are_read_from_their_records(run):
    assert run(*LINE, "--games", 4)[0] == 0
    with closing(sqlite3.connect("m/results.sqlite")) as index, index:
        index.execute("DELETE FROM episode")
    before = moves("m")
    status, _, err = run(*LINE, "--games", 4, "--resume")
    assert status == 0 and "0 of 4 games to play" in err and moves("m") == before


def test_a_move_outside_the_bounds_forfeits_the_game(run):
    line = ("match", "perfect:illegal=true", "perfect", *LINE[3:], "--games", 2)
    status, out, err = run(*line)
    assert status == 1 and "2 games forfeited" in out and "action=array([5.]): must be within" in out
    assert err.splitlines()[-1].startswith("bonspiel match: every game of perfect:illegal=true, 1 simulation against ")
    assert [json.loads(file.read_text())["value"] for file in sorted(Path("m/records").iterdir())] == [0.0, 1.0]


def test_a_record_has_a_picture(run):
    assert run(*LINE, "--games", 2)[0] == 0
    status, out, _ = run("replay", "m/records/1-2-00000.json", "--game", "nim")
    assert (status, out) == (0, "m/records/1-2-00000.html\n")
    assert Path(out.strip()).read_text() == f"<p>{' '.join(map(str, moves('m')['1-2-00000.json']))}</p>"


def test_planners_that_search_play_legal_moves_and_win(run):
    status, out, _ = run("match", "uct", "random", *LINE[3:5], "--budget", "300,1", *LINE[7:], "--games", 12)
    assert status == 0 and "forfeited" not in out and "win rate 1.000" in out


class Wrong:
    """Faults of an own game, each by a member of the example, as module text."""

    LOSSES = """
    def step(self, state, action, rng):
        after, value, details = super().step(state, action, rng)
        return Step(after, value and -1.0)"""
    DRAWN = """
    def summary(self, record):
        return super().summary(record)._replace(value=0.5)"""
    THIRD = """
    def player(self, state):
        return 2"""
    OTHER = """
    def player(self, state):
        return 1 - super().player(state)"""
    ALONE = """
    @property
    def model(self):
        found = super().model
        found.player = None
        return found"""


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("LOSSES", "gives player 0 the result -1: must be from 0 to 1"),
        ("DRAWN", "gives a game with the result 0.5 the winner"),
        ("THIRD", "says player 2 is to move, and its model's player is 1: must be 0 and 1, or 1 and -1"),
        ("OTHER", "says player 1 is to move, and its model's player is 1"),
        ("ALONE", "has a model without `player`"),
    ],
)
def test_a_game_that_contradicts_itself_is_refused(run, tmp_path, monkeypatch, fault, words):
    head = "from example_planning.game import Nim as Example\nfrom bonspiel.runs.games.game import Step\n"
    Path(f"wrong_{fault}.py").write_text(f"{head}class Nim(Example):{getattr(Wrong, fault)}")
    monkeypatch.syspath_prepend(Path.cwd())
    line = ("match", "random", "random", "--game", f"wrong_{fault}:Nim", "--budget", 1, "--jobs", 1, "--out", "m")
    status, _, err = run(*line, "--games", 2)
    assert status == 1 and words in err and "Traceback" not in err


@pytest.mark.parametrize(
    "change, words",
    [
        (("--game", "nimm"), "Did you mean 'nim'"),
        (("--game", "nim:heap=0"), "heap=0: must be from 1 to 999"),
        (("--game", "nim:heaps=3"), "Did you mean 'heap'"),
        (("--game", "collections:OrderedDict"), "gives no game: OrderedDict has no `make_player`"),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_one_line(refused, change, words):
    err = refused(*LINE, "--games", 2, *change)
    assert words in err and not Path("m").exists()
