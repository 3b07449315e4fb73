"""An installed package adds a planner, an environment and a suite by entry points."""

import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest

from bonspiel.planners.core.code import sources
from bonspiel.runs.results.store import read

PACKAGE = Path(__file__).parents[1] / "example_package"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python of a fresh environment with the example package beside what this one has."""
    folder = tmp_path_factory.mktemp("fresh")
    shutil.copytree(PACKAGE, folder / "package")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (place,) = (folder / "venv").glob("lib/python*/site-packages")
    (place / "bonspiel.pth").write_text("\n".join([str(sources.ROOT), *site.getsitepackages()]))
    python = folder / "venv" / "bin" / "python"
    install = ["pip", "--python", python, "install", "--quiet", "--no-deps", "--no-build-isolation", folder / "package"]
    subprocess.run([sys.executable, "-m", *install], check=True)
    return python


@pytest.fixture
def bonspiel(python, tmp_path):
    def call(*line):
        command = [python, "-m", "bonspiel", *line]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return call


def test_its_parts_are_listed_with_the_package_and_its_version(bonspiel):
    status, out, _ = bonspiel("list")
    assert status == 0
    assert "planners of example-planning 1.2" in out and "environments of example-planning 1.2" in out
    assert "middle         share=0.5" in out and "slope          steps=3" in out and "A slope, by two planners" in out
    assert "unusable: example_planning.nowhere cannot be imported" in out


def test_its_suite_is_run_and_its_version_is_recorded(bonspiel, tmp_path):
    status, out, err = bonspiel("run", "slopes", "--out", "x", "--jobs", "1")
    assert status == 0, err
    assert "0.500" in out  # two steps that earn a quarter each
    with read(tmp_path / "x") as store:
        assert "sources" not in store.resolved["dpw"]
        assert "(example_planning.planner: example_planning 1.2, sources " in store.resolved["middle:share=0.25"]


WRONG = {
    "broken": "example_planning.nowhere cannot be imported (ModuleNotFoundError",
    "number": "example_planning.planner:NUMBER gives no planner",
    "example_planning.model:Slope": "gives no planner: Slope has no `plan`",
    "middle:shore=1": "unknown parameter of middle 'shore'. Did you mean 'share'?",
    "midle": "unknown planner 'midle'. Did you mean 'middle'?",
}


def test_each_mistake_is_answered_in_a_line(python, tmp_path):
    code = """if True:
        import sys
        from bonspiel.runs.cli import main
        for planner in sys.argv[1:]:
            assert main(["run", "slope", "--planner", planner, "--budget", "10", "--episodes", "1"]) == 2
    """
    done = subprocess.run([python, "-c", code, *WRONG], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for line, words in zip(done.stderr.splitlines(), WRONG.values(), strict=True):
        assert words in line
