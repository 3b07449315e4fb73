"""`bonspiel arena --against-last`: clients of today against their versions of yesterday."""

import json
import shutil
from pathlib import Path

import pytest

from tests.curling.arena.test_arena import arena, client, records


def test_a_client_is_compared_with_its_earlier_version(run):
    fine, others = client("rival"), {"games": 4, "seed": 3}
    assert run(*arena(client("mine", "nonsense"), fine, out="old", **others))[0] == 1
    status, out, _ = run(*arena(fine, client("mine"), out="new", **others), "--against-last", "old")
    assert status == 0 and "since old, by pairs of games with the same errors of execution" in out
    assert "mine against rival: win rate " in out and ", was 0.000: +" in out and "2 pairs" in out
    status, out, _ = run(
        *arena(fine, client("mine"), out="new", **others), "--against-last", "new", "--resume", "--json"
    )
    found = json.loads(out)
    changes, rate = found["against_last"], found["win_rate"]
    assert rate != 0.5 and [one["now"] for one in changes] == [rate, 1.0 - rate]
    assert [(one["client"], one["against"]) for one in changes] == [("rival", "mine"), ("mine", "rival")]
    assert all(one["now"] == one["last"] and one["low"] == one["high"] == 0.0 for one in changes)
    assert all((one["pairs"], one["p_value"]) == (2, 1.0) for one in changes)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 2}, "--seed is 1, not 2"),
        ({"clock": 30}, "--clock is 20 s a game, not 30 s a game"),
        ({"extra-clock": 5}, "--extra-clock is 21.9, not 5.0"),
        ({"ends": 2}, "its game is "),
        ({"name": "other"}, "name at least two clients as there"),
    ],
)
def test_only_the_same_settings_compare(run, refused, changed, words):
    quits = "--client", "rival=sh -c 'exit # {port}'"
    assert run(*arena(client("mine"), quits, out="old"))[0] == 1
    name = changed.pop("name", "mine")
    err = refused(*arena(client(name), quits, out="new", **changed), "--against-last", "old")
    assert "--against-last old" in err and words in err


def test_pairs_are_compared_by_their_numbers_and_a_damaged_one_is_refused_at_once(run, refused):
    """A pair that lacks a game in one of the arenas is left out of both."""
    line = arena(client("mine", "crash"), client("rival"), games=6, seed=5)
    assert run(*line)[0] == 0
    shutil.copytree("a", "old")
    lost = Path("old/records/1-2-00000.jsonl")
    lost.unlink()
    _, out, _ = run(*line, "--resume", "--json", "--against-last", "old")
    (change,) = [one for one in json.loads(out)["against_last"] if one["client"] == "mine"]
    values = [game.result.value_for(number % 2) for number, game in enumerate(records())]
    assert sum(values[:4]) != sum(values[2:])
    assert change["pairs"] == 2 and change["now"] == change["last"] == sum(values[2:]) / 4
    Path("old/records/1-2-00001.jsonl").write_text("no record")
    Path("old/records/1-2-00000.jsonl").write_text("no record")
    err = refused(*line, "--out", "new", "--against-last", "old")
    assert "--against-last old: old/records/1-2-00000.jsonl" in err and not Path("new").exists()
