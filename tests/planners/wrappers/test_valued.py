"""Searches with the model's own estimate in place of rollouts."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.envs import Trap
from bonspiel.planners import Budget
from bonspiel.planners.jit import compiled
from bonspiel.planners.wrappers.valued import Valued, with_values


@compiled("rollout")
def _value(state, scratch, depth, params, rng):
    """The share of the way that is behind."""
    return 0.25 * state[0]


@dataclass(frozen=True)
class TrapWithValue(Trap):
    """Trap with an estimate."""

    value = staticmethod(_value)


class PlainTrap(Trap):
    """Trap as plain Python, with an estimate."""

    compiled = False
    step = staticmethod(Trap.step.py_func)
    sample_action = staticmethod(Trap.sample_action.py_func)
    rollout = staticmethod(Trap.rollout.py_func)
    value = staticmethod(_value.py_func)


def test_the_estimate_takes_the_place_of_rollouts():
    model = TrapWithValue()
    valued, state = with_values(model), np.array([0.4, 1.0])
    assert valued.rollout(state, state.copy(), 1, valued.params, np.random.default_rng(0)) == 0.1
    np.testing.assert_array_equal(valued.params, model.params)
    assert type(model).rollout is not type(valued).rollout


@pytest.mark.parametrize(
    "inner", ["uct:leaf=rollout", "dpw:leaf=rollout", "kr_uct", "open_loop:leaf=rollout", "voot:leaf=rollout"]
)
def test_a_search_with_values_is_that_of_a_model_with_such_rollouts(inner):
    @dataclass(frozen=True)
    class Other(Trap):
        rollout = staticmethod(_value)

    model, other, budget = TrapWithValue(), Other(), Budget(simulations=200)
    state = model.initial_state(np.random.default_rng(0))
    planner = planners.parse(inner)
    one = planners.parse(f"valued:inner=({inner})").plan(model, state, budget, np.random.default_rng(1))
    two = planner.plan(other, state, budget, np.random.default_rng(1))
    np.testing.assert_array_equal(one.action, two.action)
    np.testing.assert_array_equal(one.values, two.values)
    assert not np.array_equal(one.values, planner.plan(model, state, budget, np.random.default_rng(1)).values)


@pytest.mark.parametrize("inner", ["uct:leaf=rollout,memory=1", "dpw:leaf=rollout,memory=1", "kr_uct"])
def test_an_episode_is_that_of_the_inner_planner(inner):
    planner, valued = planners.parse(inner), planners.parse(f"valued:inner=({inner})")
    model = TrapWithValue()
    found = []
    for search in (planners.begin_episode(planner, with_values(model)), planners.begin_episode(valued, model)):
        rng = np.random.default_rng(1)
        found.append([])
        for step in range(2):
            decision = search.plan(np.array([0.1, step]), Budget(200), rng)
            found[-1].append((decision.action.tolist(), decision.visits.tolist()))
    assert found[0] == found[1]
    assert valued.memory == getattr(planner, "memory", 0.0)


def test_an_episode_in_a_model_without_an_estimate_says_so():
    search = planners.begin_episode(planners.parse("valued:inner=(uct:leaf=rollout,memory=1)"), Trap())
    with pytest.raises(TypeError, match="Valued cannot search Trap: needs `value`"):
        search.plan(np.array([0.4, 0.0]), Budget(10), np.random.default_rng(0))


def test_plain_python_models_have_values_too():
    model = PlainTrap()
    state = model.initial_state(np.random.default_rng(0))
    decision = planners.parse("valued:inner=(uct:leaf=rollout)").plan(
        model, state, Budget(simulations=20), np.random.default_rng(0)
    )
    assert decision.simulations == 20


def test_a_model_without_an_estimate_is_refused():
    planner = planners.parse("valued:inner=(uct:leaf=rollout)")
    assert "value" in planners.unsupported(planner, Trap())
    assert planners.unsupported(planner, TrapWithValue()) is None


def test_models_with_values_keep_their_parameters_and_pickle():
    valued = with_values(TrapWithValue(noise_range=0.2))
    assert replace(valued, noise_range=0.3).rollout is valued.rollout
    loaded = pickle.loads(pickle.dumps(valued))
    assert loaded.noise_range == 0.2 and loaded.rollout is valued.rollout


def test_it_does_not_nest_in_itself_and_needs_rollouts():
    with pytest.raises(ValueError, match="valued"):
        Valued(Valued())
    with pytest.raises(ValueError, match="leaf=rollout"):
        planners.parse("valued:inner=(uct:leaf=tree)")


@pytest.mark.parametrize(
    "inner",
    [
        *("adaptive", "abstraction", "cem", "icem", "hoot", "cmcgs", "constant", "weighted_uct", "uct:leaf=tree"),
        *("root:inner=(uct:leaf=tree)", "threads:inner=(dpw:leaf=tree)", "root:inner=adaptive,combine=max"),
    ],
)
def test_a_planner_that_rolls_out_nowhere_is_refused(inner):
    with pytest.raises(ValueError, match="must be one that rolls out"):
        planners.parse(f"valued:inner=({inner})")


@pytest.mark.parametrize("inner", ["root:inner=(uct:leaf=rollout)", "presearch:inner=(uct:leaf=tree)", "rave_uct"])
def test_one_that_rolls_out_within_another_is_not(inner):
    planners.parse(f"valued:inner=({inner})")


def test_traced_rollouts_are_replaced_as_well():
    class Traced(PlainTrap):
        def traced_rollout(self, *_):
            raise AssertionError

    assert with_values(Traced()).traced_rollout is None


def test_the_estimate_may_be_of_the_instance():
    model = PlainTrap()
    model.value = lambda *_: 7.0
    assert with_values(model).rollout() == 7.0

    class Bare(Trap):
        """Without an estimate."""

    bare = Bare()
    object.__setattr__(bare, "value", model.value)
    object.__setattr__(bare, "traced_rollout", model.value)
    assert with_values(bare).rollout() == 7.0
    assert with_values(bare).traced_rollout is None


def test_the_estimate_may_be_that_of_a_proxy():
    class Proxy(Trap):
        def __getattr__(self, name):
            if name == "value":
                return lambda *_: 7.0
            raise AttributeError(name)

    assert with_values(Proxy()).rollout() == 7.0
