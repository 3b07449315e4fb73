"""Code of other packages: which package a mistake is of, and what to write instead."""

import sys
from pathlib import Path

import pytest

from bonspiel.extensions import Extension
from bonspiel.planners import REGISTRY, registry
from bonspiel.planners.core.code import packages, sources


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
