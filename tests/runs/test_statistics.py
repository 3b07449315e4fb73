import numpy as np
import pytest

from runs.statistics import summarise


def test_mean_and_median_by_hand():
    summary = summarise([1.0, 2.0, 3.0, 10.0], np.random.default_rng(0))
    assert (summary.n, summary.mean, summary.median) == (4, 4.0, 2.5)
    assert 1.0 < summary.low < 4.0 < summary.high <= 10.0


def test_two_values_have_the_interval_of_their_resamples():
    # the mean of two draws from {0, 1} is 0, 1/2 or 1 with probabilities 1/4, 1/2, 1/4: both 2.5 % tails are the ends
    summary = summarise([0.0, 1.0], np.random.default_rng(0))
    assert (summary.low, summary.high) == (0.0, 1.0)


def test_a_large_sample_has_the_interval_of_the_normal_distribution():
    sample = np.random.default_rng(1).normal(5.0, 2.0, 10_000)
    summary = summarise(sample, np.random.default_rng(2))
    half = 1.96 * sample.std() / 100.0
    assert summary.low == pytest.approx(sample.mean() - half, abs=0.1 * half)
    assert summary.high == pytest.approx(sample.mean() + half, abs=0.1 * half)


def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    summaries = [summarise(rng.exponential(1.0, 50), rng) for _ in range(300)]
    covered = sum(s.low <= 1.0 <= s.high for s in summaries)
    assert 0.88 * 300 < covered < 0.98 * 300


def test_equal_values_have_an_interval_of_no_width():
    summary = summarise([1.4] * 7, np.random.default_rng(0))
    assert (summary.mean, summary.low, summary.high, summary.median) == (1.4, 1.4, 1.4, 1.4)


def test_one_value_has_no_interval_and_none_has_no_mean():
    one = summarise([2.0], np.random.default_rng(0))
    assert (one.n, one.mean) == (1, 2.0)
    assert np.isnan([one.low, one.high]).all()
    assert np.isnan(summarise([], np.random.default_rng(0)).mean)


def test_the_same_generator_gives_the_same_interval():
    sample = np.random.default_rng(4).random(30)
    assert summarise(sample, np.random.default_rng(5)) == summarise(sample, np.random.default_rng(5))
