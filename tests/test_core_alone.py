"""A copy of the project without its guests, curling/ and go/, is a whole bench."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
IMPORT_ALL = """import importlib, pkgutil, warnings
warnings.simplefilter("ignore")
import bonspiel
count = 0
for found in pkgutil.walk_packages(bonspiel.__path__, "bonspiel."):
    if found.name.rpartition(".")[2] not in ("backend_dask", "backend_ray", "__main__"):
        importlib.import_module(found.name)
        count += 1
print(count)"""


@pytest.fixture(scope="module")
def alone():
    """A function that runs Python in the copy: arguments -> standard output; it must succeed."""
    made = subprocess.run([ROOT / ".ci/core-alone", sys.executable], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    copy = Path(made.stdout.strip())

    def call(*arguments):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
        return done.stdout

    return call


def test_every_module_is_imported(alone):
    assert int(alone("-c", IMPORT_ALL)) > 250


def test_it_lists_runs_and_reports(alone, tmp_path):
    listed = alone("-m", "bonspiel", "list")
    assert "\n  dpw " in listed and "curling" not in listed and "\n  trap " in listed
    given = "trap", "--planner", "dpw", "--budget", "10", "--episodes", "3", "--jobs", "1", "--out", tmp_path / "run"
    assert "dpw" in alone("-m", "bonspiel", "run", *given)
    assert "report.html" in alone("-m", "bonspiel", "report", tmp_path / "run")


def test_its_tests_need_no_guest_to_be_collected(alone):
    assert " tests collected" in alone("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests")
