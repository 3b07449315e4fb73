"""Matches from the logs of clients and servers of Digital Curling 3."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from bonspiel.curling.analysis.match import thrown_shots
from bonspiel.curling.analysis.value_map import read_position
from bonspiel.curling.ice.noise import Noise, noise_of
from bonspiel.curling.ice.sheet import stones_at
from bonspiel.curling.logs import client_log
from tests.curling.server_log import AIMED, server_log

TRANSCRIPTS = Path(__file__).parents[1] / "data" / "transcripts"
FULL = TRANSCRIPTS / "dc3" / "full_game_team0.jsonl"


@pytest.fixture(scope="module")
def logged():
    return client_log.read_log(FULL)


def messages(file, command):
    entries = map(json.loads, file.read_text().splitlines())
    return [entry["msg"] for entry in entries if entry.get("msg", {}).get("cmd") == command]


def test_the_match_of_a_reference_server(logged):
    record = logged.record
    assert logged.aims == (0,) and record.match.players == ("rulebased", "rulebased")
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
    assert np.isfinite(stones_at(shots[15].stones)).any()  # played again: the server's next state is an empty sheet


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
    with pytest.raises(ValueError, match="holds no match of Digital Curling 3 or 4"):
        client_log.read_log(other)


def changed(tmp_path, old, new, count):
    file = tmp_path / "log.jsonl"
    file.write_text(FULL.read_text().replace(old, new, count))
    return file


@pytest.mark.parametrize(
    "old, new, count, noise, said",
    [
        ('"stddev_speed": 0.0076', '"stddev_speed": 0.0156', 1, Noise(0.0086, 0.0018), "mean stands for all: 0.0086"),
        ('"stddev_angle": 0.0018', '"stddev_angle": 0.0026', 4, Noise(0.0076, 0.0022), "0.0022 rad"),
        ('"max_speed": 4.0', '"max_speed": 3.5', 8, "normal_dist", "3.5 m/s at most"),
        ('"max_speed": 4.0', '"max_speed": 2.5', 1, "normal_dist", "some players throw at 2.5 m/s"),
    ],
)
@pytest.mark.parametrize("verb", ["replay", "map"])
def test_a_match_of_unequal_or_slower_players_is_read_with_a_note(
    run, tmp_path, logged, old, new, count, noise, said, verb
):
    file = changed(tmp_path, old, new, count)
    found = client_log.read_log(file)
    assert found.record.shots == logged.record.shots and found.record.ends == logged.record.ends
    read = noise_of(found.record.match.noise)
    assert read.params == pytest.approx(noise_of(noise).params, rel=1e-6)
    if verb == "map":
        read_position(file, 2, 3)
        return
    status, _, err = run("replay", beginning(file.read_text(), tmp_path / "short.jsonl", 3))
    assert status == 0 and said in err


def test_players_who_cannot_be_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"noise=.*at most 1000"):
        client_log.read_log(changed(tmp_path, '"stddev_speed": 0.0076', '"stddev_speed": 1e308', 8))


@pytest.mark.parametrize("separator", "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e")
def test_names_of_teams_with_line_ends_of_unicode(tmp_path, logged, separator):
    """The client's log writes them as they are; JSON itself escapes those below a blank."""
    name = f"a{separator}b"
    text = json.dumps(name, ensure_ascii=False)[1:-1]
    file = tmp_path / "log.jsonl"
    file.write_text(FULL.read_text().replace('"team1": "rulebased"', f'"team1": "{text}"'), encoding="utf-8")
    found = client_log.read_log(file)
    assert found.record.match.players[1] == name and found.record.shots == logged.record.shots


@pytest.mark.parametrize("encoding", ["cp932", "latin-1"])
def test_a_line_that_is_not_utf_8_is_named(refused, tmp_path, encoding):
    file = tmp_path / "log.jsonl"
    text = FULL.read_text().replace('"team1": "rulebased"', '"team1": "\u30b9\u00fc"')
    file.write_bytes(text.encode(encoding, "replace" if encoding == "latin-1" else "ignore"))
    line = next(number for number, line in enumerate(text.split("\n"), 1) if "\u30b9" in line)
    with pytest.raises(ValueError, match=rf"log.jsonl, line {line}: 'utf-8' codec can't decode"):
        client_log.read_log(file)
    err = refused("replay", file)
    assert f"line {line}: " in err


def test_a_last_line_that_is_cut_within_a_character_is_dropped(tmp_path):
    whole = beginning(FULL.read_text(), tmp_path / "log.jsonl", 3)
    known = client_log.read_log(whole).record
    whole.write_bytes(whole.read_bytes() + '{"t": 9.0, "dir": "in", "msg": {"name": "\u30b9'.encode()[:-1])
    assert client_log.read_log(whole).record == known


@pytest.mark.parametrize("source", [FULL.read_text(), server_log(FULL)])
def test_a_byte_order_mark_is_left_out(tmp_path, source):
    file = tmp_path / "log.jsonl"
    file.write_text(source, encoding="utf-8")
    known = client_log.read_log(file).record
    file.write_text(source, encoding="utf-8-sig")
    assert client_log.is_log(file) and client_log.read_log(file).record == known


@pytest.mark.parametrize("team, status", [("team0", 0), ("team1", 2), (None, 0)])
def test_the_own_shots_alone_are_judged(run, tmp_path, team, status):
    file = tmp_path / "log.jsonl"
    file.write_text("".join(FULL.read_text().splitlines(keepends=True)[:9]))  # two shots
    chosen = () if team is None else ("--team", team)
    found, out, err = run("analyse", file, "--planner", "rulebased", "--simulations", 50, "--jobs", 1, *chosen)
    assert found == status
    assert re.findall(r"^ +(\d+  \w+) ", out, re.M) == (["1  red"] if status == 0 else [])
    assert ("the aims of team1" in err) == (team != "team0")


@pytest.fixture
def server_file(tmp_path):
    file = tmp_path / "game.dcl2"
    file.write_text(server_log(FULL))
    return file


def test_the_server_s_log_is_the_same_match_with_the_aims_of_both_teams(server_file, logged):
    found = client_log.read_log(server_file)
    assert client_log.is_log(server_file) and found.aims == (0, 1)
    assert (found.record.match, found.record.ends, found.record.result) == (
        logged.record.match,
        logged.record.ends,
        logged.record.result,
    )
    for shot, known in zip(found.record.shots, logged.record.shots, strict=True):
        assert shot._replace(aim=known.aim) == known
        aimed = pytest.approx(known.thrown[0] - AIMED), known.thrown[1]
        assert shot.aim == known.aim if shot.team == 0 else shot.aim[:2] == aimed


def test_a_server_s_log_that_breaks_off(server_file):
    text = server_file.read_text()
    server_file.write_text(text[: len(text) // 2])
    record = client_log.read_log(server_file).record
    assert 10 < len(record.shots) < 128 and record.result.reason == "unfinished"


def beginning(source, file, shots):
    """The beginning of a log, with so many updates after the first."""
    lines, found = source.splitlines(keepends=True), 0
    for number, line in enumerate(lines):
        found += '"cmd":"update"' in line.replace(" ", "")
        if found == shots + 1:
            file.write_text("".join(lines[: number + 1]))
            return file
    raise AssertionError(f"{shots} shots are too many")


def test_a_server_s_log_has_the_shots_of_both_teams_judged(run, tmp_path):
    file = beginning(server_log(FULL), tmp_path / "game.dcl2", 2)
    line = "analyse", file, "--planner", "rulebased", "--simulations", 50, "--jobs", 1, "--out", "page.html"
    status, out, err = run(*line)
    assert status == 0 and re.findall(r"^ +(\d+  \w+) ", out, re.M) == ["1  red", "2  yellow"]
    assert "not known" not in err


@pytest.mark.parametrize("name", ["game.dcl2", "dc3-log.jsonl"])
def test_replay_and_map_read_the_logs_of_server_and_client(run, tmp_path, name):
    source = server_log(FULL) if name == "game.dcl2" else FULL.read_text()
    file = beginning(source, tmp_path / name, 20)
    status, out, _ = run("replay", file)
    page = Path(out.strip()).read_text()
    assert status == 0 and page.count('"type":"shot"') == 20 and "rulebased against rulebased" in page
    _, state = read_position(file, 2, 3)
    np.testing.assert_array_equal(state, thrown_shots(client_log.read_log(file).record)[18].state)


@pytest.mark.parametrize("verb", ["replay", "analyse"])
def test_what_cannot_be_read_names_what_can(run, tmp_path, verb):
    for content in ('{"cmd": "update"}\n', (TRANSCRIPTS / "dc2" / "full_game_first.jsonl").read_text()):
        (tmp_path / "other").write_text(content)
        status, _, err = run(verb, tmp_path / "other")
        assert status == 2 and err.count("\n") == 1
        assert "the log of a client of Digital Curling 3 or 4" in err and "game.dcl2" in err and "dc4client" in err


@pytest.mark.parametrize("team, values", [(0, [0.3, None]), (1, [None, 0.7])])
def test_the_page_of_a_client_s_log_has_what_the_thrower_expected(run, tmp_path, team, values):
    """The client's estimates are of its own team, those of a record of team 0."""
    source = FULL.read_text().replace('"team": "team0"}}', f'"team": "team{team}"}}}}', 1)
    file = beginning(source, tmp_path / "log.jsonl", 2)
    lines = [line for line in file.read_text().splitlines(keepends=True) if '"cmd": "move"' not in line]
    estimate = {"t": 0.07, "dir": "estimate", "msg": {"chance": 0.3, "simulations": 1234}}
    lines.insert(team - 2, json.dumps(estimate) + "\n")
    file.write_text("".join(lines))
    shots = client_log.read_log(file).record.shots
    assert [shot.value for shot in shots] == pytest.approx(values)
    assert [shot.simulations for shot in shots] == [1234 if value is not None else None for value in values]
    status, out, _ = run("replay", file)
    (data,) = re.findall(r'id="match">(.*?)</script>', Path(out.strip()).read_text(), re.S)
    events = json.loads(data)["events"]
    assert status == 0
    assert [event["value"] for event in events if event["type"] == "shot"] == pytest.approx(values)


def test_an_estimate_that_is_none_is_refused(tmp_path):
    file = tmp_path / "log.jsonl"
    for text in ('{"chance": NaN, "simulations": 1}', '{"chance": "high"}', "3", '{"chance": 0.5, "simulations": 1.5}'):
        file.write_text(FULL.read_text() + f'{{"t": 9.0, "dir": "estimate", "msg": {text}}}\n')
        with pytest.raises(ValueError, match=r"log.jsonl, line \d+: "):
            client_log.read_log(file)
