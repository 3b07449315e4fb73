"""The examples of docs/guides/adding-a-planner.md change a copy of the packages as the page shows, and run."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guides/adding-a-planner.md").read_text(encoding="utf-8")
# Interpreted but for the first, as the kernels of a changed score would each be compiled for this test alone.
PLAN = """
import json, numpy
from bonspiel import envs, planners
from tests.planners.tiny_models import python_twin
compiled, interpreted = envs.Trap(), python_twin(envs.Trap())
for name, model in {"uct": compiled, "pw": interpreted, "dpw": interpreted}.items():
    planner = planners.make(name, bonus="ucb_sd")
    decision = planner.plan(model, numpy.zeros(2), planners.Budget(500), numpy.random.default_rng(0))
    print(name, json.dumps(decision.visits.tolist()))
"""


def section(heading):
    """The blocks of a section, [(language, text)]; of the page's beginning for an empty heading."""
    text = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    found = text[0] if not heading else next(part for part in text if part.startswith(heading))
    return re.findall(r"^```(\w+)\n(.*?)^```$", found, re.MULTILINE | re.DOTALL)


def block(heading, language):
    return next(text for of, text in section(heading) if of == language)


def without_prompts(block):
    return re.sub(r"^(>>> |\.\.\. ?)", "", block, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A repository with the packages, where nothing is imported from."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("planners", "curling", "envs", "runs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "bonspiel", folder / "bonspiel", symlinks=True)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder, *arguments, given=None):
    settings = ["-c", "user.name=test", "-c", "user.email=test", "-c", "core.autocrlf=false"]
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "copy")


def check_stat(folder, heading):
    git(folder, "add", "--all")
    assert git(folder, "diff", "--cached", "--stat=100") == block(heading, "text")
    commit(folder)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_both_examples_change_the_files_that_the_page_shows_and_run(copy, tmp_path):
    git(copy, "apply", given=block("", "diff"))
    (copy / "planners" / "trees" / "flat.py").write_text(
        without_prompts(block("", "python")).strip() + "\n", encoding="utf-8"
    )
    check_stat(copy, "")
    git(copy, "apply", given=block("Another selection score", "diff"))
    check_stat(copy, "Another selection score")

    environment = {**os.environ, "PYTHONPATH": str(copy), "BONSPIEL_CACHE": str(tmp_path)}
    for name in ("pyproject.toml", "tests/conftest.py", "tests/planners"):
        (copy / name).parent.mkdir(exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, copy / name)
    contract = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "tests/planners/test_contract.py",
        "-k",
        "flat and (Bandit or Target)",
    ]
    done = subprocess.run(contract, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout
    done = subprocess.run([sys.executable, "-c", PLAN], cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        name, visits = line.split(" ", 1)
        assert sum(json.loads(visits)) == 500 and json.loads(visits) != visits_here(name)


def visits_here(name):
    """With UCB1."""
    return planners.make(name).plan(envs.Trap(), np.zeros(2), Budget(500), np.random.default_rng(0)).visits.tolist()
