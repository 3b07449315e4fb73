"""Matches from the logs of clients of Digital Curling 3."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from curling.match_data import stones_after
from runs.curling.analysis import client_log
from runs.curling.analysis.match import thrown_shots

TRANSCRIPTS = Path(__file__).parents[3] / "curling" / "data" / "transcripts"
FULL = TRANSCRIPTS / "dc3" / "full_game_team0.jsonl"


@pytest.fixture(scope="module")
def logged():
    return client_log.read_log(FULL)


def messages(file, command):
    entries = map(json.loads, file.read_text().splitlines())
    return [entry["msg"] for entry in entries if entry.get("msg", {}).get("cmd") == command]


def test_the_match_of_a_reference_server(logged):
    record = logged.record
    assert logged.team == 0 and record.match.players == ("rulebased", "rulebased")
    assert (record.match.ends, record.match.rule, record.match.noise) == (8, "five_rock", "normal_dist")
    final = messages(FULL, "update")[-1]["state"]
    assert [list(column) for column in zip(*(end.points for end in record.ends), strict=True)] == [
        final["scores"]["team0"],
        final["scores"]["team1"],
    ]
    assert record.result.reason == final["game_result"]["reason"]
    assert f"team{record.result.winner}" == final["game_result"]["winner"]


def test_shots_and_stones_are_those_of_the_messages(logged):
    updates, moves = messages(FULL, "update"), messages(FULL, "move")
    shots = logged.record.shots
    assert len(shots) == len(updates) - 1 == 128
    own = [shot for shot in shots if shot.team == 0]
    assert [shot.aim[:2] for shot in own] == [tuple(m["move"]["velocity"].values()) for m in moves]
    assert all(shot.aim[:2] != shot.thrown[:2] for shot in own)
    assert all(shot.aim[:2] == shot.thrown[:2] for shot in shots if shot.team == 1)
    listed = updates[8]["state"]["stones"]
    expected = [stone and tuple(stone["position"].values()) for team in ("team0", "team1") for stone in listed[team]]
    assert list(shots[7].stones) == expected
    assert shots[7].thrown[:2] == tuple(updates[8]["last_move"]["actual_move"]["velocity"].values())
    assert np.isfinite(stones_after(shots[15])).any()  # played again: the server's next state is an empty sheet


def test_its_positions_follow_from_each_other(logged):
    found = thrown_shots(logged.record)
    assert len(found) == 128 and found[-1].reward == logged.record.result.value


def test_a_log_that_breaks_off(tmp_path):
    text = FULL.read_text()
    file = tmp_path / "cut.jsonl"
    file.write_text(text[: len(text) // 2])
    record = client_log.read_log(file).record
    assert 10 < len(record.shots) < 128 and record.result.reason == "unfinished"


def test_records_and_logs_are_told_apart(tmp_path, played):
    (tmp_path / "nonsense").write_text("nonsense\n[1]\n")
    assert client_log.is_log(FULL) and not client_log.is_log(tmp_path / "nonsense")
    other = TRANSCRIPTS / "dc2" / "full_game_first.jsonl"
    assert client_log.is_log(other)
    with pytest.raises(ValueError, match="of no match of Digital Curling 3"):
        client_log.read_log(other)


@pytest.mark.parametrize(
    "old, new, count, said",
    [
        ('"stddev_speed": 0.0076', '"stddev_speed": 0.01', 1, "different errors"),
        ('"max_speed": 4.0', '"max_speed": 3.5', 8, "3.5 m/s at most"),
    ],
)
def test_players_whom_a_record_cannot_describe_are_refused(tmp_path, old, new, count, said):
    file = tmp_path / "log.jsonl"
    file.write_text(FULL.read_text().replace(old, new, count))
    with pytest.raises(ValueError, match=said):
        client_log.read_log(file)


@pytest.mark.parametrize("team, status", [("team0", 0), ("team1", 2), (None, 0)])
def test_the_own_shots_alone_are_judged(run, tmp_path, team, status):
    file = tmp_path / "log.jsonl"
    file.write_text("".join(FULL.read_text().splitlines(keepends=True)[:9]))  # two shots
    chosen = () if team is None else ("--team", team)
    found, out, err = run("analyse", file, "--planner", "rulebased", "--simulations", 50, "--jobs", 1, *chosen)
    assert found == status
    assert re.findall(r"^ +(\d+  \w+) ", out, re.M) == (["1  red"] if status == 0 else [])
    assert ("the aims of team1" in err) == (team != "team0")
