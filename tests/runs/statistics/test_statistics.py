import functools

import numpy as np
import pytest
import scipy.stats

from bonspiel.runs.statistics import sample as statistics
from bonspiel.runs.statistics.sample import (
    Interval,
    Summary,
    bootstrap,
    histogram,
    mean_score,
    normalised,
    performance_profile,
    regret,
    resampled,
    summarise,
)


def generator(seed=0):
    return np.random.default_rng(seed)


def trap_returns(n, rng):
    return rng.choice([0.7, 1.0, 1.4, 1.7], n, p=[0.1, 0.1, 0.5, 0.3])


def test_mean_and_median_by_hand():
    summary = summarise([1.0, 2.0, 3.0, 10.0], generator())
    assert (summary.n, summary.mean, summary.median) == (4, 4.0, 2.5)
    assert 1.0 < summary.low < 4.0 < summary.high <= 10.0


def test_two_values_have_the_interval_of_their_resamples():
    # the mean of two draws from {0, 1} is 0, 1/2 or 1 with probabilities 1/4, 1/2, 1/4: both 2.5 % tails are the ends
    summary = summarise([0.0, 1.0], generator())
    assert (summary.low, summary.high) == (0.0, 1.0)


def test_a_large_sample_has_the_interval_of_the_normal_distribution():
    sample = generator(1).normal(5.0, 2.0, 10_000)
    summary = summarise(sample, generator(2))
    half = 1.96 * sample.std() / 100.0
    assert summary.low == pytest.approx(sample.mean() - half, abs=0.1 * half)
    assert summary.high == pytest.approx(sample.mean() + half, abs=0.1 * half)


@pytest.mark.parametrize("n", [40, 1000])  # both ways of drawing: counted draws, and counts drawn
def test_intervals_are_those_of_scipys_bootstrap(n):
    sample = trap_returns(n, generator(3))
    summary = summarise(sample, generator(4))
    trimmed = functools.partial(scipy.stats.trim_mean, proportiontocut=0.25)
    for statistic, found in ((np.mean, summary.interval), (trimmed, summary.iqm)):
        expected = scipy.stats.bootstrap(
            (sample,), statistic, method="percentile", rng=generator(5), vectorized=True
        ).confidence_interval
        width = expected.high - expected.low
        assert found.low == pytest.approx(expected.low, abs=0.1 * width)
        assert found.high == pytest.approx(expected.high, abs=0.1 * width)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 100, 1001])
def test_the_interquartile_mean_is_that_of_the_trimmed_sample(n):
    for sample in (generator(n).normal(size=n), trap_returns(n, generator(n))):
        assert summarise(sample, generator()).iqm.value == pytest.approx(scipy.stats.trim_mean(sample, 0.25))


def test_the_interquartile_mean_by_hand():
    assert summarise([-1000.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1000.0], generator()).iqm.value == 3.5


@pytest.mark.parametrize("draw", [lambda rng: rng.exponential(1.0, 50), lambda rng: rng.integers(0, 3, 50) * 1.0])
def test_the_intervals_cover_the_truth_about_as_often_as_they_say(draw):
    rng = generator(3)
    middle = np.mean([scipy.stats.trim_mean(draw(rng), 0.25) for _ in range(5_000)])
    summaries = [summarise(draw(rng), rng) for _ in range(400)]
    for truth, intervals in ((1.0, [s.interval for s in summaries]), (middle, [s.iqm for s in summaries])):
        assert 0.91 * 400 < sum(i.low <= truth <= i.high for i in intervals) < 0.985 * 400


def test_equal_values_have_intervals_of_no_width():
    summary = summarise([1.4] * 7, generator())
    assert (summary.mean, summary.low, summary.high, summary.median) == (1.4, 1.4, 1.4, 1.4)
    assert summary.iqm == Interval(1.4, 1.4, 1.4)


def test_one_value_has_no_interval_and_none_has_no_mean():
    one = summarise([2.0], generator())
    assert (one.n, one.mean, one.median, one.iqm.value) == (1, 2.0, 2.0, 2.0)
    assert np.isnan([one.low, one.high, one.iqm.low, one.iqm.high]).all()
    none = summarise([], generator())
    assert none.n == 0
    assert np.isnan([none.mean, none.low, none.high, none.median, *none.iqm]).all()


def test_the_same_generator_gives_the_same_interval():
    sample = generator(4).random(30)
    assert summarise(sample, generator(5)) == summarise(sample, generator(5))


@pytest.mark.parametrize("k", [2, 500])
def test_resamples_have_the_size_and_the_moments_of_draws_with_replacement(k):
    classes = np.sort(np.concatenate([np.arange(k), generator(6).integers(k, size=1000 - k)]))
    n, counts = len(classes), np.bincount(classes)
    found = np.concatenate(list(resampled(classes, generator(7))))
    assert found.shape == (2000, k)
    assert (found.sum(axis=1) == n).all()
    spread = np.sqrt(counts * (1.0 - counts / n))
    assert np.abs((found.mean(axis=0) - counts) / spread).max() < 5.0 / np.sqrt(2000)
    assert found.std(axis=0).sum() == pytest.approx(spread.sum(), rel=0.05)


def test_blocks_are_bounded_in_memory():
    blocks = [counts.size for counts in resampled(np.arange(5_000), generator())]
    assert max(blocks) <= 2_000_000
    assert sum(blocks) == 2000 * 5_000


def test_intervals_of_any_statistic_of_counts():
    classes = np.repeat([0, 1], [30, 70])
    low, high = bootstrap(classes, lambda counts: counts[:, :1] / 100.0, generator())
    assert low[0] == pytest.approx(scipy.stats.binom.ppf(0.025, 100, 0.3) / 100.0, abs=0.011)
    assert high[0] == pytest.approx(scipy.stats.binom.ppf(0.975, 100, 0.3) / 100.0, abs=0.011)


def test_the_random_policy_is_normalised_to_0_and_the_optimum_to_1():
    found = normalised(Summary(9, 1.4, 1.03, 1.7, 1.4), low=1.03, high=1.7)
    assert found == pytest.approx((0.37 / 0.67, 0.0, 1.0))


def test_regret_is_what_is_missing_from_the_optimum():
    assert regret(Summary(9, 1.4, 1.3, 1.6, 1.4), optimum=1.7) == pytest.approx((0.3, 0.1, 0.4))


def test_regret_from_different_starts_is_that_against_the_optimum_from_these():
    summary = Summary(9, -150.0, -190.0, -110.0, -150.0, loss=Interval(5.0, 4.0, 7.0))
    assert regret(summary, optimum=-140.0) == (5.0, 4.0, 7.0)
    assert normalised(summary, low=-1140.0, high=-140.0) == pytest.approx((0.995, 0.993, 0.996))


@pytest.mark.parametrize("sample", [generator(8).normal(size=200), trap_returns(200, generator(9))])
def test_a_profile_is_the_share_above_each_threshold(sample):
    thresholds = np.array([-5.0, -0.3, 0.0, 0.7, 1.0, 1.4, 1.7, 5.0])
    profile = performance_profile([sample], thresholds, generator())
    expected = np.array([(sample > threshold).mean() for threshold in thresholds])
    np.testing.assert_allclose(profile.share, expected)
    # the number above a threshold is binomial in the resamples
    for end, level in ((profile.low, 0.025), (profile.high, 0.975)):
        np.testing.assert_allclose(end, scipy.stats.binom.ppf(level, 200, expected) / 200.0, atol=0.0101)


def test_a_profiles_band_covers_the_truth_about_as_often_as_it_says():
    rng, thresholds = generator(10), np.array([-0.5, 0.0, 0.5])
    truth = scipy.stats.norm.sf(thresholds)
    profiles = [performance_profile([rng.normal(size=80)], thresholds, rng) for _ in range(400)]
    covered = np.sum([(p.low <= truth) & (truth <= p.high) for p in profiles], axis=0)
    assert ((0.91 * 400 < covered) & (covered < 0.985 * 400)).all()


def test_profiles_of_little():
    none, one, same = (performance_profile([sample], [0.0, 1.0], generator()) for sample in ([], [0.5], [0.5] * 4))
    assert np.isnan(none).all()
    assert one.share.tolist() == [1.0, 0.0]
    assert np.isnan([one.low, one.high]).all()
    assert same.low.tolist() == same.share.tolist() == same.high.tolist() == [1.0, 0.0]


def test_outcomes_are_counted_one_by_one_despite_rounding():
    found = histogram([0.7 + 0.7, 1.4, 0.1 + 0.2, 0.3, -1e-12, 1.7])
    assert found.low.tolist() == found.high.tolist() == [0.0, 0.3, 1.4, 1.7]
    assert not np.signbit(found.low).any()
    assert found.counts.tolist() == [1, 2, 2, 1]


def test_too_many_outcomes_are_put_into_bins():
    found = histogram(np.arange(100.0), classes=10)
    assert found.counts.tolist() == [10] * 10
    assert (found.low[0], found.high[-1]) == (0.0, 99.0)
    assert found.low[1:].tolist() == found.high[:-1].tolist()


def test_a_histogram_of_nothing_is_empty():
    assert [len(part) for part in histogram([])] == [0, 0, 0]


def mostly_good(rng, size):
    """Values among which one of 500 is a failure far below all others."""
    return np.where(np.arange(size) % 500, rng.normal(1.0, 0.3, size), rng.normal(-100.0, 1.0, size))


@pytest.mark.parametrize("draw", [np.random.Generator.normal, np.random.Generator.exponential, mostly_good])
def test_many_different_values_are_resampled_in_groups(draw, monkeypatch):
    values = draw(np.random.default_rng(3), size=4000)
    found = statistics.grouped(values)
    assert len(np.unique(found)) < 2 * statistics.GROUPS and len(found) == 4000
    assert found.mean() == pytest.approx(values.mean())
    assert 0.999 < found.std() / values.std() < 1.0
    few = values[: statistics.MANY]
    np.testing.assert_array_equal(statistics.grouped(few), few)
    fast = statistics.summarise(values, np.random.default_rng(1))
    monkeypatch.setattr(statistics, "MANY", 10_000)
    exact = statistics.summarise(values, np.random.default_rng(1))
    assert (fast.mean, fast.median, fast.iqm.value) == (exact.mean, exact.median, exact.iqm.value)
    for a, b in ((fast.interval, exact.interval), (fast.iqm, exact.iqm)):
        assert a.high - a.low == pytest.approx(b.high - b.low, rel=0.08)


def test_every_problem_has_the_same_weight_in_a_profile_and_in_a_mean_score():
    strata = [0.2, 0.6], [0.6, 0.6, 0.6, 0.9]  # above 0.5: 1/2 and 4/4
    profile = performance_profile(strata, [0.0, 0.5, 0.7, 0.95], generator())
    np.testing.assert_allclose(profile.share, [1.0, 0.75, 0.125, 0.0])
    # of the first stratum 0, 1/2 or 1 with 1/4, 1/2, 1/4: the resampled share is 1/2, 3/4 or 1
    assert (profile.low[1], profile.high[1]) == (0.5, 1.0)
    assert (profile.low[0], profile.high[0]) == (1.0, 1.0)
    score = mean_score(strata, generator())
    assert score.value == pytest.approx((0.4 + 0.675) / 2)
    assert 0.399 < score.low < score.value < score.high < 0.76
    # resampled within strata: two problems that differ by far have no interval where their episodes agree
    assert mean_score([[0.0] * 3, [1.0] * 5], generator()) == Interval(0.5, 0.5, 0.5)


def test_a_stratum_of_one_value_leaves_the_interval_open():
    profile = performance_profile([[0.1], [0.3, 0.9]], [0.2], generator())
    assert profile.share.tolist() == [0.5]
    assert np.isnan([profile.low, profile.high]).all()
    assert np.isnan(mean_score([[0.1], [0.3, 0.9]], generator())[1:]).all()


def test_the_interval_of_a_mean_score_covers_the_truth_about_as_often_as_it_says():
    rng = generator(12)
    found = [mean_score([rng.normal(0.0, 1.0, 60), rng.normal(1.0, 3.0, 40)], rng) for _ in range(300)]
    covered = sum(low <= 0.5 <= high for _, low, high in found)
    assert 0.9 * 300 < covered < 0.985 * 300
