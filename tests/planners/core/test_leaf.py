"""Several rollouts at a new leaf, counted by hand."""

from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.core.walk import NO_LIMIT, new_walk
from bonspiel.planners.jit import compiled
from tests.planners.tiny_models import Chain, UnitBox, python_twin


@compiled("step")
def fork_step(state, action, next_state, params, rng):
    next_state[0] = state[0] + 1.0
    ends = action[0] >= 0.5
    return (5.0 if ends else 1.0), ends


@compiled("rollout")
def fork_rollout(state, scratch, depth, params, rng):
    """Takes its state for its own, and writes over it."""
    value = 100.0 * state[0] + rng.random()
    state[0] = -1.0
    scratch[0] = -1.0
    return value


@dataclass(frozen=True)
class Fork(UnitBox):
    """A high action ends the episode with 5; a low one earns 1, and a rollout after n steps 100 n and some noise."""

    state_dim = 1
    horizon = 3
    step = staticmethod(fork_step)
    rollout = staticmethod(fork_rollout)


def plan(text, budget, root_actions, model=None):
    rng = np.random.default_rng(3)
    decision = planners.parse(text).plan(model or Fork(), np.zeros(1), Budget(budget), rng, np.array(root_actions))
    return decision, rng


@pytest.mark.parametrize("name", ["uct", "pw", "dpw"])
@pytest.mark.parametrize("make", [Fork, lambda: python_twin(Fork())])
def test_a_leaf_is_worth_the_mean_of_its_rollouts_and_counts_for_all_of_them(name, make):
    decision, rng = plan(f"{name}:leaf=rollout,playouts=4", 4, [[0.2]], make())
    expected = np.random.default_rng(3)
    rollouts = [100.0 + expected.random() for _ in range(4)]
    assert decision.visits.tolist() == [4] and decision.simulations == 4
    assert decision.value == pytest.approx(1.0 + np.mean(rollouts), rel=1e-12)
    assert rng.bit_generator.state == expected.bit_generator.state


@pytest.mark.parametrize("name", ["uct", "pw", "dpw"])
def test_the_last_leaf_takes_what_is_left_and_those_at_an_end_weigh_one(name):
    text, near = f"{name}:leaf=rollout,playouts=4", Fork()
    decision, _ = plan(text, 6, [[0.1], [0.2], [0.3]])
    assert decision.visits.tolist() == [4, 2, 0] and decision.simulations == 6
    decision, _ = plan(text, 5, [[0.7], [0.2]])
    assert decision.visits.tolist() == [1, 4] and decision.values[0] == 5.0
    object.__setattr__(near, "horizon", 1)
    decision, _ = plan(text, 3, [[0.2]], near)
    assert decision.visits.tolist() == [3] and decision.value == 1.0


@pytest.mark.parametrize("name", ["uct", "pw", "dpw"])
def test_results_do_not_depend_on_how_a_search_is_cut_into_pieces(name, monkeypatch):
    """The last leaf of a piece is no last leaf of the budget."""
    planner = planners.parse(f"{name}:leaf=rollout,playouts=5,exploration=0.3")
    whole, cut = (decide(planner, monkeypatch, chunk) for chunk in (1_024, 3))
    assert whole.visits.tolist() == cut.visits.tolist() and whole.values.tolist() == cut.values.tolist()


def decide(planner, monkeypatch, chunk):
    monkeypatch.setattr("bonspiel.planners.core.search.FIRST_CHUNK", chunk)
    monkeypatch.setattr("bonspiel.planners.core.search.INTERRUPT_SECONDS", 0.0)
    return planner.plan(Chain(), np.zeros(1), Budget(403), np.random.default_rng(0))


def test_a_budget_of_seconds_has_no_last_leaf():
    assert new_walk(Fork(), 3, budget=Budget(seconds=1.0)).left.tolist() == [NO_LIMIT]


@pytest.mark.parametrize("name", ["uct", "pw", "dpw"])
def test_playouts_without_rollouts_are_refused(name):
    for text, line in (("playouts=0,leaf=rollout", "at least 1"), ("playouts=2", "leaf='rollout'")):
        with pytest.raises(ValueError, match=f"playouts=.*{line}"):
            planners.parse(f"{name}:{text}")
