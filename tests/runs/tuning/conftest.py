"""A planner to tune that takes no time."""

import pytest

from runs import tune
from runs.tune import Choice, Uniform


@pytest.fixture
def tunable(fakes, monkeypatch):
    """Give the fake planner `constant` a space: keywords -> None. Its action alone decides on its return in Trap."""

    def give(**space):
        monkeypatch.setitem(tune.SPACES, "constant", space)

    give(action=Uniform(0.0, 1.0), draws=Choice(("0", "1", "2")))
    return give
