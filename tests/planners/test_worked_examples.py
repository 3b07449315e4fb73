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

from bonspiel import planners
from bonspiel.planners import Budget
from tests.planners.tiny_models import Chain

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guides/adding-a-planner.md").read_text(encoding="utf-8")
# Interpreted, as the kernels of a changed score would be compiled for this test and no other.
PLAN = """
import json, numpy
from bonspiel import planners
from tests.planners.tiny_models import Chain, python_twin
for name in {}:
    planner, model = planners.make(name, bonus="ucb_sd"), python_twin(Chain())
    decision = planner.plan(model, model.initial_state(None), planners.Budget(200), numpy.random.default_rng(0))
    print(name, json.dumps([decision.visits.tolist(), decision.values.tolist()]))
"""

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def section(heading):
    """The blocks of a section, [(language, text)]; of the page's beginning for an empty heading."""
    text = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    found = text[0] if not heading else next(part for part in text if part.startswith(heading))
    return re.findall(r"^```(\w+)\n(.*?)^```$", found, re.MULTILINE | re.DOTALL)


def block(heading, language):
    return next(text for of, text in section(heading) if of == language)


def without_prompts(block):
    return re.sub(r"^(>>> |\.\.\. ?)", "", block, flags=re.MULTILINE)


@pytest.fixture
def copy(tmp_path):
    """A repository with the packages, where nothing is imported from."""
    folder = tmp_path / "copy"
    shutil.copytree(ROOT / "bonspiel", folder / "bonspiel", symlinks=True)
    for name in [link.name for link in (ROOT / "bonspiel").iterdir() if link.is_symlink()]:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "copy")
    return folder


def git(folder, *arguments, given=None):
    settings = ["-c", "user.name=test", "-c", "user.email=test", "-c", "core.autocrlf=false"]
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_stat(folder, heading):
    git(folder, "add", "--all")
    assert git(folder, "diff", "--cached", "--stat=100") == block(heading, "text")


def run(copy, *command, **variables):
    """What a Python command prints in the copy, with the tests of planners beside the packages."""
    for name in ("pyproject.toml", "tests/conftest.py", "tests/planners"):
        (copy / name).parent.mkdir(exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, copy / name)
    environment = {**os.environ, "PYTHONPATH": str(copy), "BONSPIEL_CACHE": str(copy.parent), **variables}
    done = subprocess.run([sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_planner_changes_the_files_that_the_page_shows_and_keeps_the_contract(copy):
    git(copy, "apply", given=block("", "diff"))
    planner = without_prompts(block("", "python")).strip() + "\n"
    (copy / "planners" / "trees" / "flat.py").write_text(planner, encoding="utf-8")
    check_stat(copy, "")
    contract = run(copy, "-m", "pytest", "-q", "tests/planners/test_contract.py", "-k", "flat and (Target or Trap)")
    assert int(re.search(r"(\d+) passed", contract)[1]) > 5


def test_the_score_changes_the_file_that_the_page_shows_and_decides(copy):
    git(copy, "apply", given=block("Another selection score", "diff"))
    check_stat(copy, "Another selection score")
    model = Chain()
    offering = [name for name in planners.names() if hasattr(planners.make(name), "bonus")]
    reached = [name for name in offering if not planners.unsupported(planners.make(name), model)]
    lines = run(copy, "-c", PLAN.format(reached), NUMBA_DISABLE_JIT="1").splitlines()
    assert len(lines) == len(reached) >= 7
    for line in lines:
        name, found = line.split(" ", 1)
        visits, values = json.loads(found)
        ucb1, rng = planners.make(name), np.random.default_rng(0)
        here = ucb1.plan(model, model.initial_state(None), Budget(200), rng)
        assert sum(visits) == 200 and values != here.values.tolist()
