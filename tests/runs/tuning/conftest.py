"""A planner to tune that takes no time."""

import pytest

from bonspiel import planners
from bonspiel.planners.spaces import Choice, Range


@pytest.fixture
def tunable(fakes, monkeypatch):
    """Give the fake planner `constant` a space: keywords -> None. Its action alone decides on its return in Trap."""

    def give(**space):
        monkeypatch.setattr(planners.REGISTRY.cls("constant"), "tuning", space, raising=False)

    give(action=Range(0.0, 1.0), draws=Choice((0, 1, 2)))
    return give
