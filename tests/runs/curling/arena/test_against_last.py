"""`bonspiel arena --against-last`: clients of today against their versions of yesterday."""

import json

import pytest

from tests.runs.curling.arena.test_arena import arena, client


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
        ({"ends": 2}, "its game is "),
        ({"name": "other"}, "name at least two clients as there"),
    ],
)
def test_only_the_same_settings_compare(run, changed, words):
    quits = "--client", "rival=sh -c 'exit # {port}'"
    assert run(*arena(client("mine"), quits, out="old"))[0] == 1
    name = changed.pop("name", "mine")
    status, _, err = run(*arena(client(name), quits, out="new", **changed), "--against-last", "old")
    assert status == 2 and "--against-last old" in err and words in err
