"""The module for authors of searches: every name is described, and the worked example needs no other."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from bonspiel.planners import kernel

PAGE = (Path(__file__).parents[2] / "docs/guides/adding-a-planner.md").read_text(encoding="utf-8")
NAMES = [name for name in vars(kernel) if not name.startswith("_")]


@pytest.mark.parametrize("name", [name for name in NAMES if callable(getattr(kernel, name))])
def test_each_function_and_class_has_a_docstring(name):
    found = getattr(kernel, name)
    if inspect.isclass(found) or inspect.isfunction(found) or hasattr(found, "py_func"):
        assert getattr(found, "py_func", found).__doc__.strip().endswith(".")


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
