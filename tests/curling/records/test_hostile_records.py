"""What every reader of records says of files that somebody has spoiled: one line, the same for all."""

import json
import re
from pathlib import Path

import pytest

from bonspiel.curling.game import CurlingGame
from bonspiel.curling.records import record
from bonspiel.curling.records.match_data import Result, score_of
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.play import play_game

READERS = {
    "replay": ("replay", "game.jsonl"),
    "analyse": ("analyse", "game.jsonl", "--planner", "rulebased", "--simulations", 20, "--jobs", 1),
    "map": ("map", "game.jsonl", "--end", 1, "--shot", 2, "--budget", 50, "--out", "map.png"),
}


@pytest.fixture(scope="module")
def played():
    """Three shots of a match that breaks off."""
    side = Side("random", 1, "simulations")
    found = play_game(CurlingGame(ends=1), ScheduledGame((side, side), 2, 0, 0))
    return found._replace(shots=found.shots[:3], ends=(), result=Result(score_of(()), None, None, "unfinished"))


@pytest.fixture
def file(played, tmp_path):
    """The lines of its record, to be spoiled."""
    record.write(tmp_path / "game.jsonl", played)
    return tmp_path / "game.jsonl"


def spoiled(file, number, **fields):
    lines = file.read_text().splitlines()
    lines[number] = json.dumps(json.loads(lines[number]) | fields)
    file.write_text("\n".join(lines) + "\n")


@pytest.fixture
def refusal(request, run, file, monkeypatch):
    """Run a reader, which must refuse the file in one line; the line."""
    monkeypatch.chdir(file.parent)

    def check():
        status, out, err = run(*READERS[request.param])
        lines = [line for line in err.splitlines() if "compiling" not in line]
        assert (status, out, len(lines)) == (2, "", 1), (status, out, err)
        assert lines[0].isprintable() and len(lines[0]) < 600 and "game.jsonl" in lines[0]
        return lines[0]

    return check


def on_readers(rows):
    """All rows on one reader, and the first one on each."""
    one, *others = READERS
    rows = list(rows)
    return [(one, *row) for row in rows] + [(reader, *rows[0]) for reader in others]


NOISE = {"speed": 1e308, "angle": 0.0, "vx": 0.0, "vy": 0.0}
NUMBERS = {
    "a throw": (3, {"thrown": [0.1, 1.7e308, 1.5]}, "line 4.*<= 1000"),
    "an aim": (3, {"aim": [-1e308, 2.4, 1.0]}, "line 4.*>= -1000"),
    "a stone": (3, {"stones": [[1e308, 38.0], *[None] * 15]}, "line 4.*<= 1000"),
    "noise": (0, {"noise": NOISE}, "line 1.*noise.*at most 1000"),
    "a name": (1, {"\x1b[2Jx": 1}, r"line 2.*unknown field `\?\[2Jx`"),
}


@pytest.mark.parametrize("refusal, number, fields, said", on_readers(NUMBERS.values()), indirect=["refusal"])
def test_numbers_that_there_cannot_be(refusal, file, number, fields, said):
    spoiled(file, number, **fields)
    assert re.search(said, refusal())


DEEP = ["[" * 10_000, '{"a":' * 10_000, '{"dir": "x"}\n' + "[" * 10_000]
PLACES = on_readers([(number, text) for text in DEEP for number in (0, 2)])


@pytest.mark.parametrize("refusal, number, text", PLACES, indirect=["refusal"], ids=range(len(PLACES)))
def test_deep_nesting(refusal, file, number, text):
    lines = file.read_text().splitlines()
    lines[number] = text
    file.write_text("\n".join(lines) + "\n")
    refusal()


def test_a_position_nested_too_deeply(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("deep.json").write_text("[" * 10_000)
    err = refused("map", "deep.json")
    assert "deep.json: nested too deeply" in err


@pytest.mark.parametrize("reader", READERS)
def test_a_record_that_breaks_off_is_read_by_all(run, file, monkeypatch, reader):
    monkeypatch.chdir(file.parent)
    file.write_bytes(file.read_bytes()[:-200])
    assert run(*READERS[reader])[0] == 0


def test_names_do_not_reach_the_terminal_raw(run, file, monkeypatch):
    monkeypatch.chdir(file.parent)
    spoiled(file, 0, players=["\x1b]0;title\x07red", "x" * 5000])
    status, out, _ = run(*READERS["analyse"])
    assert status == 0 and "?]0;title?red (red)" in out
    assert all(line.isprintable() and len(line) < 300 for line in out.splitlines())
