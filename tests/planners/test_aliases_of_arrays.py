"""A caller may change arrays in place, and instances of a class have functions of their own: decisions stay right."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.checks import check_actions
from bonspiel.planners.contract.counting import counting
from bonspiel.planners.core import problem
from bonspiel.planners.jit import compiled
from bonspiel.planners.wrappers.root import workers
from tests.planners.tiny_models import UnitBox

MODEL = envs.Trap()


def begin(seed=1):
    return MODEL.initial_state(np.random.default_rng(seed)), np.random.default_rng(3)


def test_an_action_changed_in_place_is_held_as_it_was():
    state, rng = begin()
    search = planners.begin_episode(planners.make("constant"), MODEL)
    first = search.plan(state, Budget(60), rng)
    action = first.action.copy()
    for _ in range(2):
        again = search.plan(state, Budget(60), rng)
        np.testing.assert_array_equal(again.action, action)
        again.action[...] *= 0.5
        first.action[...] *= 0.5


def test_a_plan_changed_in_place_is_limited_as_it_was():
    model, changes = envs.DoubleIntegrator(), []
    state, rng = model.initial_state(np.random.default_rng(0)), np.random.default_rng(0)
    search = planners.begin_episode(planners.parse("icem:memory=1,rate_limit=0.05"), model)
    last = None
    for _ in range(4):
        decision = search.plan(state, Budget(100), rng)
        if last is not None:
            changes.append(np.abs(decision.action - last).max())
        last = decision.action.copy()
        decision.plan[:] = model.action_low
        after = np.empty_like(state)
        model.step(state, last, after, model.params, rng)
        state = after
    assert max(changes) <= 0.05 * (model.action_high - model.action_low).max() + 1e-12


@pytest.mark.parametrize("name", ["hoot", "poly_hoot", "constant", "uct"])
def test_given_actions_are_not_those_of_the_decision(name):
    state, rng = begin()
    given = np.array([[0.1], [0.4], [0.9]])
    decision = planners.make(name).plan(MODEL, state, Budget(60), rng, given)
    action = decision.action.copy()
    decision.actions[...] += 0.05
    np.testing.assert_array_equal(given.ravel(), [0.1, 0.4, 0.9])
    given[:] = 0.5
    assert decision.action[0] in (action[0], action[0] + 0.05)


@pytest.mark.parametrize("name", ["uct", "dpw", "voot", "abstraction", "hoot", "icem"])
def test_a_budget_may_be_a_number_of_numpy(name):
    for kind in (np.int64, np.int32):
        state, rng = begin()
        assert planners.make(name).plan(MODEL, state, Budget(simulations=kind(50)), rng).simulations <= 50


@compiled("step")
def up(state, action, next_state, params, rng):
    next_state[0], next_state[1] = state[0], state[1] + 1.0
    return action[0], True


@compiled("step")
def down(state, action, next_state, params, rng):
    next_state[0], next_state[1] = state[0], state[1] + 1.0
    return -action[0], True


@dataclass(frozen=True)
class Either(UnitBox):
    """Steps up or down, by a property."""

    is_down: bool = False

    state_dim, horizon, time_index = 2, 1, 1

    @property
    def step(self) -> Any:
        return down if self.is_down else up


def test_an_instance_is_searched_by_its_own_functions():
    uct = planners.make("uct")
    found = [
        uct.plan(Either(one), np.zeros(2), Budget(400), np.random.default_rng(0)).action[0] for one in (False, True)
    ]
    assert found[0] > 0.8 and found[1] < 0.2


@compiled("rollout")
def much(state, scratch, depth, params, rng):
    return 10.0 * state[0]


@compiled("rollout")
def little(state, scratch, depth, params, rng):
    return -10.0 * state[0]


@compiled("step")
def move(state, action, next_state, params, rng):
    next_state[0], next_state[1] = state[0] + action[0], state[1] + 1.0
    return 0.0, False


@dataclass(frozen=True)
class Learned(UnitBox):
    """A value given as a field."""

    value: Any = much
    state_dim, horizon, time_index = 2, 3, 1
    step = staticmethod(move)


def test_values_are_those_of_the_instance():
    planner = planners.parse("valued:inner=(uct:leaf=rollout)")
    first, second = (
        planner.plan(Learned(one), np.zeros(2), Budget(400), np.random.default_rng(0)).action[0]
        for one in (much, little)
    )
    assert first > 0.8 and second < 0.2


@pytest.mark.parametrize("combine", ["sum", "tries"])
def test_workers_on_threads_take_turns_with_the_model_of_an_environment(combine, monkeypatch):
    import gymnasium

    monkeypatch.setattr(workers, "_cores", lambda: 4)
    model = envs.from_gymnasium(gymnasium.make("Pendulum-v1"), horizon=20)
    state = model.initial_state(np.random.default_rng(0))
    inner = "uct:n_actions=4" if combine == "sum" else "abstraction:n_actions=4"
    one, *others = (
        planners.parse(f"root:inner=({inner}),workers=4,combine={combine},run={run}")
        .plan(model, state, Budget(100), np.random.default_rng(0))
        .values.tolist()
        for run in ("one", "threads", "threads")
    )
    assert others == [one, one]


@pytest.mark.parametrize("given", [[[0.1], [0.2, 0.3]], "left", None, [["a"]]])
def test_given_actions_that_are_no_matrix_are_named(given):
    with pytest.raises(ValueError, match=r"^root_actions=.*a matrix of at least one row of 1 numbers"):
        check_actions(MODEL, given)


def test_tables_of_many_instances_are_not_kept(monkeypatch):
    tables = {}
    monkeypatch.setattr(problem, "_tables", tables)
    monkeypatch.setattr(problem, "MOST_TABLES", 3)
    for count in range(5):
        made = counting(MODEL)[0]
        assert problem.functions_of(made) is problem.functions_of(made)
        assert len(tables) == count % 3 + 1
