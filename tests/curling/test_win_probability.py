"""The win probability that clients, analyses and pages show."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import nearest_network
from bonspiel.curling.players.champion import Champion
from bonspiel.curling.win_probability import (
    SLOPES,
    calibrated,
    estimate_win_probability,
    estimating,
    win_probability,
    with_slope,
)
from bonspiel.planners.planner import Budget

MATCH = Curling(3, extra_ends=10)
BEGIN = MATCH.initial_state(np.random.default_rng(0))


def test_it_is_what_the_network_expects_with_its_own_values_of_later_ends_and_a_slope():
    model = replace(MATCH, reward="win_probability", table="network")
    for shot in (0, 9, 14):
        state = state_of(no_stones(), shot)
        expected = model.value(state, np.empty_like(state), 16, model.params, np.random.default_rng(0))
        odds = (expected / (1.0 - expected)) ** (SLOPES[0] + SLOPES[1] * (16 - shot) / 16)
        assert win_probability(MATCH, state, is_quick=True) == pytest.approx(odds / (1.0 + odds), rel=1e-12)


def test_before_the_last_stone_but_one_either_team_throws_what_is_best_for_it():
    """A stone in the open can be hit; with the teams swapped the other one hits it."""
    stones = no_stones()
    stones[8] = 0.3, 38.0
    swapped = np.concatenate([stones[8:], stones[:8]])
    chance = win_probability(MATCH, state_of(stones, 14, 1, 2, 1))
    assert chance == pytest.approx(1.0 - win_probability(MATCH, state_of(swapped, 14, 0, 2, -1)), abs=0.05)
    unanswered = win_probability(MATCH, state_of(stones, 15, 1, 2, 1))
    assert chance > unanswered + 0.05  # red hits, or yellow would throw its last stone at its own shot stone


@pytest.mark.parametrize(("end", "lead"), [(2, 0), (1, -1), (1, 2)])
def test_before_a_last_stone_it_is_the_mean_of_what_comes_of_the_best_shot(end, lead):
    stones = no_stones()
    stones[0], stones[8], stones[9] = (0.0, 38.405), (0.9, 38.3), (1.3, 38.6)  # red is shot stone, and can be hit
    state, model, rng = state_of(stones, 15, 1, end, lead), estimating(MATCH), np.random.default_rng(1)
    shot = Champion(threads=1).plan(model, state, Budget(simulations=60_000), rng).action
    results, after = np.empty(2_000), np.empty_like(state)
    for throw in range(len(results)):
        reward, _ = model.step(state, shot, after, model.params, rng)
        results[throw] = calibrated(model, after, reward)
    assert win_probability(MATCH, state) == pytest.approx(results.mean(), abs=0.03)
    assert win_probability(MATCH, state) == win_probability(MATCH, state)


def test_the_first_estimate_loads_all_that_a_last_stone_needs():
    code = (
        "import numpy as np\n"
        "from bonspiel.curling.model import Curling\n"
        "from bonspiel.curling.players.lookahead import expect\n"
        "from bonspiel.curling.win_probability import win_probability\n"
        "win_probability(Curling(), Curling().initial_state(np.random.default_rng(0)))\n"
        "print(len(expect.overloads))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert result.stdout.split() == ["1"], result.stderr


def test_slopes_keep_the_order_and_what_is_certain_and_treat_both_teams_alike():
    value = np.linspace(0.0, 1.0, 11)
    shown = with_slope(value, 16)
    assert (np.diff(shown) > 0.0).all() and shown[[0, 5, 10]].tolist() == [0.0, 0.5, 1.0]
    np.testing.assert_allclose(shown + shown[::-1], 1.0, atol=1e-15)
    np.testing.assert_allclose(with_slope(value, 7, (1.0, 0.0)), value, atol=1e-15)


@pytest.mark.parametrize(("value", "shown"), [(1.0 + 2.0**-52, 1.0), (-(2.0**-52), 0.0)])
def test_what_rounding_puts_beyond_certainty_is_certain(value, shown):
    assert float(with_slope(value, 16)) == shown


def test_results_of_matches_and_of_playouts_are_not_rescaled():
    thesis = estimating(Curling(1, tie=0.781))
    assert calibrated(thesis, state_of(no_stones(), 0, end=1), 0.781) == 0.781
    assert calibrated(estimating(Curling(1, physics="dc2")), BEGIN, 0.3) == 0.3


@pytest.mark.parametrize("change", [{"reward": "win"}, {"reward": "win_probability"}, {"table": "thesis"}])
def test_what_is_searched_for_does_not_matter(change):
    assert win_probability(replace(MATCH, **change), BEGIN) == win_probability(MATCH, BEGIN)


def test_it_is_team_0_s_and_follows_lead_and_hammer():
    chances = [
        win_probability(MATCH, state_of(no_stones(), 0, hammer, 2, lead)) for lead in (-2, 0, 2) for hammer in (1, 0)
    ]
    assert chances == sorted(chances) and chances[0] < 0.01 and chances[-1] > 0.99
    assert chances[2] == pytest.approx(1.0 - chances[3], abs=1e-9)


@pytest.mark.parametrize("game", [{"physics": "dc2"}, {"weights": "none"}])
def test_where_no_network_fits_it_is_that_of_playouts(game):
    match = Curling(2, **game)
    assert win_probability(match, BEGIN) == estimate_win_probability(match.planning(), BEGIN)


@pytest.mark.parametrize(
    "game", [{"rule": "four_rock"}, {"rule": "none"}, {"noise": "none"}, {"noise": "1.5*normal_dist"}]
)
def test_in_other_games_it_is_that_of_the_nearest_network(game):
    match = Curling(2, **game)
    file = str(nearest_network(match)[1].file)
    given = replace(match, reward="win_probability", weights=file, table="network")
    value = given.value(BEGIN, BEGIN.copy(), 16, given.params, np.random.default_rng(0))
    assert win_probability(match, BEGIN) == pytest.approx(float(with_slope(value, 16)), rel=1e-12)


def test_an_end_of_mixed_doubles_is_set_up_first():
    match = Curling(2, game="mixed_doubles")
    due = mixed_state_of(no_stones(), 0, decider=1)
    assert win_probability(match, due) == win_probability(match, match.begin_end(due))
