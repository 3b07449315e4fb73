"""Observe the tree that a search leaves."""

import copy

import numpy as np
import pytest

from bonspiel.planners.core.search import kept_trees


def bits(tree):
    """Every array of a tree, bit by bit, whatever it means."""
    return [bits(part) if isinstance(part, tuple) else part.tobytes() for part in tree]


@pytest.fixture
def searched(monkeypatch):
    """Plan, and return the decision and the bits of the trees; memory not yet used is zero, so that trees compare.

    A planner with workers leaves none in this thread.
    """

    def plan(planner, *arguments):
        if getattr(planner, "model", arguments[0]).compiled:  # before memory is zero, which would be part of the code
            copy.deepcopy(planner).plan(*copy.deepcopy(arguments))
        with kept_trees() as trees, monkeypatch.context() as patch:
            patch.setattr(np, "empty", np.zeros)
            decision = planner.plan(*arguments)
        assert trees or hasattr(planner, "workers")
        return decision, bits(trees)

    return plan
