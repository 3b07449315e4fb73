"""Statistics of one action from several reports."""

import numpy as np
import pytest

from bonspiel.planners.core.tree.bandit import pooled


def test_negative_visits_take_a_report_away():
    totals, values = pooled(np.array([0, 0, 0]), np.array([5, 7, -2]), np.array([1.0, 2.0, 0.5]), 1)
    assert totals.tolist() == [10] and values.tolist() == [pytest.approx((5 * 1.0 + 7 * 2.0 - 2 * 0.5) / 10)]


def test_many_small_reports_of_one_action_are_one_report():
    """Bit for bit where the means are equal."""
    _, values = pooled(np.zeros(7, np.int64), np.arange(1, 8), np.full(7, 0.1 + 0.2), 1)
    assert values.tolist() == [0.1 + 0.2]
