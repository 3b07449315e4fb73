"""A two-player game of one's own: a class and one line in the registry. The example is Nim."""

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners.checks import require
from bonspiel.runs.games.game import GAMES, GameSummary, Step
from bonspiel.runs.games.tournament import read_tournament

LINE = ("match", "perfect", "random", "--game", "nim:heap=11", "--budget", 1, "--jobs", 1, "--out", "m")


class NimModel:
    """The state is [stones, player]; an action takes one to three stones; who takes the last one wins."""

    state_dim, discount, compiled = 2, 1.0, False
    action_low, action_high, params = np.array([1.0]), np.array([3.0]), np.zeros(0)
    player = staticmethod(lambda state, params: 1.0 - 2.0 * state[1])

    def __init__(self, heap):
        self.horizon = self.heap = heap

    def initial_state(self, rng):
        return np.array([self.heap, 0.0])

    @staticmethod
    def sample_action(state, action, params, rng):
        action[0] = rng.integers(1, min(3, int(state[0])) + 1)

    @staticmethod
    def step(state, action, next_state, params, rng):
        next_state[:] = state[0] - round(action[0]), 1.0 - state[1]
        over = next_state[0] <= 0.0
        return (1.0 - 2.0 * state[1] if over else 0.0), bool(over)


@dataclass(frozen=True)
class Nim:
    """The game, as runs/games takes it."""

    heap: int = 21

    roles: ClassVar = ("first", "second")
    suffix: ClassVar = ".json"
    make_player = staticmethod(planners.parse)

    def __post_init__(self):
        require(0 < self.heap < 1000, "heap", self.heap, "from 1 to 999")

    title = property(lambda self: f"a heap of {self.heap}")
    model = property(lambda self: NimModel(self.heap))

    def initial_state(self, rng):
        return self.model.initial_state(rng)

    def player(self, state):
        return int(state[1])

    def check_action(self, state, action):
        require(1 <= round(action[0]) <= min(3, state[0]), "action", action, "1 to 3 stones of those left")
        return np.round(action)

    def step(self, state, action, rng):
        after = np.empty(2)
        reward, over = NimModel.step(state, action, after, None, rng)
        return Step(after, 0.5 + 0.5 * reward if over else None)

    def record(self, scheduled, moves, forfeit):
        value = moves[-1].step.value if forfeit is None else float(forfeit.player)
        return {
            "sides": [list(side) for side in scheduled.sides],
            "game": asdict(self),
            "numbers": scheduled[1:],
            "moves": [[move.player, move.seconds, move.simulations, int(move.action[0])] for move in moves],
            "value": value,
            "forfeit": forfeit and str(forfeit),
        }

    def write(self, file, record):
        file.write_text(json.dumps(record))

    def read(self, file, partial=False):
        return json.loads(file.read_text())

    def is_record_of(self, record, scheduled):
        return record["sides"] == [list(side) for side in scheduled.sides] and tuple(record["numbers"]) == scheduled[1:]

    def summary(self, record):
        moves = tuple(tuple(move[:3]) for move in record["moves"])
        return GameSummary(record["value"], int(record["value"] < 0.5), record["forfeit"], moves)

    def length(self, record):
        return len(record["moves"])

    def picture(self, record, advance):
        for _ in record["moves"]:
            advance()
        return f"<p>{' '.join(str(move[3]) for move in record['moves'])}</p>", None


@dataclass(frozen=True)
class Perfect:
    """Leaves a multiple of four; or takes five stones, which is illegal."""

    illegal: bool = False

    def plan(self, model, state, budget, rng, root_actions=None):
        action = np.array([5.0 if self.illegal else state[0] % 4 or 1.0])
        return SimpleNamespace(action=action, value=0.0, simulations=1)


@pytest.fixture(autouse=True)
def registered(register, monkeypatch):
    """One line for the game, and one for a planner."""
    register(Perfect)
    monkeypatch.setitem(sys.modules, "nim", sys.modules[__name__])
    monkeypatch.setitem(GAMES.classes, "nim", "nim:Nim")


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
    assert (tournament.game, [side.planner for side in tournament.sides]) == (Nim(11), ["perfect", "random"])
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


def test_an_illegal_move_forfeits_the_game(run):
    line = ("match", "perfect:illegal=true", "perfect", *LINE[3:], "--games", 2)
    status, out, err = run(*line)
    assert status == 1 and "2 games forfeited" in out and "1 to 3 stones" in out
    assert err.splitlines()[-1].startswith("bonspiel match: every game of perfect:illegal=true, 1 simulation against ")
    assert [json.loads(file.read_text())["value"] for file in sorted(Path("m/records").iterdir())] == [0.0, 1.0]


def test_a_record_has_a_picture(run):
    assert run(*LINE, "--games", 2)[0] == 0
    status, out, _ = run("replay", "m/records/1-2-00000.json", "--game", "nim")
    assert (status, out) == (0, "m/records/1-2-00000.html\n")
    assert Path(out.strip()).read_text() == f"<p>{' '.join(map(str, moves('m')['1-2-00000.json']))}</p>"


@pytest.mark.parametrize(
    "change, words",
    [
        (("--game", "nimm"), "Did you mean 'nim'"),
        (("--game", "nim:heap=0"), "heap=0: must be from 1 to 999"),
        (("--ends", "2"), "unknown parameter of nim 'ends'"),
        (("--game", "nim:heaps=3"), "Did you mean 'heap'"),
        (("--game", "collections:OrderedDict"), "gives no game: OrderedDict has no `make_player`"),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_one_line(run, change, words):
    status, out, err = run(*LINE, "--games", 2, *change)
    assert (status, out) == (2, "") and words in err and err.count("\n") == 1 and not Path("m").exists()
