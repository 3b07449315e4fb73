"""A decision that breaks the contract is refused in one line that names the planner and the field."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.contract.decisions import (
    BrokenContract,
    CheckedSearch,
    ModelFields,
    check_decision,
    checked_plan,
)
from bonspiel.planners.planner import Traits
from bonspiel.planners.testing import Walk

BUDGET = planners.Budget(simulations=10)


@dataclass(frozen=True)
class Odd:
    """The random planner, whose decision or work is changed by a function."""

    change: object

    def plan(self, model, state, budget, rng, root_actions=None):
        decision = planners.make("random").plan(model, state, budget, rng)
        return self.change(model, state, decision)


def plan(change, model=None, budget=BUDGET):
    model = model or Walk()
    state = model.initial_state(np.random.default_rng(0))
    return checked_plan(Odd(change), model, state, budget, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("field", "wrong", "words"),
    [
        ("action", np.zeros(3), "action=.*a vector of 1 numbers"),
        ("action", np.zeros((1, 1)), "action=.*a vector of 1 numbers"),
        ("action", 0.1, "action=0.1: must be a vector of 1 numbers"),
        ("action", "left", "action='left': must be a vector of 1 real numbers"),
        ("action", np.array([0.5 + 1j]), "action=.*real numbers"),
        ("action", None, "action=None: must be"),
        ("action", np.array([np.nan]), "action=.*within"),
        ("action", np.array([np.inf]), "action=.*within"),
        ("action", np.array([1.01]), "action=.*within"),
        ("simulations", -3, "simulations=-3: must be a whole number from 0 to 10"),
        ("simulations", 11, "simulations=11: must be a whole number from 0 to 10"),
        ("simulations", 12.7, "simulations=12.7"),
        ("simulations", True, "simulations=True"),
        ("simulations", None, "simulations=None"),
        ("simulations", np.nan, "simulations=nan"),
        ("value", np.inf, "value=inf: must be a finite number, or NaN"),
        ("value", -np.inf, "value=-inf"),
        ("value", "high", "value='high'"),
        ("value", None, "value=None"),
        ("value", 1j, "value=1j"),
        ("seconds", -1.0, "seconds=-1.0"),
        ("seconds", np.nan, "seconds=nan"),
        ("seconds", None, "seconds=None"),
        ("visits", np.array([-1]), r"visits=.*must be numbers of at least 0"),
        ("visits", np.zeros(7, np.int64), r"visits and values=.*must be \[A, 1\], \[A\] and \[A\]"),
        ("actions", np.zeros((1, 2)), "shapes of actions"),
        ("values", np.zeros((1, 1)), "shapes of actions"),
        ("values", np.array([np.inf]), "values=.*finite, or NaN"),
        ("values", np.array(["a"]), "values=.*finite, or NaN"),
    ],
)
def test_a_wrong_field_is_named(field, wrong, words):
    with pytest.raises(BrokenContract, match=f"Odd breaks the contract of planners: .*{words}") as caught:
        plan(lambda model, state, decision: replace(decision, **{field: wrong}))
    assert "\n" not in str(caught.value) and pickle.loads(pickle.dumps(caught.value)).args == caught.value.args


@pytest.mark.parametrize("wrong", [None, np.zeros(1), (np.zeros(1), 0.0)])
def test_what_is_no_decision_is_refused(wrong):
    with pytest.raises(BrokenContract, match=r"must be a planners.Decision"):
        plan(lambda *_: wrong)


@pytest.mark.parametrize(
    "right",
    [
        {"simulations": 0},
        {"simulations": np.int32(10)},
        {"value": np.nan},
        {"value": np.float32(3)},
        {"value": 2},
        {"action": np.array([1])},
        {"action": np.array([0.5], np.float32)},
        {"actions": [[0.5], [0.1]], "visits": [3, 0], "values": [1.0, np.nan]},
        {"actions": np.zeros((0, 1)), "visits": np.zeros(0, int), "values": np.zeros(0)},
    ],
)
def test_what_the_contract_allows_is_passed(right):
    plan(lambda model, state, decision: replace(decision, **right))


def test_a_budget_in_seconds_or_a_multiple_allows_more_simulations():
    def many(model, state, decision):
        return replace(decision, simulations=30)

    assert plan(many, budget=planners.Budget(seconds=1.0)).simulations == 30
    planner = replace(Odd(many))
    object.__setattr__(planner, "traits", Traits(budget_multiple=3))
    assert checked_plan(planner, Walk(), np.zeros(2), BUDGET, np.random.default_rng(0)).simulations == 30


def test_a_long_value_makes_a_short_message():
    with pytest.raises(BrokenContract) as caught:
        plan(lambda model, state, decision: replace(decision, action=np.zeros(900).reshape(30, 30)))
    assert len(str(caught.value)) < 320 and "\n" not in str(caught.value)


class Own(Walk):
    """With fields of its own, of its class, and a property."""

    def __init__(self):
        object.__setattr__(self, "params", np.array([0.1]))
        object.__setattr__(self, "action_low", np.array([-1.0]))

    @property
    def action_high(self):
        return np.ones(1)


@pytest.mark.parametrize(
    ("name", "harm", "fails"),
    [
        ("state", lambda model, state: state.fill(0.5), False),
        ("state", lambda model, state: state.fill(0.5), True),
        ("state", lambda model, state: state.__setitem__(1, np.nan), False),
        ("model.params", lambda model, state: model.params.__setitem__(0, 0.0), False),
        ("model.params", lambda model, state: model.params.__setitem__(0, 0.0), True),
        ("model.action_low", lambda model, state: np.multiply(model.action_low, 0.999, out=model.action_low), False),
        ("model.state_high", lambda model, state: model.state_high.__setitem__(0, 9.0), False),
        ("model.params", lambda model, state: object.__setattr__(model, "params", np.array([0.1])), False),
        ("model.horizon", lambda model, state: object.__setattr__(model, "horizon", 2), False),
        ("model.discount", lambda model, state: object.__setattr__(model, "discount", 0.5), False),
        ("model.step", lambda model, state: object.__setattr__(model, "step", lambda *_: (1.0, False)), False),
        ("model.rollout", lambda model, state: object.__setattr__(model, "rollout", lambda *_: 1.0), False),
        ("model.step", lambda model, state: setattr(type(model), "step", lambda *_: (1.0, False)), False),
        ("model.horizon", lambda model, state: setattr(type(model), "horizon", 2), False),
    ],
)
def test_what_a_planner_may_not_change_is_named_and_set_again(name, harm, fails):
    model, right = Own(), Own()

    def change(model, state, decision):
        harm(model, state)
        if fails:
            raise RuntimeError("because of it")
        return decision

    with pytest.raises(BrokenContract, match=f"Odd breaks the contract of planners: {name}=.*left as it was"):
        plan(change, model)
    for member in ("params", "action_low", "state_high", "horizon", "discount"):
        assert np.array_equal(getattr(model, member), getattr(right, member))
    assert model.step.__func__ is Walk.step and not hasattr(model, "rollout")
    ModelFields(model).check()
    assert plan(lambda model, state, decision: decision, model).simulations == 0


@dataclass(frozen=True)
class Windy(Walk):
    """With a parameter from which its params are made."""

    wind: float = 0.1

    @property
    def params(self):
        return np.array([self.wind])


class Mutable(Walk):
    """The same without a dataclass."""

    def __init__(self):
        object.__setattr__(self, "wind", 0.1)

    params = Windy.params


@pytest.mark.parametrize(("made", "name"), [(Windy, "wind=0.0"), (Mutable, r"params=array\(\[0\.\]\)")])
def test_a_parameter_behind_a_property_may_not_be_changed_either(made, name):
    model = made()
    with pytest.raises(BrokenContract, match=rf"Odd breaks the contract of planners: model\.{name}.*left as it was"):
        plan(lambda model, state, decision: object.__setattr__(model, "wind", 0.0) or decision, model)
    assert model.wind == 0.1
    ModelFields(model).check()


def test_the_live_state_is_never_handed_out():
    state, seen = np.array([0.25, 1.0]), []

    def keep(model, given, decision):
        seen.append(given)
        return decision

    search = CheckedSearch(Odd(keep), Walk())
    search.plan(state, BUDGET, np.random.default_rng(0))
    assert np.array_equal(seen[0], state) and not np.shares_memory(seen[0], state)


def test_an_error_of_a_planner_that_changed_nothing_is_its_own():
    with pytest.raises(ZeroDivisionError):
        plan(lambda *_: 1 / 0)


def test_models_may_keep_things_of_their_own_and_members_made_anew():
    class Counting(Walk):
        def __init__(self):
            object.__setattr__(self, "calls", 0)

        @classmethod
        def initial_state(cls, rng):
            return np.zeros(2)

        def step(self, *given):
            object.__setattr__(self, "calls", self.calls + 1)
            object.__setattr__(self, f"_note_{self.calls}", given)
            return super().step(*given)

    def simulate(model, state, decision):
        model.step(state, decision.action, np.empty(2), model.params, np.random.default_rng(0))
        return decision

    model = Counting()
    for _ in range(2):
        plan(simulate, model)
    assert model.calls == 2


def test_decisions_are_the_same_with_and_without_the_check():
    model, state = envs.Trap(), np.array([0.2, 0.0])
    for name in ("dpw", "icem"):
        planner = planners.make(name)
        one, other = planners.begin_episode(planner, model), CheckedSearch(planner, model)
        rngs = [np.random.default_rng(3) for _ in range(2)]
        for _ in range(2):
            first, second = one.plan(state, BUDGET, rngs[0]), other.plan(state, BUDGET, rngs[1])
            assert np.array_equal(first.action, second.action)
            assert np.array_equal(first.values, second.values, equal_nan=True)
        check_decision(model, first, 10)
