"""Simulated values of the baselines: of the model that is asked about, and none where some rewards are invalid."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs import baselines
from bonspiel.planners.jit import compiled


@compiled("step")
def pay_once(state, action, next_state, params, rng):
    next_state[:] = state
    if action[0] < params[1]:
        return np.nan, True
    return params[0], True


@dataclass(frozen=True)
class Paid(envs.Trap):
    """One step that pays what its text does not show, or nothing valid for small actions."""

    pay: float = field(default=1.0, repr=False)
    invalid: float = 0.0
    step = staticmethod(pay_once)

    @property
    def params(self):
        return np.array([self.pay, self.invalid])


class Plain(Paid):
    """Shows its place in memory."""

    __repr__ = object.__repr__


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(baselines, "STEPS", 20_000)


@pytest.mark.parametrize("value", [baselines.random_value, baselines.do_nothing_value, baselines.constant_value])
def test_a_model_that_differs_in_what_its_text_does_not_show_has_values_of_its_own(value):
    assert [value(Paid(pay=pay)) for pay in (1.0, 2.0, 1.0)] == [1.0, 2.0, 1.0]


def test_values_are_kept_of_models_that_show_their_place_in_memory(monkeypatch):
    assert baselines.random_value(Plain(pay=3.0)) == 3.0
    monkeypatch.setattr(baselines, "random_returns", None)
    assert baselines.random_value(Plain(pay=3.0)) == 3.0


def test_there_is_no_value_where_some_rewards_are_invalid():
    with pytest.raises(TypeError, match="no value of random policy for Paid: some rewards are not finite"):
        baselines.random_value(Paid(invalid=0.01))
