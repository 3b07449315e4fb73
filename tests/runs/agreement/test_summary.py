"""Intervals over positions, and the budget of one tree that agrees as often."""

import math

import numpy as np
import pytest

from bonspiel.runs.agreement.measure import Resamples, equivalent

RNG = np.random.default_rng


def test_the_interval_of_a_share_is_that_of_its_normal_approximation():
    values = np.repeat([0.0, 1.0], [300, 100])
    value, low, high = Resamples(400, RNG(0)).mean(values)
    half = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert value == 0.25
    assert (low, high) == pytest.approx((0.25 - half, 0.25 + half), abs=0.006)


def test_a_mean_among_some_positions_has_the_interval_of_these():
    values = np.concatenate([np.repeat([0.0, 1.0], [50, 50]), np.full(300, 7.0)])
    value, low, high = Resamples(400, RNG(0)).mean(values, np.arange(400) < 100)
    half = 1.96 * math.sqrt(0.25 / 100)
    assert value == 0.5
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.015)


def test_what_is_not_known_does_not_count():
    resamples = Resamples(3, RNG(0))
    assert resamples.mean(np.array([1.0, math.nan, 3.0])).value == 2.0
    assert resamples.mean(np.array([1.0, math.nan, 3.0]), np.array([True, True, False])).value == 1.0
    assert math.isnan(resamples.mean(np.full(3, math.nan)).value)
    assert math.isnan(resamples.mean(np.ones(3), np.zeros(3, bool)).value)


def test_a_single_position_has_no_interval():
    value, low, high = Resamples(1, RNG(0)).mean(np.ones(1))
    assert value == 1.0 and math.isnan(low) and math.isnan(high)


@pytest.mark.parametrize(
    ("reached", "budget"),
    [
        (0.5, 100.0),
        (0.6, 200.0),  # half-way in the logarithm from 0.5 at 100 to 0.7 at 400
        (0.7, 400.0),
        (0.8, 400.0 * 4.0 ** (0.1 / 0.2)),
        (0.9, 1600.0),
        (0.3, 100.0),  # below the curve
        (1.0, 1600.0),  # above it
    ],
)
def test_equivalent_budgets_are_interpolated_in_the_logarithm(reached, budget):
    budgets, levels = np.array([100.0, 400.0, 1600.0]), np.array([[0.5, 0.7, 0.9]])
    assert equivalent(budgets, levels, np.array([reached])) == pytest.approx([budget])


def test_a_curve_that_falls_is_held():
    budgets, levels = np.array([1.0, 10.0, 100.0, 1000.0]), np.array([[0.2, 0.6, 0.4, 0.8], [0.5, 0.5, 0.5, 0.5]])
    assert equivalent(budgets, levels, np.array([0.5, 0.5])) == pytest.approx([10.0**0.75, 1.0])
    assert equivalent(budgets, levels, np.array([0.7, 0.6])) == pytest.approx([10.0**2.5, 1000.0])
