"""The adapters in docs/examples keep the contract of planners; skipped without the packages that they adapt."""

import importlib
import re
import sys

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.code import sources
from bonspiel.planners.testing import check_planner
from tests.planners.tiny_models import python_twin

EXAMPLES = sources.ROOT / "docs/examples"
PAGE = (sources.ROOT / "docs/guides/adding-a-planner.md").read_text(encoding="utf-8")
NEEDS = {"torch_mppi": "pytorch_mppi", "pomdp_uct": "pomdp_py"}
PLANNERS = {"torch_mppi": "torch_mppi:TorchMPPI:temperature=0.03", "pomdp_uct": "pomdp_uct:PomdpUCT:n_actions=16"}


@pytest.fixture(params=NEEDS)
def planner(request, monkeypatch):
    pytest.importorskip(NEEDS[request.param])
    monkeypatch.syspath_prepend(EXAMPLES)
    importlib.invalidate_caches()
    yield planners.parse(PLANNERS[request.param])
    sys.modules.pop(request.param, None)


def test_every_adapter_is_tested_and_named_on_the_page():
    assert sorted(file.stem for file in EXAMPLES.glob("*.py")) == sorted(NEEDS) == sorted(PLANNERS)
    for name in NEEDS:
        file = EXAMPLES / f"{name}.py"
        compile(file.read_text(encoding="utf-8"), file, "exec")
        assert f"../examples/{name}.py" in PAGE
        assert re.search(rf"--planner {name}:\w+", PAGE)


@pytest.mark.parametrize("model", [None, envs.Trap(), python_twin(envs.Trap())], ids=["steps", "compiled", "python"])
def test_an_adapter_keeps_the_contract(planner, model):
    check_planner(planner, np.random.default_rng(0), model)


def test_an_adapter_finds_the_way_across_the_trap(planner):
    decision = planner.plan(envs.Trap(), np.array([0.9, 1.0]), Budget(simulations=400), np.random.default_rng(0))
    assert decision.action[0] > 0.8 and decision.simulations == 400  # which crosses it whatever the noise


def returns_of(planner, state):
    """The mean returns of the actions in mountain_car, or those of all sequences of MPPI, which has no values."""
    search = planners.begin_episode(planner, envs.make_model("mountain_car"))
    values = search.plan(np.array(state), Budget(simulations=100), np.random.default_rng(0)).values
    return -search.controller.cost_total.numpy() if hasattr(search, "controller") else values


def test_an_episode_that_ends_in_a_simulation_earns_nothing_more(planner):
    assert 99.0 < np.nanmax(returns_of(planner, [0.449, 0.07, 0.0])) <= 100.0


def test_a_plan_ends_with_the_episode(planner):
    assert -0.1 <= np.nanmin(returns_of(planner, [-0.5, 0.0, 998.0])) < -0.08  # one step of almost full force
