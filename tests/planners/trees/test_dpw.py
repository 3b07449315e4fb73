import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget


def test_is_trapped_by_the_thesis_parameters_and_freed_by_the_budget():
    model, rng = envs.Trap(), np.random.default_rng(3)
    value = planners.make("dpw").plan(model, np.zeros(2), Budget(200_000), rng).value
    assert value == pytest.approx(1.7, abs=0.05)
