"""Code of other packages: which package a mistake is of."""

import pytest

from bonspiel.planners import REGISTRY
from bonspiel.planners.core.code import packages
from bonspiel.planners.core.code.packages import Extension


def test_a_name_that_two_packages_add_is_refused_with_both_and_the_remedy(monkeypatch):
    added = (Extension("first:Mine", "first 1.0"), Extension("second:Mine", "second 2.0"))
    monkeypatch.setattr(packages, "extensions", lambda group: {"mine": added})
    words = r"planner 'mine' is added by first 1.0 \(first:Mine\) and second 2.0 \(second:Mine\): write it as module"
    with pytest.raises(ValueError, match=words):
        REGISTRY.place("mine")


def test_an_entry_point_that_cannot_be_loaded_is_named_with_its_package():
    with pytest.raises(ValueError, match=r"^json has no 'nothing' \(an entry point of mine 1.0\)$"):
        Extension("json:nothing", "mine 1.0").load()
    assert Extension("json:loads", "mine 1.0").load()("1") == 1
