"""Mixed doubles with players who differ: who throws when, and with which errors."""

import math

import numpy as np
import pytest

from bonspiel.curling.dynamics import release, step_with_errors
from bonspiel.curling.ice.engines.analytic import WORKSPACE
from bonspiel.curling.ice.noise import NOISES, Noise, Thrower
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players import parse
from bonspiel.curling.records import record
from bonspiel.curling.records.match_data import Match
from bonspiel.planners.planner import Budget

A, B = Thrower(4.0, Noise(0.08, 0.006)), Thrower(3.0, Noise(0.025, 0.0025))  # of the organisers' example
C, D = Thrower(3.5, Noise(0.01, 0.001)), Thrower(2.0, Noise(0.002, 0.0002))
MIXED = {"game": "mixed_doubles", "physics": "dc4"}
MODEL = Curling(ends=2, throwers=((A, B), (C, D)), **MIXED).planning()
ALIKE = Thrower(4.0, NOISES["normal_dist"])
EXACT = Thrower(4.0, Noise())
SHOTS = range(6, 16)
# by shot, from 6 on: without the hammer a team throws its five stones with 6, 8, 10, 12 and 14
WITH_HAMMER_1 = [A, C, B, D, B, D, B, D, A, C]
WITH_HAMMER_0 = [C, A, D, B, D, B, D, B, C, A]


def before(shot, hammer):
    """The state before a shot, with the stones set up."""
    begun = MODEL.begin_end(mixed_state_of(no_stones(), 0, decider=hammer), "center_house")
    begun[0] = shot
    return begun


@pytest.mark.parametrize(("hammer", "expected"), [(1, WITH_HAMMER_1), (0, WITH_HAMMER_0)])
def test_the_first_player_makes_the_first_and_the_last_throw(hammer, expected):
    assert [MODEL.thrower(before(shot, hammer)) for shot in SHOTS] == expected


@pytest.mark.parametrize("hammer", [0, 1])
@pytest.mark.parametrize("shot", SHOTS)
def test_throws_spread_as_their_players_do(shot, hammer):
    """4 m/s straight ahead, 4,000 times: 5 standard errors of a standard deviation are 5.6 %."""
    state, rng = before(shot, hammer), np.random.default_rng(shot)
    player = (WITH_HAMMER_1 if hammer else WITH_HAMMER_0)[shot - 6]
    action = MODEL.aim(0.0, 4.0, 1.0)
    vx, vy, _ = np.array([release(state, action, MODEL.params, rng) for _ in range(4000)]).T
    speed, angle = np.hypot(vx, vy), np.arctan2(vx, vy)
    assert speed.mean() == pytest.approx(player.max_speed, abs=5 * player.noise.speed / math.sqrt(4000))
    assert speed.std() == pytest.approx(player.noise.speed, rel=0.056)
    assert angle.std() == pytest.approx(player.noise.angle, rel=0.056)


@pytest.mark.parametrize("shot", SHOTS)
def test_only_the_player_with_errors_errs(shot):
    """Team 1's second player, with the hammer: shots 9, 11 and 13."""
    errs = shot in (9, 11, 13)
    model = Curling(throwers=((EXACT, EXACT), (EXACT, B)), **MIXED)
    free = Curling(noise="none", max_speed=3.0 if errs else None, **MIXED)
    state, action = before(shot, 1), model.aim(0.05, 2.4, 1.0)

    def given_errors(model, after):
        step_with_errors(state, action, np.ones(4), after, model.params, np.empty((STONES, 2)), np.empty(WORKSPACE))

    def playout(model, after):
        model.rollout(state.copy(), after, 1, model.params, np.random.default_rng(1))

    def step(model, after):
        model.step(state, action, after, model.params, np.random.default_rng(1))

    for play in (step, given_errors, playout):
        one, other = np.empty_like(state), np.empty_like(state)
        play(model, one)
        play(free, other)
        assert (one.tolist() != other.tolist()) == errs, play.__name__


def test_no_aim_is_thrown_faster_than_its_player_can():
    """At 2 m/s no stone reaches the house, where the second player's stop."""
    slow = Curling(throwers=((Thrower(2.0, Noise()), EXACT), (EXACT, EXACT)), **MIXED)
    for shot, reached in ((6, 0), (8, 1), (10, 1), (12, 1)):
        state = mixed_state_of(no_stones(), shot, hammer=1)
        after = np.empty_like(state)
        slow.step_exact(state, slow.aim(0.1317, 2.3997, 1.0), after, slow.params, np.random.default_rng(0))
        assert np.count_nonzero(after[4:35:2]) == reached


@pytest.mark.parametrize("name", ["presearch", "kr_uct", "expectimax:plies=2", "champion"])
@pytest.mark.parametrize("shot", [6, 13])
def test_players_who_are_alike_change_no_decision(name, shot):
    plain = Curling(ends=2, **MIXED).planning()
    alike = Curling(ends=2, throwers=((ALIKE, ALIKE), (ALIKE, ALIKE)), **MIXED).planning()
    budget = Budget(simulations=6_000 if name.startswith("expectimax") else 300)
    one, other = (
        parse(name).plan(model, before(shot, 1), budget, np.random.default_rng(3)) for model in (plain, alike)
    )
    assert one.action.tolist() == other.action.tolist()
    assert one.value == other.value
    assert one.visits.tolist() == other.visits.tolist()


def test_a_decision_depends_on_who_throws():
    plain = Curling(ends=2, **MIXED).planning()
    one, other = (
        parse("presearch").plan(model, before(13, 1), Budget(simulations=300), np.random.default_rng(3))
        for model in (plain, MODEL)
    )
    assert one.value != other.value


def test_the_grid_of_aims_has_the_errors_of_who_throws():
    for shot, player in ((6, A), (7, C), (8, B), (9, D)):
        alike = Curling(noise=player.noise, **MIXED)
        state = before(shot, 1)
        assert [b.sd for b in MODEL.aim_grid(state, 600)] == [b.sd for b in alike.aim_grid(state, 600)]


def test_the_noise_of_the_model_is_the_mean_of_the_throws():
    assert MODEL.noise.speed == pytest.approx((2 * 0.08 + 3 * 0.025 + 2 * 0.01 + 3 * 0.002) / 10)
    assert MODEL.noise.angle == pytest.approx((2 * 0.006 + 3 * 0.0025 + 2 * 0.001 + 3 * 0.0002) / 10)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"game": "standard"}, "throwers.*None in standard games"),
        ({**MIXED, "max_speed": 3.0}, "max_speed=3.0"),
        ({**MIXED, "noise": "none"}, "noise='none'"),
    ],
)
def test_throwers_are_for_mixed_doubles_and_have_their_own_numbers(wrong, text):
    with pytest.raises(ValueError, match=text):
        Curling(throwers=((A, B), (C, D)), **wrong)


def test_a_player_without_speed_is_allowed_and_a_negative_one_not():
    assert Thrower(0.0, Noise()).max_speed == 0.0
    with pytest.raises(ValueError, match="max_speed=-1"):
        Thrower(-1.0, Noise())


def test_a_record_has_the_players():
    match = Match(
        players=("a", "b"),
        physics="dc4",
        rule="modified",
        noise=MODEL.noise,
        ends=2,
        game="mixed_doubles",
        throwers=MODEL.throwers,
    )
    assert record.parse_line(record.line_of(match)) == match
    assert match.model().planning() == Curling(ends=2, reward="win", throwers=MODEL.throwers, **MIXED).planning()


def test_records_from_before_have_none():
    line = record.line_of(
        Match(players=("a", "b"), physics="dc4", rule="modified", noise=None, ends=2, game="mixed_doubles")
    )
    assert record.parse_line(line.replace(', "throwers": null', "")).throwers is None
