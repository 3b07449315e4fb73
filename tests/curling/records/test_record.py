import json
from codecs import BOM_UTF8
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.game import CurlingGame
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.sheet import STONES, stones_at
from bonspiel.curling.records import record, umpire
from bonspiel.curling.records.record import Match
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.play import play_game

RANDOM = Side("random", 1, "simulations")


def game(seed=3, **match):
    return play_game(CurlingGame(**match), ScheduledGame((RANDOM, RANDOM), seed, 0, 0))


@pytest.fixture(scope="module")
def played():
    return game()


@pytest.mark.parametrize(
    "match",
    [{}, {"physics": "dc2", "rule": "four_rock", "noise": "gat"}, {"noise": Noise(0.01, freedom=3.0), "ends": 1}],
)
def test_a_record_is_written_read_and_replayed(tmp_path, match):
    written = game(**match)
    record.write(tmp_path / "a.jsonl", written)
    found = record.read(tmp_path / "a.jsonl")
    assert found == written
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
    states = umpire.replay(found)
    assert states.shape == (len(written.shots) + 1, 3 + 2 * STONES)
    assert found.result.value == written.result.value_for(0) == 1.0 - written.result.value_for(1)
    assert states[-1][2] == written.result.score[0] - written.result.score[1]


def test_lines_are_in_the_order_played(tmp_path, played):
    record.write(tmp_path / "a.jsonl", played)
    kinds = [json.loads(line)["type"] for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert kinds == ["match", *(["shot"] * STONES + ["end"]) * 2, "result"]


def test_stones_after_the_last_shot_of_an_end_are_on_record():
    games = [game(seed=seed) for seed in range(8)]
    shown = [np.count_nonzero(~np.isnan(stones_at(one.shots[STONES - 1].stones)[:, 0])) for one in games]
    scored = [max(one.ends[0].points) for one in games]
    assert all(stones >= points for stones, points in zip(shown, scored, strict=True)) and max(scored) > 0


def changed(played, number, **fields):
    shots = list(played.shots)
    shots[number] = shots[number]._replace(**fields)
    return played._replace(shots=tuple(shots))


def test_replay_notices_a_moved_stone(played):
    number = next(i for i, shot in enumerate(played.shots) if any(shot.stones))
    stones = tuple(place and (place[0] + 1e-3, place[1]) for place in played.shots[number].stones)
    moved = changed(played, number, stones=stones)
    with pytest.raises(ValueError, match=rf"end 1, shot {number + 1}: stones"):
        umpire.replay(moved)


def test_replay_accepts_differences_within_tolerance(played):
    number = next(i for i, shot in enumerate(played.shots) if any(shot.stones))
    stones = tuple(place and (place[0] + 2e-6, place[1]) for place in played.shots[number].stones)
    moved = changed(played, number, stones=stones)
    with pytest.raises(ValueError, match="stones"):
        umpire.replay(moved)
    states = umpire.replay(moved, tolerance=1e-3)
    shown = [coordinate for place in stones for coordinate in place or (0.0, 0.0)]
    np.testing.assert_array_equal(
        states[number + 1][-2 * STONES :], shown
    )  # the replay continues from the recorded stones


@pytest.mark.parametrize("there", [True, False])
def test_replay_notices_a_missing_or_extra_stone(played, there):
    number, row = next(
        (i, row)
        for i, shot in enumerate(played.shots)
        for row, place in enumerate(shot.stones)
        if (place is not None) == there
    )
    stones = list(played.shots[number].stones)
    stones[row] = None if there else (0.0, 35.0)
    with pytest.raises(ValueError, match=rf"end 1, shot {number + 1}: stones"):
        umpire.replay(changed(played, number, stones=tuple(stones)), tolerance=1e9)


def test_replay_notices_wrong_points_turns_and_scores(played):
    with pytest.raises(ValueError, match="the line of end 1="):
        umpire.replay(played._replace(ends=(played.ends[0]._replace(points=(8, 0)), *played.ends[1:])))
    with pytest.raises(ValueError, match="team"):
        umpire.replay(changed(played, 5, team=1 - played.shots[5].team))
    with pytest.raises(ValueError, match="score"):
        umpire.replay(played._replace(result=played.result._replace(score=(9, 9))))


@pytest.mark.parametrize(
    "line, text",
    [
        (0, '{"type": "match", "format": 2}'),
        (0, '{"type": "match", "format": 3}'),
        (0, '{"type": "match", "format": 1}'),
        (3, '{"type": "shot", "end": 0}'),
        (3, "nonsense"),
        (3, "[]"),
        (3, '{"type": "pause"}'),
    ],
)
def test_a_damaged_line_is_named(tmp_path, played, line, text):
    file = tmp_path / "a.jsonl"
    record.write(file, played)
    lines = file.read_text().splitlines()
    lines[line] = text
    file.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=f"a.jsonl, line {line + 1}: not a line of a record"):
        record.read(file)


@pytest.mark.parametrize(
    "field, value",
    [
        ("stones", [None] * 15),
        ("stones", [[1.0, 30.0, 0.0]] * 16),
        ("stones", [["1", "2"]] * 16),
        ("end", 0.5),
        ("seconds", None),
        ("simulations", "many"),
        ("thrown", [0.1, float("inf"), 1.0]),
        ("aim", [0.1, 2.4]),
        ("thrown", [0.1, 2.4, 1.0, 0.0]),
    ],
)
def test_a_shot_of_the_wrong_shape_is_named(tmp_path, played, field, value):
    file = tmp_path / "a.jsonl"
    record.write(file, played)
    lines = file.read_text().splitlines()
    lines[4] = json.dumps(json.loads(lines[4]) | {field: value}).replace("Infinity", "1e999")
    file.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=f"a.jsonl, line 5: not a line of a record .*{field}"):
        record.read(file)


@pytest.mark.parametrize(
    "text, reason", [("", "is empty"), ('{"type": "end"}', "missing .*end"), ('{"dir": "note"}', "missing .*type")]
)
def test_files_that_are_no_record_are_refused(tmp_path, text, reason):
    file = tmp_path / "a.jsonl"
    file.write_text(text)
    with pytest.raises(ValueError, match=reason):
        record.read(file, partial=True)


def test_blank_lines_and_a_byte_order_mark_are_no_lines_of_a_record(tmp_path, played):
    file = tmp_path / "a.jsonl"
    record.write(file, played)
    file.write_bytes(BOM_UTF8 + file.read_bytes().replace(b"\n", b"\r\n\r\n") + b"\n \n")
    assert record.read(file) == played


def test_half_a_record_is_refused(tmp_path, played):
    file = tmp_path / "a.jsonl"
    record.write(file, played)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:20]))
    with pytest.raises(ValueError, match="complete"):
        record.read(file)


def test_an_abandoned_game_has_no_value(tmp_path, played):
    open_game = played._replace(
        shots=played.shots[:20],
        ends=played.ends[:1],
        result=played.result._replace(
            score=played.ends[0].points, winner=None, value=None, reason="abandoned", detail="the client left"
        ),
    )
    record.write(tmp_path / "a.jsonl", open_game)
    assert record.read(tmp_path / "a.jsonl") == open_game and len(umpire.replay(open_game)) == 21
    with pytest.raises(ValueError, match="no result"):
        open_game.result.value_for(0)


def test_the_default_engine_of_old_records_is_analytic(tmp_path, played):
    line = json.loads(record.line_of(played.match))
    assert line.pop("engine") == "analytic"
    assert record.parse_line(json.dumps(line)) == played.match


def written_up_to(path, played, shots):
    """Write a record shot by shot, up to a number of shots; its bytes."""
    with closing(record.Writer(path, played.match)) as writer:
        for number, shot in enumerate(played.shots[:shots]):
            writer.add(shot)
            if shot.shot == STONES - 1:
                writer.add(played.ends[shot.end])
            lines = path.read_text().splitlines()  # each line is written at once
            assert len(lines) == 1 + number + 1 + (number + 1) // STONES
        if shots == len(played.shots):
            writer.add(played.result)
    return path.read_bytes()


def test_a_record_written_shot_by_shot_is_the_same(tmp_path, played):
    record.write(tmp_path / "a.jsonl", played)
    assert written_up_to(tmp_path / "b.jsonl", played, len(played.shots)) == (tmp_path / "a.jsonl").read_bytes()
    with pytest.raises(FileExistsError):
        record.Writer(tmp_path / "b.jsonl", played.match)


def test_a_truncated_record_is_read_up_to_there(tmp_path, played):
    file = tmp_path / "a.jsonl"
    whole = written_up_to(file, played, 20)
    match_line = whole.index(b"\n") + 1
    for size in [*range(match_line, match_line + 900, 37), *range(len(whole) - 900, len(whole) + 1, 7)]:
        file.write_bytes(whole[:size])
        found, complete = record.read(file, partial=True), whole[:size].count(b'"type": "shot"')
        assert len(found.shots) in (complete, complete - 1) and found.shots == played.shots[: len(found.shots)]
        assert (found.result.reason, found.result.winner, found.result.value) == ("unfinished", None, None)
        assert found.result.score == (found.ends[0].points if found.ends else (0, 0))
        assert len(umpire.replay(found)) == len(found.shots) + 1


@pytest.mark.parametrize("text", [b"", b"{", b'{"type": "mat'])
def test_a_record_without_its_match_is_refused(tmp_path, text):
    (tmp_path / "a.jsonl").write_bytes(text)
    with pytest.raises(ValueError, match=r"a\.jsonl"):
        record.read(tmp_path / "a.jsonl", partial=True)


def test_damage_before_the_last_line_is_named_in_partial_records_too(tmp_path, played):
    file = tmp_path / "a.jsonl"
    lines = written_up_to(file, played, 20).splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:5], b"nonsense\n"]))
    with pytest.raises(ValueError, match="line 6"):
        record.read(file, partial=True)


def test_the_model_of_a_match_is_that_match():
    match = Match(players=("a", "b"), physics="dc2", rule=None, noise=None, ends=3, extra_ends=1, tie=0.781)
    assert (match.model().rule, match.model().horizon, match.model().tie) == ("four_rock", 64, 0.781)
    assert replace(match, rule="four_rock", noise="dc2").model() == match.model()
