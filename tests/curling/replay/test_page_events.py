import json
import math

import numpy as np
import pytest

from bonspiel.curling.ice.sheet import STONES, no_stones, places
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.match.state import state_of
from bonspiel.curling.records import umpire
from bonspiel.curling.records.match_data import Setup
from bonspiel.curling.records.record import Match, RecordedShot
from bonspiel.curling.replay.page_events import PageEvents, record_events
from bonspiel.curling.replay.pages import replay_page
from bonspiel.curling.win_probability import estimate_win_probability


def of(events, kind):
    return [event for event in events if event["type"] == kind]


@pytest.mark.parametrize("match", [{}, {"physics": "dc2"}, {"engine": "analytic", "extra_ends": 1}])
def test_the_events_have_all_lines_and_end_with_the_record(make_game, match):
    record = make_game(**match)
    events, apart = record_events(record)
    assert apart == 0.0
    kinds = [event["type"] for event in events]
    assert kinds == ["match", *(["shot"] * STONES + ["end"]) * len(record.ends), "result"]
    for shot, event in zip(record.shots, of(events, "shot"), strict=True):
        assert (event["end"], event["shot"], event["team"], event["hammer"]) == shot[:4]
        assert 1.5 < event["thrown"][0] < 5.0 and abs(event["thrown"][1]) < 15  # in a real clock's m/s, too
        assert event["stones"] == [place and [round(1000 * x) for x in place] for place in shot.stones]
        for track in event["tracks"]:
            last = [sum(track["x"]), sum(track["y"])]
            after = event["stones"][track["stone"]]
            if after and not event["foul"]:
                assert not track["out"] and np.abs(np.subtract(last, after)).max() <= 1
    json.dumps(events, allow_nan=False)


def test_the_chance_is_the_same_each_time_and_ends_with_the_result(played):
    events, again = record_events(played)[0], record_events(played)[0]
    chances = [event["chance"] for event in events if "chance" in event]
    assert chances == [event["chance"] for event in again if "chance" in event]
    assert len(chances) == len(played.shots) + 1 and all(0.0 <= chance <= 1.0 for chance in chances)
    assert chances[-1] == played.result.value and 0.2 < chances[0] < 0.4  # the other team has the hammer


@pytest.mark.parametrize("lead, low, high", [(8, 0.99, 1.0), (0, 0.2, 0.8), (-8, 0.0, 0.01)])
def test_the_chance_follows_the_lead(lead, low, high):
    model = Match(players=("", ""), physics="fcv1", rule=None, noise=None, ends=4).model().planning()
    state = state_of(no_stones(), 10, end=2, lead=lead)
    found = estimate_win_probability(model, state)
    assert low <= found <= high and found == estimate_win_probability(model, state)


def test_the_number_of_playouts_is_respected_and_the_position_unchanged():
    model = Match(players=("", ""), physics="fcv1", rule=None, noise=None, ends=4).model().planning()
    state = state_of(no_stones(), 3)
    kept = state.copy()
    few = [estimate_win_probability(model, state, playouts=n) for n in (1, 10, 1000)]
    assert len(set(few)) == 3 and (state == kept).all()


def test_an_incomplete_record_gives_the_events_so_far(played):
    cut = played._replace(
        shots=played.shots[:STONES],
        ends=(),
        result=played.result._replace(score=(0, 0), winner=None, value=None, reason="unfinished"),
    )
    events, _ = record_events(cut)
    assert [event["type"] for event in events] == ["match", *["shot"] * STONES, "result"]


def test_a_foul_leaves_the_stones_in_place():
    match = Match(players=("a", "b"), physics="fcv1", rule=None, noise="none", ends=1)
    model = match.model()
    state = model.initial_state(None)
    guard = umpire.outcome(model, state, (0.1317, 2.26, 1.5708))
    vx = next(vx / 400 for vx in range(60) if umpire.outcome(model, guard.state, (vx / 400, 3.2, 1.5708)).foul)
    maker = PageEvents(match)
    maker.match_event()
    events = [
        maker.next_event(shot(0, 0, (0.1317, 2.26, 1.5708), guard.stones)),
        maker.next_event(shot(1, 1, (vx, 3.2, 1.5708), guard.stones)),
    ]
    assert [event["foul"] for event in events] == [False, True] and maker.deviation == 0.0
    assert {track["stone"] for track in events[1]["tracks"]} == {0, 8} and events[1]["stones"] == events[0]["stones"]
    assert events[1]["aimed"] is None  # there was no error of execution


def shot(number, team, thrown, stones):
    return RecordedShot(0, number, team, 1, (*thrown[:2], 1.0), thrown, places(stones), None, None, 0.5)


def test_a_deviation_from_the_simulation_is_detected(played):
    def moved(by):
        stones = tuple(place and (place[0] + by, place[1]) for place in played.shots[15].stones)
        return played._replace(shots=(*played.shots[:15], played.shots[15]._replace(stones=stones)), ends=())

    assert any(played.shots[15].stones)
    assert math.isclose(record_events(moved(0.25))[1], 0.25)
    gone = played.shots[15]._replace(stones=(None,) * STONES)
    assert record_events(played._replace(shots=(*played.shots[:15], gone), ends=()))[1] == math.inf


def test_a_shot_out_of_turn_is_refused(played):
    with pytest.raises(ValueError, match="the next shot"):
        record_events(played._replace(shots=played.shots[1:]))
    with pytest.raises(ValueError, match="the match is over"):
        record_events(played._replace(shots=played.shots + played.shots[-1:]))


def test_a_match_of_ten_ends_is_a_small_file(make_game):
    page = replay_page(record_events(make_game(ends=10, budget=1))[0])
    assert 100_000 < len(page.encode()) < 2_000_000


def test_a_shot_with_an_error_shows_where_it_was_aimed(played):
    events = of(record_events(played)[0], "shot")
    assert all(event["aimed"] is not None for event in events)
    assert all(event["aim"] != event["thrown"] for event in events)
    own = [8 * event["team"] + event["shot"] // 2 for event in events]
    assert [event["aimed"]["stone"] for event in events] == own


def test_the_set_ups_of_an_end_are_those_allowed_with_their_stones():
    maker = PageEvents(
        Match(players=("a", "b"), physics="dc4", rule=None, noise="none", ends=2, game="mixed_doubles", pattern=2)
    )
    setups = maker.setups()
    assert [setup["choice"] for setup in setups] == ["center_guard", "center_house", "pp_left", "pp_right"]
    stones = {row: place for row, place in enumerate(setups[3]["stones"]) if place is not None}
    assert stones == {2: [1073, 34435], 10: [1219, 38260]}
    assert setups[3]["stones"] == maker.next_event(Setup(0, 1, "pp_right"))["stones"]
    assert maker.setups() == []  # none is due now
    maker.state = mixed_state_of(no_stones(), 0, end=1, decider=1, power_plays=(True, False))
    assert [setup["choice"] for setup in maker.setups()] == ["center_guard", "center_house"]
    assert PageEvents(Match(players=("a", "b"), physics="fcv1", rule=None, noise="none", ends=1)).setups() == []


@pytest.mark.parametrize(
    ("budgets", "words"),
    [
        (None, ""),
        (("any", "any"), ""),
        (("any", "100 ms"), "100 ms a shot"),
        (("100 ms", "100 ms"), "100 ms a shot"),
        (("100 ms", "1 simulation"), "100 ms and 1 simulation a shot"),
        (("21.9 s a game", "21.9 s a game"), "21.9 s a game"),
    ],
)
def test_the_budgets_in_words(budgets, words):
    match = Match(players=("one", "two"), physics="fcv1", rule="five_rock", noise="none", ends=1, budgets=budgets)
    assert PageEvents(match).match_event()["allowance"] == words
