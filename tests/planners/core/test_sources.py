"""Code by its sources: what of it is compiled anew, and which package a mistake is of."""

import ast
import shutil
import sys
from pathlib import Path

import pytest

from bonspiel.extensions import Extension
from bonspiel.planners import REGISTRY, registry
from bonspiel.planners.core import jit
from bonspiel.planners.core.code import packages, sources

COMPUTING = sorted({*sources.packages()} - {sources.NOT_COMPUTING})
# folders of guests that compute nothing that a search or an episode depends on
APART = "analysis arena client env game logs people play protocols regret replay server verbs"
NETWORK = {file.parent for name in APART.split() for file in (sources.ROOT / "curling" / name).rglob("*.py")}
NETWORK |= {sources.ROOT / "go" / "games"}


@pytest.fixture
def tree(tmp_path):
    """A copy of the packages that nothing is imported from."""
    for name in COMPUTING:
        shutil.copytree(sources.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def digest(tree):
    sources.digest.cache_clear()
    return sources.digest(sources.find_folders(tree))


def imports(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_the_digest_follows_the_content_of_sources_and_data(tmp_path):
    def digest():
        sources.digest.cache_clear()
        return sources.digest((tmp_path / "folder", tmp_path / "file.py"))

    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1")
    (tmp_path / "file.py").write_text("y = 1")
    first = digest()
    (folder / "notes.txt").write_text("nothing that runs")
    assert digest() == first
    seen = {first}
    for file, text in (
        ("folder/a.py", "x = 2"),
        ("file.py", "y = 2"),
        ("folder/table.json", "[1]"),
        ("folder/table.json", "[2]"),
    ):
        (tmp_path / file).write_text(text)
        seen.add(digest())
    assert len(seen) == 5


def test_an_edit_in_the_network_packages_recompiles_nothing(tree):
    before = digest(tree)
    for folder in NETWORK:
        for file in (tree / folder.relative_to(sources.ROOT)).glob("*.*"):
            file.write_text(file.read_text() + "\n# edited\n")
    assert digest(tree) == before == sources.digest(sources.folders())


def test_every_other_folder_is_found_and_its_modules_and_data_change_the_digest(tree):
    folders = {file.parent for name in COMPUTING for file in (sources.ROOT / name).rglob("*.py")} - NETWORK
    assert set(sources.folders()) == folders
    found = sources.find_folders(tree)  # which no edit below changes
    seen = {sources.digest(found)}
    data = [*tree.glob("curling/players/*.json")]
    assert data or "curling" not in sources.packages()
    edited = data + [next((tree / folder.relative_to(sources.ROOT)).glob("*.py")) for folder in folders]
    for file in edited:
        file.write_text(file.read_text() + "\n# edited\n")
        sources.digest.cache_clear()
        seen.add(sources.digest(found))
    assert len(seen) == 1 + len(edited)


@pytest.mark.parametrize(
    "line",
    [
        "from bonspiel.planners.jit import kernel",
        "from bonspiel.planners import jit",
        "import bonspiel.planners.jit as compiler",
    ],
)
def test_a_new_folder_is_found_by_its_import_of_the_compiler(tree, line):
    new = tree / "envs" / "new" / "deep"
    new.mkdir(parents=True)
    (new / "model.py").write_text(f"def f():\n    {line}\n")
    assert new in sources.find_folders(tree)


@pytest.mark.parametrize(
    "line",
    [
        "from bonspiel.envs.new import table",
        "from bonspiel.envs import (\n    base,\n    new,\n)",
        'NAMES = {"new": "bonspiel.envs.new.table:Table"}',
    ],
)
def test_a_new_folder_is_found_by_what_imports_or_registers_it(tree, line):
    new = tree / "envs" / "new"
    new.mkdir()
    (new / "table.py").touch()
    assert new not in sources.find_folders(tree)
    model = tree / "envs" / "trap" / "model.py"
    model.write_text(model.read_text() + line)
    assert new in sources.find_folders(tree)


def test_no_module_of_the_digest_imports_one_that_is_not():
    names = tuple(f"{sources.PREFIX}{'.'.join(folder.relative_to(sources.ROOT).parts)}." for folder in NETWORK)
    for folder in sources.folders():
        for file in folder.glob("*.py"):
            assert not any(f"{name}.".startswith(names) for name in imports(file)), file


def test_every_data_file_of_the_digest_s_folders_is_read():
    found = {file.suffix for folder in sources.folders() for file in folder.glob("*.*")}
    assert found == (set(sources.SUFFIXES) if "curling" in sources.packages() else {".py"})


def test_compiled_code_depends_on_what_its_module_imports_and_on_nothing_else():
    root = sources.ROOT
    found = set(sources.imports_of(root / "planners/trees/dpw.py"))
    needed = ("trees/dpw.py", "core/tree/backup.py", "core/hash_table.py", "core/jit/calls.py", "model.py")
    assert found >= {root / "planners" / name for name in needed}
    assert not found & {root / "planners" / name for name in ("trees/uct.py", "__init__.py")}


def test_compiled_code_depends_on_data_beside_it():
    pytest.importorskip("bonspiel.curling")
    players = sources.ROOT / "curling" / "players"
    assert players / "static.json" in sources.imports_of(players / "static.py")


def test_no_registry_of_this_project_compiles_anything():
    for package in COMPUTING:
        for file in {*(sources.ROOT / package).rglob("__init__.py")} - {Path(jit.__file__).resolve()}:
            assert not any(name.startswith(tuple(sources.COMPILER)) for name in imports(file)), file


@pytest.mark.parametrize(
    "line", ["from parts import factor", "import own.parts", "from own.parts import factor", "from . import parts"]
)
def test_a_module_of_another_project_depends_on_its_neighbours(tmp_path, line):
    package = tmp_path / "own"
    package.mkdir()
    for name in ("__init__", "parts", "unused"):
        (package / f"{name}.py").touch()
    (package / "model.py").write_text(f"{line}\n")
    found = sources.imports_of(package / "model.py")
    assert {file.stem for file in found} >= {"model", "parts"}
    assert package / "unused.py" not in found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, from which the checkout's own folders are not importable: bonspiel is installed."""
    monkeypatch.chdir(tmp_path)
    elsewhere = [place for place in sys.path if Path(place).resolve() != sources.ROOT]
    monkeypatch.setattr(sys, "path", elsewhere)
    return tmp_path


def test_import_names_of_version_0_1_are_answered_by_those_of_now(folder):
    with pytest.raises(ValueError, match=r"write bonspiel\.planners\.dpw$"):
        packages.load("planners.dpw:DPW")
    (folder / "older.py").write_text("from planners.base import Decision\n")
    with pytest.raises(ValueError, match=r"in older.py, line 1: from .*; import names .* write bonspiel\.planners$"):
        packages.load("older:Mine")


def test_a_module_missing_in_a_package_of_the_users_own_gets_no_such_advice(folder):
    (folder / "planners").mkdir()
    (folder / "planners" / "__init__.py").touch()
    with pytest.raises(ValueError, match=r"planners.mine cannot be imported .*run where its file is$"):
        packages.load("planners.mine:Mine")


def test_a_name_that_two_packages_add_is_refused_with_both_and_the_remedy(monkeypatch):
    added = (Extension("first:Mine", "first 1.0"), Extension("second:Mine", "second 2.0"))
    monkeypatch.setattr(registry, "extensions", lambda group: {"mine": added})
    words = r"planner 'mine' is added by first 1.0 \(first:Mine\) and second 2.0 \(second:Mine\): write it as module"
    with pytest.raises(ValueError, match=words):
        REGISTRY.place("mine")


def test_an_entry_point_that_cannot_be_loaded_is_named_with_its_package():
    with pytest.raises(ValueError, match=r"^json has no 'nothing' \(an entry point of mine 1.0\)$"):
        Extension("json:nothing", "mine 1.0").load()
    assert Extension("json:loads", "mine 1.0").load()("1") == 1
