"""The folders are the architecture: which package may import which, and where their names come from."""

import ast
import importlib
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "planners": {"planners"},
    "curling": {"planners", "curling"},
    "envs": {"planners", "curling", "envs"},
    "runs": {"planners", "curling", "envs", "runs", "bonspiel"},
    "bonspiel": {"envs", "runs"},
}


def files(name):
    """The modules of a package, or the one module of this name."""
    return [ROOT / f"{name}.py"] if name == "bonspiel" else list((ROOT / name).rglob("*.py"))


@pytest.mark.parametrize("name", ALLOWED)
def test_the_packages_and_the_module_are_ours(name):
    assert Path(importlib.import_module(name).__file__).is_relative_to(ROOT)


@pytest.mark.parametrize("name", ALLOWED)
def test_imports_point_from_runs_to_planners_and_never_back(name):
    for file in files(name):
        for node in ast.walk(ast.parse(file.read_text())):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            ours = {module.split(".")[0] for module in modules} & set(ALLOWED)
            assert ours <= ALLOWED[name], f"{file.relative_to(ROOT)} imports {ours - ALLOWED[name]}"


def imports(file):
    """The modules of this repository that a file imports anywhere, with the names taken from packages."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_the_general_wing_of_runs_knows_curling_only_where_verbs_are_composed():
    allowed = {
        "runs/cli.py": r"runs\.curling\.verbs",
        "runs/reporting/page.py": r"curling\.replay(\.template)?$",  # HTML helpers
    }
    for file in files("runs"):
        name = file.relative_to(ROOT).as_posix()
        curling = {module for module in imports(file) if re.match(r"(runs\.)?curling\b", module)}
        unexpected = [module for module in curling if not re.match(allowed.get(name, "$"), module)]
        assert not unexpected or name.startswith("runs/curling/"), f"{name} imports {unexpected}"


def test_no_modules_of_runs_import_each_other_in_a_circle():
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files("runs")}
    graph = {name: imports(file) & modules.keys() for name, file in modules.items()}
    TopologicalSorter(graph).prepare()  # a CycleError names the circle


def test_only_two_files_know_the_compiler():
    users = [
        file
        for name in ALLOWED
        for file in files(name)
        if "import numba" in file.read_text() or "from numba" in file.read_text()
    ]
    assert sorted(users) == [ROOT / "planners" / "core" / name for name in ("atomics.py", "jit.py")]


def test_every_package_says_that_it_is_typed():
    assert all((ROOT / name / "py.typed").exists() for name in ALLOWED if (ROOT / name).is_dir())


def test_tests_are_not_a_package():
    assert not list((ROOT / "tests").rglob("__init__.py"))
