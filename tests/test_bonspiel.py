"""The module at the top: scripts in folders that have packages of the same names."""

import subprocess
import sys

import pytest

import bonspiel
from runs import cli

SCRIPT = """
import bonspiel
import gymnasium
print(gymnasium.make("Trap-v0").unwrapped.spec.id)
"""


@pytest.fixture
def run(tmp_path):
    """Run Python in a folder of a user's own: arguments -> (status, output, errors)."""

    def call(*arguments):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    (tmp_path / "script.py").write_text(SCRIPT)
    return call


def package(folder):
    folder.mkdir()
    (folder / "__init__.py").touch()
    return folder


def test_importing_it_registers_the_environments(run):
    assert run("script.py") == (0, "Trap-v0\n", "")


@pytest.mark.parametrize("name", ["planners", "curling", "envs", "runs"])
def test_a_package_of_the_same_name_is_named_in_one_line(run, tmp_path, name):
    place = package(tmp_path / name)
    status, out, err = run("script.py")
    last = err.splitlines()[-1]
    assert (status, out) == (1, "") and last.startswith("ImportError: ") and f"{place} " in last and f"`{name}`" in last
    status, out, err = run("-m", "bonspiel", "--help")
    assert (status, out) == (1, "") and err.count("\n") == 1 and f"{place} " in err


def test_so_is_one_that_was_imported_before_and_a_module(run, tmp_path):
    (tmp_path / "envs.py").touch()
    assert f"{tmp_path / 'envs.py'} " in run("-c", "import envs, bonspiel")[2].splitlines()[-1]


def test_a_folder_of_data_is_no_conflict(run, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "data.csv").touch()
    assert run("script.py") == (0, "Trap-v0\n", "")


def test_run_as_a_program_it_is_the_command_line(run):
    status, out, err = run("-m", "bonspiel", "--help")
    assert (status, err) == (0, "") and out.split()[:2] == ["usage:", cli.parser().prog]


def test_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert version("bonspiel") == bonspiel.__version__
