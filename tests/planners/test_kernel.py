"""The module for authors of searches: every name is described, and the worked example needs no other."""

import ast
import inspect
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import kernel
from tests.planners.tiny_models import python_twin

PAGE = (Path(__file__).parents[2] / "docs/guides/adding-a-planner.md").read_text(encoding="utf-8")
NAMES = [name for name in vars(kernel) if not name.startswith("_")]


def test_each_function_and_class_has_a_docstring():
    found = {name: getattr(getattr(kernel, name), "py_func", getattr(kernel, name)) for name in NAMES}
    described = [name for name, one in found.items() if inspect.isclass(one) or inspect.isfunction(one)]
    assert len(described) > 100
    assert [name for name in described if not (found[name].__doc__ or "").strip().endswith(".")] == []


def test_the_page_imports_what_it_needs_from_here():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    code = "\n".join(re.sub(r"^(>>> |\.\.\. ?)", "", block, flags=re.MULTILINE) for block in blocks if ">>>" in block)
    assert "@search_kernel(" in code
    lines = [line for line in code.split("\n") if line]
    modules = set(re.findall(r"^from (bonspiel[\w.]*) import", "\n".join(lines), re.MULTILINE))
    assert modules <= {"bonspiel", "bonspiel.planners", "bonspiel.planners.kernel"}


def test_no_name_is_taken_from_a_module_that_is_imported_as_a_whole():
    tree = ast.parse(Path(kernel.__file__).read_text(encoding="utf-8"))
    named = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(alias.asname for alias in named) == sorted(NAMES)


class Widened(NamedTuple):
    """Settings of a search of elsewhere, without the number of all actions."""

    selection: kernel.Selection
    k_action: float
    alpha_action: float
    playouts: int


@kernel.model_helper
def draw(tree, walk, problem, node, edge, rng, settings):
    kernel.sample_action(problem, tree.state[node], tree.action[edge], rng)


choose = kernel.widening(draw)


@kernel.search_kernel(kernel.SEARCH_TREE, kernel.TREE_WALK, Widened(kernel.selection_of(1.0), 1.0, 1.0, 1))
def search(tree, walk, problem, simulations, rng, settings):
    return kernel.simulate(tree, walk, problem, simulations, rng, settings, choose, kernel.follow)


@pytest.mark.parametrize("model", [envs.Trap(), python_twin(envs.Trap())], ids=["compiled", "plain"])
def test_a_search_of_elsewhere_widens_as_pw_does(model):
    state, budget, planner = np.zeros(2), planners.Budget(simulations=300), planners.make("pw")
    given = planner.settings(model)
    settings = Widened(*(getattr(given, name) for name in Widened._fields))
    decision = kernel.plan_with_tree(search, settings, model, state, budget, np.random.default_rng(1), None)
    expected = planner.plan(model, state, budget, np.random.default_rng(1))
    np.testing.assert_array_equal(decision.actions, expected.actions)
    np.testing.assert_array_equal(decision.visits, expected.visits)
