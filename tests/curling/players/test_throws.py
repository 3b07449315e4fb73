"""Throws by the network and playouts: known answers, and the same errors for all aims."""

import numpy as np
import pytest

from bonspiel.curling.dynamics import step_with_errors
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import LEAD, team_of
from bonspiel.curling.players.lookahead import expect, new_scratch
from bonspiel.curling.players.quasi_random import quasi_random_errors
from bonspiel.curling.players.throws import value_throws
from bonspiel.curling.regret.sources import NetworkSource, PlayoutSource, judging
from bonspiel.curling.win_probability import calibrated, win_probability
from bonspiel.planners.core.actions import own_actions
from tests.curling.regret.places import MODEL, position

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shot", [4, 9, 15])
def test_values_are_those_of_the_players_search_and_points_those_of_the_end(shot):
    state, errors = position(shot), np.random.default_rng(1).standard_normal((20, 4))
    aims = own_actions(MODEL, state)
    values, points, expected = np.empty((3, len(aims), 20))
    value_throws(state, aims, errors, MODEL.params, values, points, new_scratch())
    expect(state, aims, errors, MODEL.params, RNG, expected, new_scratch())
    assert np.allclose(values if team_of(state) == 0 else values - 1.0, expected, atol=1e-9)
    assert (abs(points) <= 8.0).all() and points.std() > 0.0
    if shot == 15:
        scratch, after = new_scratch(), np.empty_like(state)
        step_with_errors(state, aims[0], errors[3], after, MODEL.params, scratch.stones, scratch.workspace)
        assert points[0, 3] == (after[LEAD] - state[LEAD]) * (1.0 - 2.0 * team_of(state))


@pytest.mark.parametrize("shot", [0, 7, 15])
def test_the_probability_to_win_is_the_one_that_all_show(shot):
    state, source, scratch = position(shot), NetworkSource(MODEL, position(shot), (1,)), new_scratch()
    aims, after = own_actions(MODEL, state)[:1], np.empty_like(state)
    errors = quasi_random_errors(source.shift, 0, 5)
    for number, (value,) in enumerate(source.throw(aims, 0, 5)[0].T):
        given = state, aims[0], errors[number], after, MODEL.params, scratch.stones, scratch.workspace
        worth, over = step_with_errors(*given)
        shown = calibrated(MODEL, after, worth) if over else win_probability(MODEL, after)
        assert value == pytest.approx(shown if team_of(state) == 0 else 1.0 - shown, abs=1e-6)


def outcomes_of(source, aims, throws):
    """What comes of throws, and the luck in it, each [2, aims, throws]."""
    outcomes, luck = np.zeros((2, 2, len(aims), throws))
    source._throw(aims, quasi_random_errors(source.shift, 0, throws), 0, outcomes, luck)
    return outcomes, luck


def test_at_the_last_stone_both_sources_are_the_score():
    state = position(15)
    aims = own_actions(MODEL, state)
    first, second = (outcomes_of(kind(MODEL, state, (1, 2)), aims, 64)[0] for kind in (NetworkSource, PlayoutSource))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("shot", [2, 9, 14, 15])
def test_luck_is_zero_on_the_mean_and_most_of_what_varies(shot):
    state, throws = position(shot), 400
    aims = own_actions(MODEL, state)[:2]
    outcomes, luck = outcomes_of(PlayoutSource(MODEL, state, (1,)), aims, throws)
    assert (abs(luck.mean(-1)) < 4.0 * luck.std(-1) / throws**0.5 + 1e-9).all() and luck.std() > 0.0
    assert ((outcomes - luck).var(-1).sum(-1) < 0.6 * outcomes.var(-1).sum(-1)).all()
    values, points = PlayoutSource(MODEL, state, (1,)).throw(aims, 0, throws)
    assert np.allclose(points, outcomes[1] - luck[1]) and values.var() < 0.6 * outcomes[0].var() * 1.3**2


@pytest.mark.parametrize("kind", [NetworkSource, PlayoutSource])
def test_the_same_aim_has_the_same_throws_whatever_else_is_thrown(kind):
    state = position(11)
    aims = own_actions(MODEL, state)
    twice = kind(MODEL, state, (1,)).throw(np.array([aims[0], aims[0]]), 0, 32)[0]
    later = kind(MODEL, state, (1,)).throw(aims[:3], 16, 32)[0]
    assert np.array_equal(twice[0], twice[1]) and np.array_equal(later[0], twice[0, 16:])
    other = kind(MODEL, state, (2,)).throw(aims[:1], 0, 32)[0]
    assert not np.array_equal(other[0], twice[0])


def test_playouts_are_played_to_the_end_of_the_end():
    state = position(13)
    source = PlayoutSource(MODEL, state, (1,))
    (values, points), _ = outcomes_of(source, own_actions(MODEL, state)[:2], 200)
    assert (points == np.round(points)).all() and source.thrown > 2 * 200 * 3
    assert len(np.unique(values)) <= 2 * STONES + 1  # one for each score


def test_the_referees_have_a_network_for_other_errors_and_none_for_another_physics():
    from bonspiel.curling.model import Curling
    from bonspiel.runs.experiment import UsageError

    other = judging(Curling(8, noise="1.5*normal_dist"))
    assert other.weights is not None and other.table == "network"
    with pytest.raises(UsageError, match="physics='dc2': the referees know fcv1 and dc4 alone"):
        judging(Curling(8, physics="dc2"))
