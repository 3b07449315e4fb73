"""The folders are the architecture: which package may import which, and where their names come from."""

import ast
import importlib
import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "planners": {"planners"},
    "envs": {"planners", "envs"},
    "runs": {"planners", "envs", "runs"},
    "curling": {"planners", "envs", "runs", "curling"},
    "go": {"planners", "envs", "runs", "go"},
}
CORE = ("planners", "envs", "runs")


def files(name):
    """The modules of a package."""
    return list((ROOT / name).rglob("*.py"))


def module(file):
    """The name of a file's module."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(("bonspiel", *parts) if parts[0] in ALLOWED else parts).removesuffix(".__init__")


@pytest.mark.parametrize("name", ALLOWED)
def test_the_packages_are_those_of_this_checkout(name):
    assert Path(importlib.import_module(f"bonspiel.{name}").__file__).resolve() == ROOT / name / "__init__.py"


@pytest.mark.parametrize("name", ALLOWED)
def test_a_package_is_not_imported_by_its_short_name_from_the_root_of_the_checkout(name):
    with pytest.raises(ImportError, match=rf"import bonspiel\.{name}, not {name}$"):
        importlib.import_module(name)


@pytest.mark.parametrize("name", ALLOWED)
def test_imports_point_from_runs_to_planners_and_never_back(name):
    for file in files(name):
        packages = {module.split(".")[1] for module in imports(file) if module.startswith("bonspiel.")}
        assert packages & ALLOWED.keys() <= ALLOWED[name], f"{file.relative_to(ROOT)} imports {packages}"


def imports(file):
    """The modules of this repository that a file imports anywhere, with the names taken from packages."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("name", CORE)
def test_the_core_knows_no_game_not_even_as_text(name):
    texts = {file: file.read_text() for ending in ("py", "toml") for file in (ROOT / name).rglob(f"*.{ending}")}
    named = re.compile(r".*(?i:curling|tsumego|bonspiel\.go\b).*")
    found = {str(file.relative_to(ROOT)): named.findall(text) for file, text in texts.items()}
    assert {file: lines for file, lines in found.items() if lines} == {}


def modules():
    """The modules of the packages and of `bonspiel` itself, by name."""
    return {module(file): file for name in ("bonspiel", *ALLOWED) for file in files(name)}


def imported(file, known):
    """The modules among `known` that a file imports anywhere, for types too."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            places = ((f"{node.module}.{alias.name}", node.module) for alias in node.names)
            found |= {place if place in known else package for place, package in places}
    return found & known.keys()


def test_no_modules_import_each_other_in_a_circle():
    known = modules()
    assert {"bonspiel", "bonspiel.planners.core.search", "bonspiel.runs.cli"} <= known.keys()
    graph = {name: imported(file, known) - {name} for name, file in known.items()}
    TopologicalSorter(graph).prepare()  # a CycleError names the circle


def circles(known, inside=""):
    """The circles among what lies in each folder below `inside`: its folders, with all that is in them, and files."""
    inner = {name.removeprefix(inside).partition(".")[0] for name in known if name.startswith(inside)}
    graph = {name: set() for name in inner}
    for name, file in known.items():
        if name.startswith(inside):
            here = name.removeprefix(inside).partition(".")[0]
            there = (other for other in imported(file, known) if other.startswith(inside))
            graph[here] |= {other.removeprefix(inside).partition(".")[0] for other in there} - {here}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield inside, error.args[1]
    for folder in inner:
        if f"{inside}{folder}." in "".join(known):
            yield from circles(known, f"{inside}{folder}.")


@pytest.mark.parametrize("name", ALLOWED)
def test_no_folders_import_each_other_in_a_circle(name):
    assert list(circles(modules(), f"bonspiel.{name}.")) == []


def test_a_circle_of_folders_is_found(tmp_path):
    texts = {"a.one": "from bonspiel.x.b import one", "b.one": "", "b.two": "import bonspiel.x.a.two", "a.two": ""}
    known = {f"bonspiel.x.{name}": tmp_path / f"{name}.py" for name in texts}
    for place, text in zip(known.values(), texts.values(), strict=True):
        place.write_text(text)
    assert [(inside, set(circle)) for inside, circle in circles(known, "bonspiel.x.")] == [("bonspiel.x.", {"a", "b"})]
    known["bonspiel.x.b.two"].write_text("")
    assert list(circles(known, "bonspiel.x.")) == []


def test_one_folder_knows_the_compiler():
    users = {
        file.parent
        for name in ALLOWED
        for file in files(name)
        if "import numba" in file.read_text() or "from numba" in file.read_text()
    }
    assert users == {ROOT / "planners" / "core" / "jit"}


def test_files_and_folders_can_be_read_at_one_sitting():
    everything = [file for name in ALLOWED for file in files(name)]
    lengths = {str(file.relative_to(ROOT)): file.read_text().count("\n") for file in everything}
    assert {name: length for name, length in lengths.items() if length > 400} == {}
    widths = Counter(str(file.parent.relative_to(ROOT)) for file in everything)
    assert {folder: width for folder, width in widths.items() if width > 25} == {}


def test_the_page_on_the_architecture_has_the_sentence_of_every_package_and_every_folder_has_one():
    sentences = {folder: sentence(folder) for folder in {file.parent for name in ALLOWED for file in files(name)}}
    rows = [f"| `{name}/` | {sentences[ROOT / name]} |" for name in ALLOWED]
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert rows == [row for row in page.partition("\n## ")[0].splitlines() if row.startswith("| `")]


def sentence(folder):
    """The first line of the docstring of a folder's `__init__`."""
    line = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())).splitlines()[0]
    assert line.endswith(".")
    return line


def test_the_picture_of_the_architecture_names_files_and_folders_that_exist():
    picture = (ROOT / "docs" / "architecture.svg").read_text()
    places = re.findall(r'class="f"[^>]*>([^<]+)<', picture)
    assert len(places) > 15 and not [place for place in places if not (ROOT / place).exists()]


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "bonspiel" / "py.typed").exists()


def test_tests_are_not_a_package():
    assert not list((ROOT / "tests").rglob("__init__.py"))
