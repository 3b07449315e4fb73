"""Matches of mixed doubles on record: written, read, replayed, shown and judged."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.analysis.match import thrown_shots
from bonspiel.curling.analysis.value_map import from_record
from bonspiel.curling.game import MixedDoublesGame
from bonspiel.curling.match.mixed_doubles import setup_of
from bonspiel.curling.match.setup_value import CHOICES
from bonspiel.curling.match.state import shot_of
from bonspiel.curling.records import record, umpire
from bonspiel.curling.records.record import Match, Setup
from bonspiel.curling.replay.page_events import record_events
from bonspiel.curling.replay.pages import replay_page
from bonspiel.runs.games.game import GAMES, ScheduledGame, Side
from bonspiel.runs.games.play import play_game


@pytest.fixture(scope="module")
def played():
    side = Side("rulebased:simulations=5,n_candidates=4", 20, "simulations")
    return play_game(MixedDoublesGame(ends=3, extra_ends=1, pattern=3), ScheduledGame((side, side), 4, 0, 0))


def test_a_match_is_named_by_its_game():
    game = GAMES.parse("mixed_doubles:ends=4")
    assert game == MixedDoublesGame(ends=4)
    assert game.title == "mixed doubles, 4 ends, dc4, normal_dist noise"
    assert GAMES.parse("curling:game=mixed_doubles,physics=dc4,ends=4").model == game.model


def test_a_record_has_the_set_up_before_each_end(tmp_path, played):
    record.write(tmp_path / "a.jsonl", played)
    assert record.read(tmp_path / "a.jsonl") == played
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    ends = len(played.ends)
    assert [line["type"] for line in lines] == ["match", *["setup", *["shot"] * 10, "end"] * ends, "result"]
    assert (lines[0]["format"], lines[0]["game"], lines[0]["pattern"]) == (2, "mixed_doubles", 3)
    assert lines[1] == {"type": "setup", "end": 0, "team": 1, "choice": played.setups[0].choice}
    assert [shot.shot for shot in played.shots] == list(range(6, 16)) * ends


def test_the_replay_sets_up_as_recorded(played):
    states = umpire.replay(played)
    assert states.shape == (len(played.shots) + 1, 38)
    model = played.match.model()
    firsts = [state for state in states[:-1] if shot_of(state) == 6]
    assert [Setup(end, *setup_of(state)) for end, state in enumerate(firsts)] == list(played.setups)
    np.testing.assert_array_equal(states[0], model.initial_state(np.random.default_rng(0)))


@pytest.mark.parametrize("choice", CHOICES)
def test_another_set_up_leads_elsewhere(played, choice):
    first = played.setups[0]
    changed = played._replace(setups=(first._replace(choice=choice), *played.setups[1:]))
    if choice == first.choice:
        umpire.replay(changed)
    else:
        with pytest.raises(ValueError, match="end 1, shot 1:"):
            umpire.replay(changed)


def test_wrong_set_ups_are_named(played):
    first, *others = played.setups
    for setups in (
        (first._replace(team=0), *others),
        (first._replace(end=1), *others),
        others,
        (),
        (*played.setups, first),
    ):
        with pytest.raises(ValueError, match="set-up"):
            umpire.replay(played._replace(setups=tuple(setups)))
    standard = replace(played.match, game="standard", rule=None)
    with pytest.raises(ValueError, match="must be"):
        umpire.replay(played._replace(match=standard))
    with pytest.raises(ValueError, match="choice"):
        record.parse_line('{"type": "setup", "end": 0, "team": 1, "choice": "left"}')


def test_a_match_may_break_off_after_a_set_up(tmp_path, played):
    file = tmp_path / "a.jsonl"
    record.write(file, played)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:14]))  # to the second set-up
    found = record.read(file, partial=True)
    assert len(found.setups) == 2 and len(found.shots) == 10
    states = umpire.replay(found)
    assert shot_of(states[-1]) == 6


def test_records_of_format_1_are_of_standard_games():
    line = record.line_of(Match(players=("a", "b"), physics="fcv1", rule=None, noise=None, ends=2))
    fields = json.loads(line)
    assert fields["format"] == 2
    old = {key: value for key, value in fields.items() if key not in ("game", "pattern")} | {"format": 1}
    assert record.parse_line(json.dumps(old)) == record.parse_line(line)
    assert record.parse_line(line).model().game == "standard"


def test_the_events_of_a_page_have_the_set_ups(played):
    events, apart = record_events(played)
    assert apart == 0.0
    ends = len(played.ends)
    assert [event["type"] for event in events] == ["match", *["setup", *["shot"] * 10, "end"] * ends, "result"]
    assert (events[0]["game"], events[0]["first_shot"]) == ("mixed_doubles", 6)
    for event in events:
        if event["type"] == "setup":
            assert [row for row, place in enumerate(event["stones"]) if place] == [2, 10]
            assert event["choice"] in CHOICES
    assert len(replay_page(events)) > 10_000


def test_shots_are_found_for_a_judge_and_for_a_map(tmp_path, played):
    states = umpire.replay(played)
    for shot, state in zip(thrown_shots(played), states, strict=False):
        np.testing.assert_array_equal(shot.state, state)
    record.write(tmp_path / "a.jsonl", played)
    _, state = from_record(tmp_path / "a.jsonl", 2, 3)
    np.testing.assert_array_equal(state, states[12])
    with pytest.raises(ValueError, match="from 1 to 10"):
        from_record(tmp_path / "a.jsonl", 1, 11)
