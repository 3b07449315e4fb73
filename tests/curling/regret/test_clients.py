"""Clients before positions: what they see there, and why they give no shot."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel.curling.arena.clients import parse_clients
from bonspiel.curling.checks import check_match_state
from bonspiel.curling.ice.sheet import places as places_of
from bonspiel.curling.regret import positions
from bonspiel.curling.regret.clients import Question, ask, served
from bonspiel.curling.verbs.regret import _settings
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.planner import Budget
from bonspiel.runs.experiment import UsageError
from tests.curling.regret.places import file_of, last_stone, stones

pytestmark = pytest.mark.usefixtures("patient")

SEEING = Path(__file__).with_name("seeing_client.py")
PLACE = {"end": 4, "lead": -9, "shot": 12, "hammer": 0}
DOUBLES = {"pattern": 2, "decider": 0, "power_plays": [True, False], "throwers": None}
MIXED = {"stones": places_of(stones(red4=(0.1, 0.2), yellow5=(-0.4, 1.0))), "mixed_doubles": DOUBLES}


def question(tmp_path, protocol="dc3", seconds=30.0):
    return Question(protocol, Budget(simulations=50), seconds, 60.0, 1, tmp_path)


def places(tmp_path, protocol="dc3", **changes):
    found = positions.read_file(
        file_of(tmp_path / "p.json", last_stone(red1=(0.1, 0.2), yellow2=(-0.4, 1.0)) | changes)
    )
    return served(found, protocol)


def seeing(way=""):
    return f"seeing={sys.executable} {SEEING} {{port}} {way}"


def test_a_command_sees_the_position_and_the_server_ends_it_after_its_shot(tmp_path):
    (place,), (client,) = places(tmp_path, **PLACE), parse_clients([seeing()], "dc3", [])
    answer = ask(client, place, 0, question(tmp_path))
    assert answer.shot == (0.1317, 2.3997, 1.0) and answer.failure is None and answer.seconds < 30.0
    (line,) = (tmp_path / "0000-seeing.txt").read_text().splitlines()
    state = json.loads(line)
    assert (state["end"], state["shot"], state["hammer"]) == (4, 12, "team0")
    assert state["scores"] == {"team0": [0, 0, 0, 0, *[None] * 4], "team1": [8, 1, 0, 0, *[None] * 4]}
    assert state["thinking_time_remaining"]["team1"] == 30.0 * (4 * 8 - 6)
    lying = [stone["position"] for team in ("team0", "team1") for stone in state["stones"][team] if stone]
    assert np.allclose([[one["x"], one["y"]] for one in lying], place.position.stones[[0, 9]], atol=1e-5)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("crash", "left the match (exit status 1; its last output: ZeroDivisionError"),
        ("concede", "conceded"),
        ("hang", "no time left"),
    ],
)
def test_a_command_that_gives_no_shot_is_told_of(tmp_path, way, words):
    (place,), (client,) = places(tmp_path, **PLACE), parse_clients([seeing(way)], "dc3", [])
    answer = ask(client, place, 0, question(tmp_path, seconds=0.02 if way == "hang" else 30.0))
    assert answer.shot is None and answer.failure.startswith(words)


@pytest.mark.parametrize(("protocol", "game"), [("dc3", {}), ("dc4", {}), ("dc4", MIXED)])
def test_our_client_sees_the_position_too(tmp_path, protocol, game):
    if protocol == "dc4":
        pytest.importorskip("dc4client")
        pytest.importorskip("starlette")
    (place,) = places(tmp_path, protocol, **PLACE | game)
    match = "--match {match} --team {team}" if protocol == "dc4" else ""
    match += " --game mixed_doubles" if game else ""
    command = f"{sys.executable} -m bonspiel client {protocol} --host {{host}} --port {{port}} {match}"
    (client,) = parse_clients([f"mine={command} --planner rulebased"], protocol, [])
    answer = ask(client, place, 3, question(tmp_path, protocol, seconds=1.0))
    known = own_actions(place.match.planning(), place.state)  # of which it chooses one
    assert answer.failure is None and abs(known - answer.shot).max(1).min() < 1e-3
    if protocol == "dc4":
        left = 4 * 5 - 3 if game else 4 * 8 - 6
        assert f", {left} s" in (tmp_path / "0003-mine.txt").read_text()


def test_a_planner_that_fails_gives_no_shot(tmp_path):
    (place,) = places(tmp_path)
    (client,) = parse_clients(["process:false"], "dc3", [])
    answer = ask(client, place, 0, question(tmp_path))
    assert answer.shot is None and answer.failure.startswith("ProcessFailure: ended (exit status 1)")


@pytest.mark.parametrize(
    ("protocol", "change", "words"),
    [
        ("dc4", {"rule": "four_rock"}, "rule='four_rock': a server of dc4 has five_rock or no_tick for commands"),
        ("dc3", {"rule": "no_tick"}, "rule='no_tick': a server of dc3 has five_rock or four_rock"),
        ("dc3", {"max_speed": 3.5}, "max_speed=3.5"),
        ("dc3", {"noise": {"vx": 0.05}}, "noise: servers tell commands of errors of speed and angle alone"),
        ("dc3", MIXED | {"physics": "dc4"}, "mixed doubles is put to commands by --protocol dc4 alone"),
    ],
)
def test_positions_that_a_server_cannot_have_are_refused(tmp_path, protocol, change, words):
    with pytest.raises(UsageError, match=rf"^position 1 \(.*\): {words}"):
        places(tmp_path, protocol, **change)


def test_positions_with_stones_beyond_the_sheet_of_a_protocol_are_left_out_and_counted(capsys, monkeypatch):
    monkeypatch.delenv("BONSPIEL_SAID", raising=False)
    first = positions.shipped()[:100]
    put = served(first, "dc4")
    assert len(put) == 86
    for one in put:
        check_match_state(one.match.planning(), one.state)
    assert "cannot occur on the sheet of dc4 are left out: 14, position " in capsys.readouterr().err
    kept = {one.state.tobytes() for one in put}
    beyond = next(one for one in first if one.state.tobytes() not in kept)
    with pytest.raises(UsageError, match="on the sheet of dc4: give another --protocol"):
        served([beyond], "dc4")


@pytest.mark.parametrize(("extra_ends", "is_said"), [({"extra_ends": 0}, True), ({"extra_ends": 10}, False)])
def test_a_tie_that_counts_half_where_commands_expect_extra_ends_is_said(
    tmp_path, capsys, monkeypatch, extra_ends, is_said
):
    monkeypatch.delenv("BONSPIEL_SAID", raising=False)
    assert len(places(tmp_path, **extra_ends)) == 1
    assert ("positions without extra ends: 1" in capsys.readouterr().err) == is_said


def test_the_clock_of_commands_is_a_setting_next_to_the_simulations_of_planners():
    commands, planners = parse_clients([seeing(), "random"], "dc3", []), parse_clients(["random"], "dc3", [])
    for clients, differ in ((commands, True), (planners, False)):
        found = [
            _settings(SimpleNamespace(seconds=seconds, simulations=20, spoken="dc3", seed=1), clients, "own")["a shot"]
            for seconds in (0.5, 5.0)
        ]
        assert (found[0] != found[1]) == differ
