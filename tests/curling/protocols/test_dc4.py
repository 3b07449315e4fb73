import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.physics import physics_of
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.protocols.dc4 import decode_state, shot_request, stones_of_update


def state(**changes: Any) -> dict[str, Any]:
    """A state as the server's source tells it: shot 3 of end 2 of a match of 4 ends."""
    empty = [{"x": 0.0, "y": 0.0}] * 8
    whole = {
        "winner_team": None,
        "first_team_name": "a",
        "second_team_name": "b",
        "end_number": 1,
        "team_shot_number": 1,
        "total_shot_number": 2,
        "next_shot_team": "team1",
        "first_team_remaining_time": 120.5,
        "second_team_remaining_time": 110.0,
        "first_team_extra_end_remaining_time": 30.0,
        "second_team_extra_end_remaining_time": 25.0,
        "mixed_doubles_settings": None,
        "last_move": {"translational_velocity": 2.31, "angular_velocity": 1.57, "shot_angle": 1.57},
        "stone_coordinate": {
            "data": {
                "team0": [{"x": 0.9273, "y": 37.2811}, *empty[1:]],
                "team1": [empty[0], {"x": -1, "y": 38}, *empty[2:]],
            }
        },
        "score": {"team0": [2, 0, 0, 0, 0], "team1": [0, 0, 0, 0, 0]},
    }
    return whole | changes


def decoded(**changes: Any) -> Any:
    return decode_state(json.dumps(state(**changes)))


def test_a_state_is_read_in_our_terms() -> None:
    present = decoded()
    assert (present.ends, present.moment, present.lead, present.hammer) == (4, (False, 1, 2), 2, 0)
    assert (present.remaining(0), present.remaining(1)) == (120.5, 110.0)
    expected = no_stones()
    expected[0], expected[9] = (0.9273, 37.2811), (-1.0, 38.0)
    np.testing.assert_array_equal(stones_of_update(present), expected)


@pytest.mark.parametrize(
    ("shot", "mover", "hammer"), [(0, "team0", 1), (0, "team1", 0), (3, "team0", 0), (15, "team1", 1), (16, None, None)]
)
def test_the_hammer_follows_from_who_throws(shot: int, mover: str | None, hammer: int | None) -> None:
    assert decoded(total_shot_number=shot, next_shot_team=mover).hammer == hammer


SETTINGS = {"end_setup_team": "team1", "positioned_stones_pattern": 2, "power_play_end": {"team0": None, "team1": 0}}
SLOTS = [{"x": 0.5, "y": 38.0}, {"x": 0.0, "y": 0.0}, {"x": 0.9, "y": 38.0}, *[{"x": 0.0, "y": 0.0}] * 3]
NOBODY = {"team_shot_number": None, "total_shot_number": None, "next_shot_team": None}


def mixed(slots: int = 6, **changes: Any) -> Any:
    stones = {"data": dict.fromkeys(("team0", "team1"), SLOTS + [{"x": 0.0, "y": 0.0}] * (slots - 6))}
    return decoded(**{"mixed_doubles_settings": SETTINGS, "stone_coordinate": stones} | changes)


def test_states_of_mixed_doubles_follow_one_another_with_their_set_ups() -> None:
    """An end as the real server tells it, which says the first state last to who connects again."""
    told = [
        mixed(**NOBODY, last_move=None),
        mixed(slots=8, total_shot_number=0, next_shot_team="team0", last_move=None),
        mixed(total_shot_number=1, next_shot_team="team1"),
        mixed(total_shot_number=9, next_shot_team="team1"),
        mixed(**NOBODY),
        mixed(**NOBODY, last_move=None, end_number=2),
        mixed(**NOBODY, last_move=None, end_number=2, winner_team="team0"),
    ]
    assert [state.shot for state in told] == [0, 6, 7, 15, 16, 0, 0]
    assert sorted(told, key=lambda state: state.moment) == told
    assert [state.setup_team for state in told] == ["team1", None, None, None, None, "team1", "team1"]
    assert [state.hammer for state in told] == [None, 1, 1, 1, None, None, None]


@pytest.mark.parametrize("slots", [6, 8])
def test_the_first_slot_of_mixed_doubles_has_the_stone_that_was_set_up(slots: int) -> None:
    stones, expected = stones_of_update(mixed(slots)), no_stones()
    for row in (2, 10):
        expected[row], expected[row + 2] = (0.5, 38.0), (0.9, 38.0)
    np.testing.assert_array_equal(stones, expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"total_shot_number": 11, "next_shot_team": None}, "total_shot_number: at most 10"),
        ({"total_shot_number": 3, "next_shot_team": None}, "next_shot_team: missing"),
        ({"mixed_doubles_settings": {**SETTINGS, "end_setup_team": None}}, "end_setup_team"),
        ({"mixed_doubles_settings": {**SETTINGS, "positioned_stones_pattern": 6}}, "positioned_stones_pattern"),
        ({"mixed_doubles_settings": {}}, "end_setup_team"),
    ],
)
def test_states_that_no_match_of_mixed_doubles_can_have_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        mixed(**changes)


def test_extra_ends_have_a_clock_of_their_own() -> None:
    assert [decoded(end_number=end).remaining(1) for end in (3, 4, 7)] == [110.0, 25.0, 25.0]


def test_a_match_may_end_on_time_in_the_middle_of_an_end() -> None:
    over = decoded(winner_team="team0", second_team_remaining_time=0.0)
    assert over.winner_team == "team0"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"total_shot_number": None}, "total_shot_number"),  # mixed doubles before their end is set up
        ({"total_shot_number": 17}, "total_shot_number"),
        ({"end_number": -1}, "end_number"),
        ({"next_shot_team": "team2"}, "next_shot_team"),
        ({"next_shot_team": None}, "next_shot_team"),
        ({"stone_coordinate": None}, "stone_coordinate"),
        ({"stone_coordinate": {"data": {"team0": [{"x": 0, "y": 0}] * 6, "team1": [{"x": 0, "y": 0}] * 6}}}, "without"),
        ({"stone_coordinate": {"data": {"team0": [{"x": 0, "y": 0}] * 5, "team1": [{"x": 0, "y": 0}] * 8}}}, "length"),
        ({"stone_coordinate": {"data": {"team0": [{"x": 0, "y": 1e9}] * 8, "team1": []}}}, "y"),
        ({"score": {"team0": [0, 0, 0], "team1": [0, 0]}}, "score"),
        ({"score": {"team0": [0], "team1": [0]}}, "length"),
        ({"score": {"team0": [9, 0], "team1": [0, 0]}}, "8"),
        ({"first_team_remaining_time": math.nan}, "malformed"),
        ({"first_team_remaining_time": "long"}, "first_team_remaining_time"),
    ],
)
def test_states_that_no_match_can_have_are_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as error:
        decoded(**changes)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_other_texts_are_refused(text: bytes | str) -> None:
    with pytest.raises(ProtocolError):
        decode_state(text)


def test_a_deeply_nested_text_is_refused() -> None:
    with pytest.raises(ProtocolError):
        decode_state("[" * 100_000)


def as_the_server_throws(shot: Any) -> tuple[tuple[float, float], float]:
    """Velocity and spin (positive for counter-clockwise) that the server's simulation begins with."""
    spin = -math.copysign(min(max(abs(shot.angular_velocity), math.pi / 6.0), math.pi / 2.0), shot.angular_velocity)
    speed, angle = shot.translational_velocity, shot.shot_angle
    return (speed * math.cos(angle), speed * math.sin(angle)), spin


@given(st.floats(-1.0, 1.0), st.floats(0.1, 4.0), st.floats(-3.0, 3.0))
def test_the_server_throws_what_was_aimed(vx: float, vy: float, spin: float) -> None:
    velocity, turning = as_the_server_throws(shot_request((vx, vy), spin))
    assert velocity == pytest.approx((vx, vy), abs=1e-12)
    assert (turning > 0.0) == (spin >= 0.0) and math.pi / 6.0 <= abs(turning) <= math.pi / 2.0
    if math.pi / 6.0 <= abs(spin) <= math.pi / 2.0:
        assert turning == spin


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_tee_draw_comes_to_the_tee(side: float) -> None:
    vx, vy = physics_of("fcv1").tee_draw
    velocity, spin = as_the_server_throws(shot_request((side * vx, vy), side * math.pi / 2.0))
    x, y = make_engine("analytic").shot(no_stones(), 0, velocity, spin)[0]
    assert math.hypot(x, y - 38.405) < 0.01


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("place", range(3))
def test_throws_that_are_not_finite_are_refused(bad: float, place: int) -> None:
    vx, vy, spin = (bad if place == i else 1.0 for i in range(3))
    with pytest.raises(ProtocolError, match="finite"):
        shot_request((vx, vy), spin)
