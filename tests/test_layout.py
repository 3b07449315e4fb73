"""The folders are the architecture: what may import what, and where the four names come from."""

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "planners": {"planners"},
    "curling": {"planners", "curling"},
    "envs": {"planners", "curling", "envs"},
    "runs": {"planners", "curling", "envs", "runs"},
}


@pytest.mark.parametrize("name", ALLOWED)
def test_the_packages_are_this_repository_s(name):
    assert Path(importlib.import_module(name).__file__).is_relative_to(ROOT)


@pytest.mark.parametrize("name", ALLOWED)
def test_imports_point_from_runs_to_planners_and_never_back(name):
    for file in (ROOT / name).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            ours = {module.split(".")[0] for module in modules} & set(ALLOWED)
            assert ours <= ALLOWED[name], f"{file.relative_to(ROOT)} imports {ours - ALLOWED[name]}"


def test_only_one_file_knows_the_compiler():
    users = [
        file
        for name in ALLOWED
        for file in (ROOT / name).rglob("*.py")
        if "import numba" in file.read_text() or "from numba" in file.read_text()
    ]
    assert users == [ROOT / "planners" / "core" / "jit.py"]


def test_tests_are_not_a_package():
    assert not list((ROOT / "tests").rglob("__init__.py"))
