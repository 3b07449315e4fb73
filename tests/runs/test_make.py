"""The folder of `make bench`: the same while a run can be resumed, and another after a change."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bonspiel.planners.core.code import sources

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path):
    """A copy of the repository, whose environment says what it would run: `bonspiel` is `echo`."""
    for folder in sources.packages():
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "bonspiel", tmp_path / "bonspiel", symlinks=True)
    for file in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)
    bin = tmp_path / ".venv" / "bin"
    bin.mkdir(parents=True)
    (bin / "bonspiel").symlink_to(shutil.which("echo"))
    (bin / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (bin / "python").chmod(0o755)
    (bin.parent / "installed").touch()
    return tmp_path


def folder_of(tree):
    done = subprocess.run(["make", "bench"], cwd=tree, capture_output=True, text=True, check=True)
    return done.stdout.split("--out ")[1].strip()


def test_a_change_of_what_is_played_changes_the_folder_and_one_of_what_is_drawn_does_not(tree):
    first = folder_of(tree)
    assert first.startswith("results/quick-") and len(first) > len("results/quick-")
    drawn = tree / "runs" / "reporting" / "chart.py"
    drawn.write_text(drawn.read_text() + "\n# changed\n")
    assert folder_of(tree) == first
    folders = {first}
    for file, old, new in (
        ("planners/trees/pw.py", "", "# changed\n"),
        ("envs/trap/model.py", "", "# changed\n"),
        ("runs/runner/episode.py", "", "# changed\n"),
        ("runs/suites/quick.toml", "episodes = ", "episodes = 1"),
    ):
        text = (tree / file).read_text()
        (tree / file).write_text(text.replace(old, new, 1) if old else text + new)
        folders.add(folder_of(tree))
    assert len(folders) == 5
