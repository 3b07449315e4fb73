"""The package at the top: what importing it does, and that nobody's folders stand in its way."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import bonspiel
from bonspiel.runs import cli

ROOT = Path(__file__).parents[1]
FOREIGN = ("curling", "envs", "planners", "runs")


@pytest.fixture
def run(tmp_path):
    """Run Python in a folder of a user's own, which has packages of the names of ours: arguments -> output."""
    for name in FOREIGN:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"MINE = {name!r}\n")

    def call(*arguments):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        return done.stdout

    return call


@pytest.mark.parametrize(
    "imports",
    [
        "bonspiel, gymnasium",
        "gymnasium, bonspiel",
        "gymnasium; import bonspiel.envs",
        "bonspiel, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium",
    ],
)
def test_importing_it_before_or_after_gymnasium_registers_the_environments(run, imports):
    assert run("-c", f"import {imports}; print(gymnasium.make('Trap-v0').unwrapped.spec.id)") == "Trap-v0\n"


def test_gymnasium_imports_it_by_the_name_before_a_colon(run):
    assert run("-c", "import gymnasium; print(gymnasium.make('bonspiel:Go-v0').spec.id)") == "Go-v0\n"


def test_packages_of_the_same_names_in_a_users_folder_are_the_users(run):
    modules = ", ".join(f"{name}, bonspiel.{name}" for name in FOREIGN)
    assert run("-c", f"import {modules}; print({', '.join(f'{name}.MINE' for name in FOREIGN)})").split() == [*FOREIGN]


@pytest.mark.parametrize("module", ["bonspiel", "bonspiel.runs.cli"])
def test_importing_it_loads_neither_numpy_nor_gymnasium(run, module):
    assert run("-c", f"import sys, {module}; print({{'numpy', 'gymnasium'}} & {{*sys.modules}})") == "set()\n"


def test_planners_load_neither_gymnasium_nor_environments(run):
    heavy = "{'gymnasium', 'bonspiel.envs', 'bonspiel.curling'}"
    assert run("-c", f"import sys, bonspiel.planners; print({heavy} & {{*sys.modules}})") == "set()\n"


def test_environments_load_no_player_of_a_game_until_it_is_asked_for(run):
    loaded = "[name for name in sys.modules if name.startswith(('bonspiel.curling', 'bonspiel.go'))]"
    made = "type(planners.make('rulebased')).__module__ in sys.modules"
    code = f"import sys; from bonspiel import envs, planners; print({loaded}, {made})"
    assert run("-c", code) == "[] True\n"


WITHOUT_BOX2D = """
import importlib, pkgutil, sys
sys.modules["Box2D"] = None
import bonspiel, gymnasium
from bonspiel import curling, envs
missing = []
for module in pkgutil.walk_packages(bonspiel.__path__, "bonspiel."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            missing.append(module.name)
for env_id in envs.IDS:
    gymnasium.make(env_id)
try:
    curling.make_engine("box2d")
except ImportError as error:
    print(*missing, error)
"""


def test_without_box2d_as_on_the_newest_python_all_but_that_engine_works(run):
    needing = "bonspiel.curling.box2d_model bonspiel.curling.ice.engines.box2d"
    assert run("-c", WITHOUT_BOX2D).startswith(f"{needing} the engine box2d needs the package box2d")


def test_run_as_a_program_it_is_the_command_line(run):
    assert run("-m", "bonspiel", "--help").split()[:2] == ["usage:", cli.parser().prog]


def test_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert version("bonspiel") == bonspiel.__version__


def test_the_citation_and_the_changelog_name_this_version():
    citation, changelog = ((ROOT / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "CHANGELOG.md"))
    assert f"\nversion: {bonspiel.__version__}\n" in citation
    released, dev, _ = bonspiel.__version__.partition(".dev")
    when = "unreleased" if dev else r"\d{4}-\d\d-\d\d"
    assert re.search(rf"^## {re.escape(released)} \({when}\)$", changelog, re.MULTILINE)
    assert bool(dev) != ("date-released" in citation)


def test_no_version_of_the_changelog_has_a_heading_twice():
    for version in re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE):
        headings = re.findall("^### .*", version, re.MULTILINE)
        assert len(headings) == len(set(headings)), version.partition("\n")[0]
