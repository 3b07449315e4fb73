import itertools
import math

import numpy as np
import pytest
import scipy.stats

from bonspiel.runs.games import ratings
from bonspiel.runs.statistics.paired import (
    EXACT,
    FLIPS,
    episodes_to_settle,
    mean_probability_of_improvement,
    paired,
    probability_of_improvement,
    sign_flip,
)
from bonspiel.runs.statistics.sample import Interval


def generator(seed=0):
    return np.random.default_rng(seed)


def all_flips(differences):
    sums = [abs(np.dot(signs, differences)) for signs in itertools.product([-1, 1], repeat=len(differences))]
    return np.mean(np.array(sums) >= abs(np.sum(differences)) - 1e-9)


def test_the_same_rewards_added_in_another_order_are_ties():
    a, b = [0.1 + 0.2 + 0.3, 1e12 * (0.1 + 0.2 + 0.3)] * 10, [0.3 + 0.2 + 0.1, 1e12 * (0.3 + 0.2 + 0.1)] * 10
    assert a != b
    found = paired(a, b, generator())
    assert found.p == 1.0 and found.difference == Interval(0.0, 0.0, 0.0)
    assert probability_of_improvement(a, b, generator()).value == 0.5
    assert paired([1.0 + 1e-11] * 10, [1.0] * 10, generator()).p < 0.01


@pytest.mark.parametrize(
    "differences",
    [
        [1.0],
        [1.0, 2.0, -0.5],
        [0.3, 0.3, 0.3, -0.7, 0.0],
        [0.1] * 9,
        [0.0, 0.0],
        [0.1, 0.2, -0.3],
        generator(1).normal(0.5, 1.0, EXACT).round(1),
    ],
)
def test_few_differences_are_flipped_in_all_ways(differences):
    assert sign_flip(differences, generator()) == pytest.approx(all_flips(differences))


@pytest.mark.parametrize(
    ("n", "decimals"), [(EXACT + 1, 1), (EXACT + 1, 9), (60, 1), (60, 9), (800, 1)]
)  # ... with many ties: counts of signs are drawn instead of bits
def test_many_differences_are_flipped_at_random_as_the_exact_test_of_games_does(n, decimals):
    for mean in (0.0, 1.5 / math.sqrt(n), 4.0 / math.sqrt(n)):
        differences = generator(n).normal(mean, 1.0, n).round(decimals)
        exact = (
            ratings.paired_test(1.0 + differences)
            if decimals == 1
            else scipy.stats.permutation_test(
                (differences,), np.sum, permutation_type="samples", rng=generator(2), n_resamples=20_000
            ).pvalue
        )
        assert sign_flip(differences, generator(3)) == pytest.approx(exact, abs=5.0 * math.sqrt(0.25 / FLIPS))


def test_a_p_value_is_never_zero():
    assert sign_flip([1.0] * 1000, generator()) == 1.0 / (FLIPS + 1)


def test_without_a_difference_small_p_values_are_rare():
    rng = generator(4)
    found = np.array([sign_flip(rng.choice([-0.3, 0.0, 0.7, -0.7, 0.3], 40), rng) for _ in range(400)])
    for level in (0.05, 0.2):
        assert (found <= level).mean() < level + 4.0 * math.sqrt(level / 400)
    assert (found <= 0.2).mean() > 0.1


def test_paired_episodes_by_hand():
    found = paired([1.7, 1.4, 1.4, 1.7], [1.4, 1.4, 0.7, 0.7], generator())
    assert found.n == 4
    assert found.difference.value == pytest.approx(0.5)
    assert found.p == 0.25  # the three differences all point one way in 2 of 8 flips


def test_noise_in_common_cancels():
    noise = generator(5).normal(size=500)
    a, b = noise + 0.1 + 0.1 * generator(6).normal(size=500), noise
    found = paired(a, b, generator())
    half = 1.96 * 0.1 / math.sqrt(500)
    assert found.difference.low == pytest.approx(found.difference.value - half, abs=0.2 * half)
    assert found.p < 0.001
    assert found.more == 0.0


def test_the_interval_covers_the_difference_about_as_often_as_it_says():
    rng, covered = generator(7), 0
    for _ in range(300):
        low, high = paired(rng.exponential(1.0, 60) + 0.2, rng.exponential(1.0, 60), rng).difference[1:]
        covered += low <= 0.2 <= high
    assert 0.90 * 300 < covered < 0.985 * 300


@pytest.mark.parametrize(("n", "difference"), [(0, math.nan), (1, 0.5)])
def test_too_few_pairs_say_nothing(n, difference):
    found = paired([1.5] * n, [1.0] * n, generator())
    assert found.n == n
    assert np.array_equal(found.difference, [difference, math.nan, math.nan], equal_nan=True)
    assert math.isnan(found.more)


def test_no_difference_is_never_settled_and_a_constant_one_is():
    found = paired([1.4] * 9, [1.4] * 9, generator())
    assert (found.difference, found.p, found.more) == (Interval(0.0, 0.0, 0.0), 1.0, math.inf)
    cancelling = paired([0.3, 0.4, 0.0], [0.0, 0.0, 0.7], generator())
    assert cancelling.difference.value != 0.0 and cancelling.more == math.inf
    assert paired([1.7] * 9, [1.4] * 9, generator()).more == 0.0


def test_episodes_to_settle_by_hand():
    differences = [1.0, -1.0, 1.0, -1.0, 0.5]  # mean 0.1, variance 1.05: (1.96 / 0.1)^2 * 1.05 = 403.4
    assert episodes_to_settle(differences, Interval(0.1, -0.7, 0.8), 0.9) == 404 - 5
    assert episodes_to_settle(differences, Interval(0.1, 0.01, 0.8), 0.05) == 0
    assert episodes_to_settle(differences, Interval(-0.1, -0.8, -0.01), 0.01) == 0
    assert episodes_to_settle(differences, Interval(0.1, 0.01, 0.8), 0.06) == 404 - 5
    skewed = [1.0] * 6 + [1.2]  # not settled, however far off
    assert episodes_to_settle(skewed, Interval(1.1, -0.1, 2.0), 0.5) == 1


@pytest.mark.parametrize(("n", "more"), [(2, 4.0), (5, 1.0), (6, 0.0)])
def test_a_few_episodes_that_agree_settle_nothing(n, more):
    found = paired([1.7] * n, [1.4] * n, generator())
    assert found.difference == pytest.approx((0.3, 0.3, 0.3))
    assert (found.p, found.more) == (2.0 / 2**n, more)


def test_that_many_more_episodes_settle_it_about_every_second_time():
    rng = generator(8)
    sample = rng.normal(size=50)
    sample = 0.1 + (sample - sample.mean()) / sample.std(ddof=1)
    n = int(50 + episodes_to_settle(sample, Interval(0.1, -0.2, 0.4), 0.5))
    assert n == math.ceil(1.96**2 * 100)
    settled = sum(paired(rng.normal(0.1, 1.0, n), np.zeros(n), rng).more == 0.0 for _ in range(100))
    assert 30 < settled < 70


def brute_improvement(a, b):
    return np.mean((a[:, None] > b) + 0.5 * (a[:, None] == b))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 5), (4, 3), (40, 60), (1000, 900)])
def test_probability_of_improvement_is_that_over_all_pairs(n, m):
    rng = generator(9)
    for a, b in ((rng.normal(size=n), rng.normal(size=m)), (rng.integers(3, size=n), rng.integers(4, size=m))):
        found = probability_of_improvement(a, b, generator())
        assert found.value == pytest.approx(brute_improvement(a, b))
        assert found.value == pytest.approx(scipy.stats.mannwhitneyu(a, b).statistic / (n * m))
        assert np.isnan(found.low) if min(n, m) == 1 else found.low < found.value < found.high


def test_its_interval_is_that_of_resampling_both_samples():
    rng = generator(10)
    a, b = rng.integers(4, size=30), rng.integers(3, size=40)
    brute = [brute_improvement(rng.choice(a, 30), rng.choice(b, 40)) for _ in range(1000)]
    found = probability_of_improvement(a, b, generator())
    assert found[1:] == pytest.approx(np.quantile(brute, [0.025, 0.975]), abs=0.02)


def test_its_interval_covers_the_truth_about_as_often_as_it_says():
    rng, truth = generator(11), scipy.stats.norm.cdf(0.5 / math.sqrt(2.0))
    intervals = [probability_of_improvement(rng.normal(0.5, 1.0, 50), rng.normal(size=40), rng) for _ in range(300)]
    assert 0.90 * 300 < sum(i.low <= truth <= i.high for i in intervals) < 0.985 * 300


def test_improvement_at_the_ends():
    assert probability_of_improvement([2.0] * 3, [1.0] * 4, generator()) == Interval(1.0, 1.0, 1.0)
    assert probability_of_improvement([1.0] * 3, [1.0] * 4, generator()) == Interval(0.5, 0.5, 0.5)
    assert np.isnan(probability_of_improvement([], [1.0], generator())).all()


@pytest.mark.parametrize("draw", [lambda rng: rng.normal(size=10_000), lambda rng: rng.integers(5, size=10_000) * 0.35])
def test_ten_thousand_episodes_are_compared_at_once(draw):
    a, b = draw(generator(12)), draw(generator(13))
    assert 0.0 < paired(a, b, generator()).p < 1.0
    assert 0.45 < probability_of_improvement(a, b, generator()).value < 0.55


def test_the_mean_probability_of_improvement_gives_every_problem_the_same_weight():
    a, b = [[1.0, 3.0], [5.0, 5.0, 5.0]], [[2.0, 2.0], [1.0, 5.0]]  # 1/2, and (1 + 1/2) / 2
    found = mean_probability_of_improvement(a, b, generator())
    assert found.value == pytest.approx(0.5 * (0.5 + 0.75))
    assert found.low < found.value < found.high
    sure = mean_probability_of_improvement([[1.0] * 3, [0.0] * 3], [[0.0] * 3, [1.0] * 3], generator())
    assert sure == Interval(0.5, 0.5, 0.5)
    assert np.isnan(mean_probability_of_improvement([[1.0], [1.0, 2.0]], [[1.0], [1.0, 2.0]], generator())[1:]).all()
    assert np.isnan(mean_probability_of_improvement([[1.0], []], [[1.0], [2.0]], generator())).all()
