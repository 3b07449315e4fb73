"""The position of a match in plain values: it becomes JSON and a planner's model and state, and nothing is lost."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from bonspiel.curling.ice.noise import Noise, Thrower
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.match.state import TIME, state_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.settings import MOST_ENDS, MatchSettings

PLAYERS = (
    (Thrower(4.0, Noise(0.01, 0.001)), Thrower(3.0, Noise(0.02, 0.001))),
    (Thrower(3.5, Noise(0.03, 0.001, 0.004, 0.005)), Thrower(2.5, Noise(0.04, 0.001))),
)
MIXED = {"game": "mixed_doubles", "physics": "dc4", "pattern": 3}
MATCHES = [
    Curling(),
    Curling(3, "no_tick", Noise(0.01, 0.002), extra_ends=2, tie=0.75, max_speed=3.5).planning(),
    Curling(2, physics="dc2", noise="gat", rule="none", reward="win"),
    Curling(2, **MIXED, extra_ends=10).planning(),
    Curling(2, **MIXED, throwers=PLAYERS),
]


def state_in(match):
    """A state in the middle of the second end, or the only one."""
    stones, end = no_stones(), match.ends > 1
    stones[2], stones[10] = (0.25, 38.5), (-1.0, 37.0)
    if match.is_mixed:
        return mixed_state_of(stones, 9, 0, end, -2, decider=1, power_plays=(False, True))
    return state_of(stones, 7, 0, end, 3)


@pytest.mark.parametrize("match", MATCHES)
def test_a_position_comes_back_from_json(match):
    state = state_in(match)
    text = json.dumps(MatchPosition.of(match, state).to_json(), allow_nan=False)
    found = MatchPosition.from_json(json.loads(text))
    np.testing.assert_array_equal(found.state(), state)
    np.testing.assert_array_equal(found.model().params, match.params)
    assert found.model().thrower(state) == match.thrower(state)
    assert (found.model().reward, found.model().pattern) == (match.reward, match.pattern)
    assert found.team == json.loads(text)["team"] == team_of(state)


def test_what_an_object_leaves_out_has_its_default():
    found = MatchPosition.from_json({"stones": [None] * 16, "shot": 4, "unknown": 0})
    np.testing.assert_array_equal(found.state(), state_of(no_stones(), 4))
    assert found.model() == Curling()


def test_the_ends_left_count_the_current_one_and_an_extra_end_as_one():
    assert [MatchPosition(no_stones(), 0, end=end, settings=MatchSettings(3)).ends_left for end in range(5)] == [
        3,
        2,
        1,
        1,
        1,
    ]


def test_a_match_that_is_longer_than_any_model_is_as_long_as_the_longest():
    assert MatchPosition(no_stones(), 0, settings=MatchSettings(MOST_ENDS + 1)).model().ends == MOST_ENDS


def test_a_set_up_is_due_before_the_first_shot_of_mixed_doubles_alone():
    games = MatchSettings(), MatchSettings(game="mixed_doubles")
    due = [MatchPosition(no_stones(), shot, settings=game).is_setup_due for game in games for shot in (0, 6)]
    assert due == [False, False, True, False]


def test_equal_positions_share_a_model_so_that_its_parameters_are_computed_once():
    settings = MatchSettings(physics="dc4", game="mixed_doubles")
    one, other = (MatchPosition(no_stones(), shot, settings=settings).model() for shot in (6, 7))
    assert one is other


@pytest.mark.parametrize(
    ("stones", "message"),
    [
        ([None] * 15, "16 places"),
        ([[0.0], *[None] * 15], "each .x, y. or null"),
        ([None, [float("inf"), 38.0], *[None] * 14], r"stones\[1\].*finite"),
        ([["0", 38.0], *[None] * 15], r"stones\[0\].*numbers"),
    ],
)
def test_stones_of_json_are_checked(stones, message):
    with pytest.raises(ValueError, match=message):
        MatchPosition.from_json({"stones": stones, "shot": 0})


def mixed(**change):
    setup = {"pattern": 0, "decider": 1, "power_plays": [True, True], "throwers": None}
    return {"mixed_doubles": setup | change}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"noise": 3}, "noise=3: must be an object of standard deviations, its keys of speed, angle, vx, vy"),
        ({"noise": {"spin": 1.0}}, "noise={'spin': 1.0}: must be an object of standard"),
        ({"mixed_doubles": {}}, "mixed_doubles={}: must be an object with the keys pattern, decider, power_plays, thr"),
        ({"mixed_doubles": [1, 2]}, "mixed_doubles=[1, 2]: must be an object with the keys"),
        (mixed(power_plays=3), "power_plays=3: must be [true or false, true or false]"),
        (mixed(power_plays=[True, 5]), "power_plays=[True, 5]: must be"),
        (mixed(throwers=[1, 2]), "throwers=[1, 2]: must be null or two teams of two players, each with max_speed and"),
        (mixed(throwers=[[{"noise": {}}] * 2] * 2), "must be null or two teams of two players"),
        (mixed(throwers=[[{"max_speed": 3.0, "noise": 1}] * 2] * 2), "noise=1: must be an object"),
    ],
)
def test_objects_within_json_are_checked(given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        MatchPosition.from_json({"stones": [None] * 16, "shot": 6} | given)


def test_its_import_loads_no_compiler():
    """A client imports it, and is to be there at once."""
    code = "import bonspiel.curling.records.position, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("end", "model_end"), [(0, 0), (50, 0), (150, 50), (199, 99)])
def test_of_a_longer_match_the_model_plays_the_last_ends(end, model_end):
    position = MatchPosition(no_stones(), 15, 1, 0, end, MatchSettings(ends=200))
    assert position.state()[TIME] == 16 * model_end + 15
