"""A discount inside the search of sequences: what it changes, and what is reported."""

from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.jit import compiled
from tests.planners.tiny_models import UnitBox, python_twin

BY_SEQUENCES = ["random_shooting", "cem", "icem", "mppi"]


@compiled("step")
def tempting_step(state, action, next_state, params, rng):
    first = state[0] == 0.0
    next_state[0], next_state[1] = state[0] + 1.0, action[0] if first else state[1]
    noise = params[0] * rng.standard_normal()
    return (action[0] + noise if first else -state[1] + noise), next_state[0] == 5.0


@dataclass(frozen=True)
class Tempting(UnitBox):
    """The first action earns what it costs in each of four later steps."""

    noise: float = 0.0
    discount: float = 1.0

    state_dim = 2
    time_index = 0
    horizon = 5
    state_low = np.zeros(2)
    state_high = np.array([5.0, 1.0])
    step = staticmethod(tempting_step)

    @property
    def params(self):
        return np.array([self.noise])


def decision_of(text, model, simulations=300, seed=3):
    return planners.parse(text).plan(model, np.zeros(2), Budget(simulations), np.random.default_rng(seed))


@pytest.mark.parametrize("name", BY_SEQUENCES)
def test_a_sight_of_one_step_plays_the_greedy_action_and_values_its_whole_plan(name):
    far, greedy = decision_of(name, Tempting()), decision_of(f"{name}:sight=1", Tempting())
    assert far.action < 0.15
    assert greedy.action > 0.85
    for decision in (far, greedy):
        assert decision.value == pytest.approx(-3.0 * decision.action.item())
        tried = decision.visits > 0
        np.testing.assert_allclose(decision.values[tried], -3.0 * decision.actions[tried, 0], rtol=1e-12)


@pytest.mark.parametrize("name", BY_SEQUENCES)
@pytest.mark.parametrize("sight", [1, 20])
def test_a_sight_decides_as_a_discount_of_the_model_does(name, sight):
    """One decision is equal to the other bit for bit, but for the values."""
    discounted = Tempting(noise=0.3, discount=1.0 - 1.0 / sight)
    for text in (name, f"{name}:repeats=3"):
        joint = ":" if text == name else ","
        seen = decision_of(f"{text}{joint}sight={sight}", Tempting(noise=0.3))
        known = decision_of(text, discounted)
        assert seen.actions.tolist() == known.actions.tolist()
        assert seen.action == known.action
        assert seen.visits.tolist() == known.visits.tolist()


@pytest.mark.parametrize("name", BY_SEQUENCES)
def test_invalid_rollouts_are_valued_by_whole_returns_too(name):
    """Whole returns are 401; the worst that an invalid rollout counts is a tenth less, though 1 is all that is seen."""

    def step(state, action, next_state, params, rng):
        next_state[0] = state[0] + 1.0
        reward = 1.0 if state[0] == 0.0 else 100.0
        return (np.nan if rng.random() < 0.1 else reward), next_state[0] == 5.0

    model = python_twin(Tempting())
    type(model).step = staticmethod(step)
    decision = decision_of(f"{name}:sight=1,repeats=5", model)
    assert decision.invalid > 0
    assert min(decision.values) > 360.0
    assert max(decision.values) <= 401.0 + 1e-9


def test_a_budget_of_seconds_has_a_sight_too_and_one_of_no_step_is_refused():
    planner = planners.make("icem", sight=1)
    decision = planner.plan(Tempting(), np.zeros(2), Budget(seconds=0.05), np.random.default_rng(0))
    assert decision.action > 0.85
    with pytest.raises(ValueError, match=r"sight=0"):
        planners.make("icem", sight=0)
