"""Runtimes to targets, against cells computed by hand."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from bonspiel.runs.statistics.targets import (
    MeanScores,
    Ratio,
    Runtime,
    best_of,
    first_hits,
    ratios,
    reached,
    resampled_means,
    runtimes,
    share_reached,
)

INF, NAN = math.inf, math.nan


def scores(budgets, means, *resampled):
    return MeanScores(np.array(budgets), np.array(means), np.array(resampled or [means], float))


def at(budget, smallest=30.0, largest=300.0):
    return Runtime(budget, budget, budget, smallest, largest)


def test_between_budgets_the_score_is_linear_in_the_logarithm_of_the_budget():
    # from 0.4 at 10 to 0.6 at 100, a half of the way is 10 ** 1.5; from 0.6 to 0.8 a quarter is 10 ** 2.25
    found = first_hits([10, 100, 1000], [0.4, 0.6, 0.8], [0.5, 0.65])
    assert found == pytest.approx([10**1.5, 10**2.25], rel=1e-12)
    # a target that a budget meets exactly has this budget
    assert list(first_hits([30, 100, 300], [0.5, 0.75, 1.0], [0.5, 0.75, 1.0])) == [30, 100, 300]
    assert 7 * (29 / 7) ** 1.0 > 29
    assert list(first_hits([7, 29], [0.25, 0.75], [0.25, 0.75])) == [7, 29]


def test_nothing_is_guessed_beyond_the_played_budgets_nor_from_one_alone():
    assert list(first_hits([30, 300], [0.6, 0.9], [0.1, 0.6, 0.91])) == [30.0, 30.0, INF]
    below, above = runtimes(scores([30, 300], [0.6, 0.9]), [0.5, 0.95])
    assert below.shown(below.budget) == ("<=", 30.0)
    assert above.shown(above.budget) == (">", 300.0)
    assert list(first_hits([100], [0.6], [0.5, 0.6, 0.7])) == [100.0, 100.0, INF]
    found = runtimes(scores([100], [0.6]), [0.5, 0.7])
    assert [one.shown(one.budget) for one in found] == [("<=", 100.0), (">", 100.0)]


def test_a_mean_that_falls_takes_no_target_back():
    # 0.9 is the running maximum at 1,000 too; 0.95 is half of the way from it to 1.0, not from 0.2
    found = first_hits([10, 100, 1000, 10_000], [0.1, 0.9, 0.2, 1.0], [0.5, 0.9, 0.95])
    assert found == pytest.approx([10**1.5, 100, 10**3.5], rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_higher_targets_are_never_reached_sooner_nor_by_lower_scores(seed):
    rng = np.random.default_rng(seed)
    budgets, means = np.sort(rng.uniform(1, 1000, 5)), rng.random((2, 5))
    found = first_hits(budgets, np.stack([means[0], np.maximum(*means)]), np.linspace(0, 1, 50))
    assert (found[:, 1:] >= found[:, :-1]).all()
    assert (found[1] <= found[0]).all()
    assert ((found == INF) | ((found >= budgets[0]) & (found <= budgets[-1]))).all()


def test_an_interval_may_end_beyond_the_budgets_and_below_them():
    # of 1,001 resamples 20 reach 0.5 at once, 30 never, and the others between 10 and 100
    between = [[0.0, 1.0 / share] for share in np.linspace(1.2, 1.9, 951)]
    some = [*[[0.6, 0.6]] * 20, *between, *[[0.1, 0.2]] * 30]
    (found,) = runtimes(scores([10, 100], [0.0, 0.8], *some), [0.5])
    assert found.budget == pytest.approx(10 ** (1 + 0.5 / 0.8))
    # the 26th smallest is the 6th of those between, whose score reaches 0.5 at 0.5 * share of the way
    assert found.low == pytest.approx(10 ** (1 + 0.5 * np.linspace(1.2, 1.9, 951)[5]))
    assert found.shown(found.high) == (">", 100.0)
    (other,) = runtimes(scores([10, 100], [0.0, 0.8], *[[0.6, 0.6]] * 40, *between, *[[0.1, 0.2]] * 10), [0.5])
    assert other.shown(other.low) == ("<=", 10.0)
    assert other.high == pytest.approx(10 ** (1 + 0.5 * np.linspace(1.2, 1.9, 951)[-16]))


def test_a_single_episode_has_no_interval():
    (found,) = runtimes(scores([10, 100], [0.0, 1.0], [NAN, NAN]), [0.5])
    assert found.budget == pytest.approx(10**1.5)
    assert math.isnan(found.low) and math.isnan(found.high)
    assert np.isnan(resampled_means([[0.3], [0.4]], np.random.default_rng(0))).all()


def test_resamples_take_the_same_episodes_of_all_settings():
    sample = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    found = resampled_means([sample, 1.0 - sample, 2.0 * sample], np.random.default_rng(1))
    assert found[:, 1] == pytest.approx(1.0 - found[:, 0])
    assert found[:, 2] == pytest.approx(2.0 * found[:, 0])
    counts = [(np.abs(found[:, 0] * 5 - k) < 1e-9).mean() for k in range(6)]
    assert counts == pytest.approx(binom.pmf(range(6), 5, 0.6), abs=0.04)


def test_the_ratio_of_reached_targets_is_that_of_their_budgets():
    found = ratios({"a": at(60.0), "b": at(45.0), "c": at(90.0)})
    assert found == {"a": ("", 60 / 45), "b": ("", 1.0), "c": ("", 2.0)}


def test_the_ratio_of_a_target_beyond_the_budgets_is_at_least_their_largest_over_the_best():
    assert ratios({"a": at(45.0), "b": at(INF)})["b"] == Ratio(">", 300 / 45)
    assert ratios({"a": at(200.0), "b": at(INF, largest=100.0)})["b"] == Ratio(">", 0.5)
    assert ratios({"a": at(30.0), "b": at(INF)})["b"] == Ratio(">", 10.0)


def test_the_ratio_to_a_best_one_below_the_budgets_is_a_lower_bound():
    found = ratios({"a": at(30.0), "b": at(60.0)})
    assert found == {"a": ("", 1.0), "b": (">=", 2.0)}


def test_of_two_below_the_budgets_nobody_knows_the_best():
    found = ratios({"a": at(30.0), "b": at(30.0), "c": at(100.0, smallest=100.0), "d": at(60.0)})
    assert found == {"a": (">=", 1.0), "b": (">=", 1.0), "c": (">=", 1.0), "d": (">=", 2.0)}


def test_a_smallest_budget_above_the_best_bounds_the_ratio_from_above():
    assert ratios({"a": at(45.0), "b": at(90.0, smallest=90.0)})["b"] == Ratio("<=", 2.0)


def test_of_equal_budgets_the_bound_is_the_best():
    found = {"a": at(100.0), "b": at(100.0, smallest=100.0)}
    assert best_of(found) == found["b"]
    assert ratios(found) == {"a": (">=", 1.0), "b": ("", 1.0)}


def test_there_is_no_ratio_where_nobody_reaches_a_target():
    assert ratios({"a": at(INF), "b": at(INF)}) == {"a": None, "b": None}


def test_shares_count_what_is_reached_by_a_budget():
    assert list(share_reached([30.0, 45.0, 45.0, INF], [29, 30, 44, 45, 1e9])) == [0.0, 0.25, 0.25, 0.75, 0.75]
    assert np.isnan(share_reached([30.0, NAN], [30])).all()


def test_the_share_of_two_problems_is_that_of_their_targets():
    # the first reaches 0.5 at 10 ** 1.5 and 0.8 at 10 ** 1.8, 0.9 to 0.99 later; the second 0.5 at 20, nothing more
    easy, hard = scores([10, 100], [0.0, 1.0]), scores([20, 200], [0.6, 0.7])
    found = reached([easy, hard], [10, 20, 10**1.5 + 1e-9, 70, 100])
    assert found.share == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.6])
    assert (found.smallest, found.largest) == (10, 200)


def test_the_band_of_shares_is_that_of_resamples():
    # half of the resamples reach all five targets at 100, and half none
    found = reached([scores([10, 100], [0.0, 1.0], *[[0.0, 1.0]] * 50, *[[0.0, 0.0]] * 50)], [10, 100])
    assert (list(found.low), list(found.high)) == ([0.0, 0.0], [0.0, 1.0])
