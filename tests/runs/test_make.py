"""The folder of `make bench`: the same while the sources are, so that the run resumes, and another after a change."""

import shutil
import subprocess
from pathlib import Path

import pytest

from planners.core import sources
from runs import provenance

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path):
    for folder in ("planners", "curling", "envs", "runs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def folder_of(tree):
    done = subprocess.run(["make", "-n", "bench"], cwd=tree, capture_output=True, text=True, check=True)
    return done.stdout.split("--out ")[1].strip()


def test_every_source_that_a_run_depends_on_changes_the_folder(tree):
    folders = {folder_of(tree)}
    assert folders == {folder_of(tree)}
    places = [tree / place.relative_to(sources.ROOT) for place in provenance.PLAYED]
    changed = {place for place in places if place.is_file()} | {tree / "runs" / "suites" / "quick.toml"}
    for place in filter(Path.is_dir, places):
        changed.update(file for suffix in sources.SUFFIXES for file in sorted(place.glob(f"*{suffix}"))[:1])
    assert tree / "curling" / "players" / "static.json" in changed
    for file in changed:
        file.write_text(file.read_text() + "\n# changed\n")
        folders.add(folder_of(tree))
    assert len(folders) == 1 + len(changed)
