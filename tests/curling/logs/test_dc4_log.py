"""Matches from the logs of clients of Digital Curling 4: our own, and programs with dc4client, of the same matches."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from bonspiel.curling.analysis.match import thrown_shots
from bonspiel.curling.analysis.value_map import read_position
from bonspiel.curling.ice.sheet import stones_at
from bonspiel.curling.logs import client_log
from bonspiel.curling.records import record

DATA = Path(__file__).parents[1] / "data" / "dc4"
GAMES, WRITERS = ["standard", "mixed"], ["client", "dc4client"]
ROUNDING = 1e-5  # m; servers tell single precision


def log_of(game, writer):
    return DATA / f"{game}_{writer}.jsonl"


def lines_of(file):
    return [json.loads(line) for line in file.read_text().split("\n") if line]


def write(file, entries):
    file.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries), encoding="utf-8")
    return file


@pytest.fixture(scope="module", params=GAMES)
def game(request):
    return request.param


@pytest.mark.parametrize("writer", WRITERS)
def test_the_match_is_that_of_the_server_s_record(game, writer):
    known, logged = record.read(log_of(game, "record")), client_log.read_log(log_of(game, writer))
    found = logged.record
    assert (found.result, found.ends, found.setups) == (known.result, known.ends, known.setups)
    assert found.match.ends == known.match.ends and found.match.rule == known.match.rule
    assert (found.match.game, found.match.pattern) == (known.match.game, known.match.pattern)
    assert len(found.shots) == len(known.shots)
    for shot, true in zip(found.shots, known.shots, strict=True):
        assert shot[:4] == true[:4]
        np.testing.assert_allclose(stones_at(shot.stones), stones_at(true.stones), atol=ROUNDING)
        assert shot.thrown == pytest.approx(true.thrown)
        assert shot.aim == pytest.approx(true.aim if shot.team in logged.aims else (*true.thrown[:2], true.aim[2]))
        assert shot.seconds == pytest.approx(true.seconds, abs=0.01)
    assert logged.aims == ((0,) if writer == "client" else ())
    assert len(thrown_shots(found)) == len(known.shots)


def test_the_client_s_own_estimates_are_read(game):
    file = log_of(game, "client")
    told = [entry["msg"]["chance"] for entry in lines_of(file) if entry["dir"] == "estimate"]
    shots = client_log.read_log(file).record.shots
    assert [shot.value for shot in shots if shot.team == 0] == told
    assert all(shot.value is None for shot in shots if shot.team == 1)


@pytest.mark.parametrize("writer", WRITERS)
def test_replay_map_and_analyse_read_them(run, tmp_path, game, writer):
    file = tmp_path / "log.jsonl"
    file.write_bytes(log_of(game, writer).read_bytes())
    status, out, err = run("replay", file)
    assert status == 0 and "does not tell the players" in err
    found = client_log.read_log(file).record
    assert Path(out.strip()).read_text().count('"type":"shot"') == len(found.shots)
    _, state = read_position(file, 2, 3)
    index = 16 if game == "standard" else 10
    np.testing.assert_array_equal(state, thrown_shots(found)[index + 2].state)


@pytest.mark.parametrize("writer", WRITERS)
def test_analyse_judges_the_shots_whose_aims_are_known_or_else_all(run, tmp_path, game, writer):
    entries = lines_of(log_of(game, writer))
    file = write(tmp_path / "log.jsonl", entries[: next(k for k in range(len(entries)) if states(entries[:k]) == 4)])
    status, out, err = run("analyse", file, "--planner", "rulebased", "--simulations", 50, "--jobs", 1)
    assert status == 0
    assert ("holds no aims" in err) == (writer == "dc4client")
    assert ("aims of team1 are not known" in err) == (writer == "client")
    judged = {color for _, color in re.findall(r"^ +(\d+)  (red|yellow) ", out, re.M)}
    assert judged == ({"red"} if writer == "client" else {"red", "yellow"})


def states(entries):
    return sum("end_number" in str(entry.get("msg", entry.get("message"))) for entry in entries)


def test_own_shots_without_an_aim_are_told_of(tmp_path, game):
    """All but the first, as in the log of a client that was started again."""
    entries = lines_of(log_of(game, "client"))
    _, *others = [entry for entry in entries if "shot_angle" in (entry["msg"] or {})]
    whole = client_log.read_log(log_of(game, "client"))
    logged = client_log.read_log(write(tmp_path / "log.jsonl", [entry for entry in entries if entry not in others]))
    assert not any("aims" in note for note in whole.notes) and logged.aims == whole.aims
    assert f"the log lacks the aims of {len(others)} own shots: they are judged as thrown" in logged.notes


def test_states_may_come_twice_and_in_any_order(tmp_path, game):
    """As servers send those of an end again after a reconnection."""
    file, whole = log_of(game, "client"), client_log.read_log(log_of(game, "client"))
    entries = lines_of(file)
    told = [entry for entry in entries if entry["dir"] == "server->client"]
    again = [*entries[:-1], *told[::-1], entries[-1]]
    assert client_log.read_log(write(tmp_path / "log.jsonl", again)) == whole


@pytest.mark.parametrize("writer", WRITERS)
def test_a_log_that_breaks_off_is_read_so_far(tmp_path, game, writer):
    text = log_of(game, writer).read_text()
    file = tmp_path / "log.jsonl"
    file.write_text(text[: len(text) // 2])
    found = client_log.read_log(file).record
    assert 5 < len(found.shots) < 20 and found.result.reason == "unfinished"


def test_missing_states_are_told_of(tmp_path, game):
    entries = lines_of(log_of(game, "client"))
    told = [k for k, entry in enumerate(entries) if entry["dir"] == "server->client"]
    del entries[told[5]]
    found = client_log.read_log(write(tmp_path / "log.jsonl", entries))
    assert "states are missing" in found.notes[0] and found.record.result.reason == "unfinished"
    assert len(found.record.shots) == (4 if game == "standard" else 3)


def test_a_log_that_begins_later_is_refused_in_one_line(refused, tmp_path, game):
    entries = [entry for entry in lines_of(log_of(game, "client")) if entry["dir"] == "server->client"]
    late = [entry for entry in entries if entry["msg"]["end_number"] > 0]
    err = refused("replay", write(tmp_path / "log.jsonl", late))
    assert "begins with end 2" in err


def test_aims_that_a_server_tells_are_known(tmp_path):
    entries = lines_of(log_of("standard", "client"))
    for entry in entries:
        if entry["dir"] == "server->client" and entry["msg"]["last_move"]:
            move = entry["msg"]["last_move"]
            asked = {"translational_velocity": 2.4, "angular_velocity": -1.0, "shot_angle": np.pi / 2.0}
            move |= {f"actual_{key}": value for key, value in asked.items()}
    found = client_log.read_log(write(tmp_path / "log.jsonl", [e for e in entries if e["dir"] == "server->client"]))
    assert found.aims == (0, 1)
    assert all(shot.aim == pytest.approx((0.0, 2.4, -1.0), abs=1e-9) for shot in found.record.shots)


def test_a_match_lost_on_time(tmp_path):
    entries = lines_of(log_of("standard", "client"))
    told = [entry for entry in entries if entry["dir"] == "server->client"][:6]
    told[-1]["msg"] |= {"winner_team": "team1", "first_team_remaining_time": 0.0}
    found = client_log.read_log(write(tmp_path / "log.jsonl", told)).record
    assert (found.result.reason, found.result.winner, found.result.value) == ("time_limit", 1, 0.0)
    assert len(found.shots) == 5


@pytest.mark.parametrize("leads", [True, False])
def test_a_match_lost_on_time_while_nobody_throws(tmp_path, game, leads):
    """As our server ends it: without a last move, and in mixed doubles without a number of the shot."""
    entries = lines_of(log_of(game, "client"))
    states = [entry for entry in entries if entry["dir"] == "server->client"]
    begun = next(i for i, state in enumerate(states) if state["msg"]["end_number"] == 1)
    told = states[: begun + 3]
    score = client_log.read_log(write(tmp_path / "before.jsonl", told)).record.result.score
    assert score[0] != score[1]
    winner = int((score[1] > score[0]) == leads)
    over = {"winner_team": f"team{winner}", "next_shot_team": None, "last_move": None}
    over |= {"total_shot_number": 16 if game == "standard" else None}
    told.append(told[-1] | {"msg": told[-1]["msg"] | over})
    logged = client_log.read_log(write(tmp_path / "log.jsonl", told))
    assert (logged.record.result.reason, logged.record.result.winner) == ("time_limit", winner)
    shots = {
        (state["msg"]["end_number"], state["msg"]["total_shot_number"]) for state in told if state["msg"]["last_move"]
    }
    assert len(logged.record.shots) == len(shots) > 3
    assert not any("missing" in note for note in logged.notes)
    del told[5:-1]
    assert any("missing" in note for note in client_log.read_log(write(tmp_path / "gap.jsonl", told)).notes)


def test_the_rule_is_one_that_allows_all_shots(tmp_path):
    """A guard that was removed before the sixth shot: not by the five-rock rule."""
    entries = [entry for entry in lines_of(log_of("standard", "client")) if entry["dir"] == "server->client"][:4]
    for number, entry in enumerate(entries[1:], 1):
        first = {"x": 0.9, "y": 34.0} if number < 3 else {"x": 0.0, "y": 0.0}
        entry["msg"]["stone_coordinate"]["data"]["team0"][0] = first
    third = entries[3]["msg"]["stone_coordinate"]["data"]
    third["team1"][0] = {"x": 0.0, "y": 0.0}
    entries[2]["msg"]["stone_coordinate"]["data"]["team1"][0] = {"x": -0.9, "y": 34.0}
    found = client_log.read_log(write(tmp_path / "log.jsonl", entries)).record
    assert found.match.rule == "none"
    assert [sum(place is not None for place in shot.stones) for shot in found.shots][:2] == [1, 2]


def test_several_matches_of_one_program_are_refused_in_one_line(refused, tmp_path):
    first, second = lines_of(log_of("standard", "dc4client")), lines_of(log_of("mixed", "dc4client"))
    err = refused("replay", write(tmp_path / "log.jsonl", first + second))
    assert "holds 2 matches" in err


@pytest.mark.parametrize("change", [("x=0.0", "x=nan"), ("None", "nothing"), ("team0=[0", "team0=[-3"), ("(", "")])
def test_states_that_are_none_are_refused_with_their_line(refused, tmp_path, change):
    file = tmp_path / "log.jsonl"
    file.write_text(log_of("standard", "dc4client").read_text().replace(*change))
    err = refused("replay", file)
    assert "log.jsonl, line " in err
