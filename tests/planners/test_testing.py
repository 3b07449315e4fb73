"""The check that authors of planners run finds each broken promise."""

import time
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.contract import apart, checks
from bonspiel.planners.planner import check_plan
from bonspiel.planners.testing import Walk, check_planner
from tests.planners.tiny_models import Estimated, Target
from tests.planners.trees.rave_uct.claims import Claims


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """In this process; tests/planners/contract/ has planners that need one of their own."""
    monkeypatch.setattr(apart, "_started", lambda *given: None)


@pytest.fixture
def few(monkeypatch):
    """Ends the check after some 30 decisions; test_checks.py has the faults that show later."""
    monkeypatch.setattr(checks, "DECISIONS", 32)


@pytest.mark.parametrize("name", planners.names())
def test_every_planner_passes_it(name, few):
    planner = planners.make(name, **({"workers": 3} if name == "root" else {}))
    if planners.unsupported(planner, Walk()):
        with pytest.raises(ValueError, match="cannot search Walk: needs"):
            check_planner(planner, np.random.default_rng(0))
        models = envs.parse("trap"), Target(), Claims(), Estimated()
        model = next(model for model in models if planners.unsupported(planner, model) is None)
        check_planner(planner, np.random.default_rng(0), model)
    else:
        check_planner(planner, np.random.default_rng(0))


@dataclass(frozen=True)
class Careless:
    """The random planner with one fault."""

    fault: str

    def plan(self, model, state, budget, rng, root_actions=None):
        if self.fault != "accepts anything":
            check_plan(self, model, state, budget, rng)
        else:
            rng = np.random.default_rng(rng)
            budget = planners.Budget(simulations=5)
        decision = planners.make("random").plan(model, state, budget, rng, root_actions)
        match self.fault:
            case "outside":
                return replace(decision, action=model.action_high + 1.0)
            case "nan":
                return replace(decision, action=np.full(1, np.nan))
            case "own randomness":
                return replace(decision, action=np.random.default_rng().uniform(-1.0, 1.0, 1))
            case "moves the state":
                state[0] += 1.0
            case "too many":
                return replace(decision, simulations=1_000)
            case "root actions":
                return replace(decision, action=np.array([0.123]))
            case "shapes":
                return replace(decision, visits=np.zeros(7, np.int64))
            case "late" if budget.seconds is not None:
                time.sleep(0.2)  # and says nothing of it in its decision
            case "no decision":
                return decision.action
        return decision


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("outside", "action=.*within"),
        ("nan", "action=.*within"),
        ("own randomness", "action=.*again"),
        ("moves the state", "state=.*left as it was"),
        ("too many", "simulations=1000.*whole number from 0 to 1"),
        ("root actions", "action=.*one of root_actions"),
        ("shapes", "actions, visits and values=.*must be"),
        ("late", "seconds=.*near the budget"),
        ("no decision", "must be a planners.Decision"),
        ("accepts anything", "plan.. with .*accepted"),
    ],
)
def test_it_names_the_fault(fault, words, monkeypatch, few):
    if fault == "late":
        monkeypatch.setattr(checks, "GRACE", 0.05)
    with pytest.raises(ValueError, match=words):
        check_planner(Careless(fault), np.random.default_rng(0))


@dataclass(frozen=True)
class Remembering:
    """A planner whose later decisions, or first ones, differ from those of `plan`."""

    fault: str
    memory: float = 0.0
    played: ClassVar[list[int]] = []

    def plan(self, model, state, budget, rng, root_actions=None):
        return planners.make("random").plan(model, state, budget, rng, root_actions)

    def begin_episode(self, model):
        steps = self.played if self.fault == "goes on with the last episode" else []

        def plan(state, budget, rng, root_actions=None):
            steps.append(1)
            wrong = {"none": 9, "remembers": 2, "remembers before it learned": 1, "goes on with the last episode": 5}
            decision = self.plan(model, state, budget, rng, root_actions)
            late = len(steps) >= wrong[self.fault]
            return replace(decision, action=decision.action / 2.0) if late else decision

        return SimpleNamespace(plan=plan)


@pytest.mark.parametrize(
    ("fault", "memory", "words"),
    [
        ("remembers", 0.0, "actions=.*same by plan.. and begin_episode"),
        ("remembers before it learned", 0.0, "actions=.*same by plan.. and begin_episode"),
        ("remembers before it learned", 0.5, "actions=.*same by plan.. and begin_episode"),
        ("goes on with the last episode", 0.5, "actions=.*again"),
    ],
)
def test_it_names_the_fault_of_a_memory(fault, memory, words, few):
    with pytest.raises(ValueError, match=words):
        check_planner(Remembering(fault, memory), np.random.default_rng(0))


def test_it_passes_a_memory_in_its_place(few):
    check_planner(Remembering("none"), np.random.default_rng(0))
    check_planner(Remembering("remembers", memory=0.5), np.random.default_rng(0))


def test_a_planner_is_pickled_and_compared():
    class Local:
        def plan(self, model, state, budget, rng, root_actions=None):
            raise NotImplementedError

    with pytest.raises(ValueError, match="cannot be pickled"):
        check_planner(Local(), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"plan=.*a method"):
        check_planner(object(), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"an instance: pass Careless\(\)"):
        check_planner(Careless, np.random.default_rng(0))
