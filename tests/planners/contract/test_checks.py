"""Each broken promise ends the long check in one line that names the planner and what it did."""

import re
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import ClassVar

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.contract import apart
from bonspiel.planners.contract.apart import check_contract
from bonspiel.planners.contract.checks import ContractCheck
from bonspiel.planners.contract.counting import counting
from bonspiel.planners.contract.decisions import BrokenContract
from bonspiel.planners.planner import check_plan
from bonspiel.planners.testing import Walk, check_planner
from tests.planners.contract import faulty

FAULTS = {
    faulty.GlobalDraw: "state of numpy.random='changed'",
    faulty.GlobalSeed: "state of numpy.random='changed'",
    faulty.OwnDraw: "action=.* again, since seed, state and budget are the same",
    faulty.Counts: "action=.* again, since seed, state and budget are the same",
    faulty.SharedAction: "action=.* a new array in every decision",
    faulty.ActionOfModel: "action=.* a new array in every decision",
    faulty.ManySteps: "model steps=20000: must be at most",
    faulty.ThriceTheSteps: "model steps=[0-9]+: must be at most",
    faulty.FewSimulations: "simulations=1: must be the number made: [0-9]+ model steps are more than their [0-9]+",
    faulty.LooksUp: "draws from rng='another number': must be the same number again",
    faulty.Late: "seconds=0.4[0-9]*: must be near the budget of 0.05 s",
    faulty.Keeps: "memory kept of each decision='1.5 MB'",
    faulty.Prints: "standard output='thinking about",
    faulty.Fails: "plan.. raised AttributeError: .* in .*faulty.py, line [0-9]+: return self.no_such",
    faulty.FailsElsewhere: "plan.. raised KeyError: 'boom' in",
    faulty.FailsLater: "plan.. raised KeyError: 'boom' in",
    faulty.Leaves: "plan.. raised SystemExit: 3 in",
    faulty.InPlace: "state=.*left as it was",
}


BRIEFLY = faulty.OwnDraw, faulty.ManySteps, faulty.Fails


@pytest.mark.parametrize(
    ("cls", "is_brief"),
    [*((cls, False) for cls in FAULTS), *((cls, True) for cls in BRIEFLY)],
    ids=lambda given: getattr(given, "__name__", "brief" if given else "whole"),
)
def test_each_fault_is_named(cls, is_brief):
    model = envs.make_model("double_integrator") if is_brief else Walk()
    with pytest.raises(BrokenContract, match=f"^my:P breaks the contract of planners: .*{FAULTS[cls]}") as caught:
        ContractCheck(cls(), model, 0, "my:P", is_brief).run()
    assert "\n" not in str(caught.value)


def test_twice_the_steps_are_found_in_episodes_of_two():
    with pytest.raises(BrokenContract, match=r"model steps=[0-9]+: must be at most"):
        ContractCheck(faulty.TwiceTheSteps(), envs.make_model("trap"), 0).run()


@pytest.mark.parametrize("is_brief", [False, True])
def test_a_right_planner_passes(is_brief):
    for model in (Walk(), envs.make_model("double_integrator")):
        ContractCheck(faulty.Right(), model, 0, is_brief=is_brief).run()


def test_what_the_model_does_is_no_fault_of_the_planner():
    class Noisy(Walk):
        kept: ClassVar[list] = []

        def step(self, *given):
            print("a step")
            np.random.random()  # noqa: NPY002
            self.kept.append(np.ones(50_000))
            return super().step(*given)

    ContractCheck(planners.make("random_shooting"), Noisy(), 0, is_brief=True).run()


def test_a_planner_that_takes_no_step_but_the_compiled_one_passes():
    class Compiles(faulty.Right):
        def act(self, model, state, rng):
            if isinstance(model.step, FunctionType):
                raise TypeError("cannot compile a call of a Python function")
            return super().act(model, state, rng)

    ContractCheck(Compiles(), envs.make_model("double_integrator"), 0, is_brief=True).run()


def test_steps_of_searches_and_of_python_are_counted():
    rng = np.random.default_rng(0)
    for model in (envs.Trap(), Walk()):
        counted, counter = counting(model)
        state = model.initial_state(rng)
        planners.make("random_shooting").plan(counted, state, planners.Budget(simulations=30), rng)
        before = counter.steps
        assert 30 <= before <= 30 * (1 + model.horizon)
        counted.step(state, np.zeros(1), np.empty_like(state), counted.params, rng)
        assert (
            counter.steps == before + 1
            and not hasattr(counted.step, "py_func")
            and type(counted).__name__ == type(model).__name__
        )
        assert "step_counter" not in vars(model)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (faulty.Exits, r"its process ended \(exit status 3\)"),
        (faulty.Crashes, r"its process ended \(signal 11\)"),
        (faulty.Hangs, "decision 1, of 1 simulation: is not made within 1 s"),
        (faulty.Spins, "decision 1, of 1 simulation: is not made within 1 s"),
    ],
)
def test_a_planner_that_ends_its_process_or_hangs_is_named(cls, words, monkeypatch):
    monkeypatch.setattr(apart, "INTERVAL", 0.05)
    with pytest.raises(BrokenContract, match=f"my:P breaks the contract of planners: .*{words}"):
        check_contract("my:P", lambda: (cls(), Walk()), 0, patience=1.0)


def test_a_fault_that_is_found_in_a_process_of_its_own_is_the_same_line():
    with pytest.raises(BrokenContract, match=r"^InPlace breaks the contract of planners: state=.*left as it was"):
        check_planner(faulty.InPlace(), np.random.default_rng(0))


def test_what_cannot_be_sent_to_a_process_is_checked_here(monkeypatch):
    class Unsent(Walk):
        def __reduce__(self):
            raise TypeError("holds a socket")

    with pytest.raises(BrokenContract, match=r"state=.*left as it was"):
        check_contract("my:P", lambda: (faulty.InPlace(), Unsent()), 0)
    monkeypatch.setattr(apart.sys, "executable", "/no/such/python")
    with pytest.raises(BrokenContract, match=r"state=.*left as it was"):
        check_contract("my:P", lambda: (faulty.InPlace(), Walk()), 0)


def test_a_script_without_a_guard_may_check_its_planner(tmp_path, start):
    script = tmp_path / "mine.py"
    text = Path(faulty.__file__).read_text(encoding="utf-8")
    call = "from bonspiel.planners.testing import check_planner\ncheck_planner({}(), np.random.default_rng(0))"
    script.write_text(f"{text}\n{call.format('Right')}\nprint('right')\n{call.format('Exits')}\n", encoding="utf-8")
    status, out, err = start(script)
    assert status == 1 and out == "right\n"
    assert re.search(r"BrokenContract: Exits breaks the contract of planners: .*exit status 3", err.splitlines()[-1])


@pytest.fixture
def start(tmp_path):
    """Run a script of a planner's author: its path -> (status, standard output, standard error)."""
    import subprocess
    import sys

    def call(script):
        line = [sys.executable, script.name]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    return call


def test_a_planner_that_is_not_its_parameters_alone_is_refused():
    with pytest.raises(BrokenContract, match=r"NoParameters breaks .* another one after pickling"):
        check_planner(faulty.NoParameters(), np.random.default_rng(0))


@dataclass(frozen=True)
class Restricted(faulty.Right):
    """Takes `root_actions`, and ignores or changes them."""

    traits = planners.planner.Traits()

    def plan(self, model, state, budget, rng, root_actions=None):
        check_plan(self, model, state, budget, rng)
        return super().plan(model, state, budget, rng)


def test_root_actions_are_kept_to():
    with pytest.raises(BrokenContract, match=r"action=.*one of root_actions"):
        ContractCheck(Restricted(), Walk(), 0).run()
