"""Positions of episodes."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from bonspiel.planners import Decision
from bonspiel.runs.agreement.agreement import SPACING, main, positions_of
from bonspiel.runs.experiment import RunError, UsageError


def test_positions_of_an_episode_are_four_steps_apart_and_never_the_common_start(fakes):
    times = []
    for index in range(40):
        again, states = positions_of("treasure_hunt", "constant:action=2.4", 5, 1, index)
        assert again == index
        steps = [state[2] for state in states]
        assert all(np.diff(steps) == SPACING)
        assert not steps or 1 <= steps[0] <= SPACING
        times += steps
    assert {1, 2, 3, 4} <= {time for time in times if time <= SPACING}
    assert max(times) > 2 * SPACING


@dataclass(frozen=True)
class Counting:
    """Goes on into the corner of the start, and counts its decisions."""

    made: ClassVar[list[float]] = []

    def plan(self, model, state, budget, rng):
        self.made.append(state[2])
        action = np.array([-2.4])
        return Decision(action, 0.0, 1, 0.0, action[None], np.ones(1, np.int64), np.zeros(1))


@dataclass(frozen=True)
class Broken:
    def plan(self, model, state, budget, rng):
        raise RuntimeError("no idea")


def test_a_fifth_of_the_decisions_is_random(register):
    register(Counting)
    steps = sum(positions_of("treasure_hunt:hole_terminates=False", "counting", 5, 0, i)[1][-1][2] for i in range(60))
    assert steps > 60 * 40
    assert 1.0 - len(Counting.made) / steps == pytest.approx(0.2, abs=0.03)


def test_positions_of_a_short_problem_are_reached_by_random_actions():
    found = [state for index in range(300) for state in positions_of("trap", "random", 5, 0, index)[1]]
    assert {state[1] for state in found} == {1.0}
    places = np.array([state[0] for state in found])
    assert np.histogram(places, bins=4, range=(0.05, 1.05))[0] == pytest.approx([75] * 4, abs=25)


def test_an_episode_is_the_same_whenever_it_is_played():
    assert positions_of("treasure_hunt", "uct", 20, 3, 7) == positions_of("treasure_hunt", "uct", 20, 3, 7)
    assert positions_of("treasure_hunt", "uct", 20, 3, 7) != positions_of("treasure_hunt", "uct", 20, 4, 7)


def test_a_failing_planner_is_named(register):
    register(Broken)
    with pytest.raises(RunError, match=r"broken fails in treasure_hunt:hole_terminates=False: .*no idea"):
        positions_of("treasure_hunt:hole_terminates=False", "broken", 5, 0, 0)


def test_one_position_is_refused():
    model = SimpleNamespace(horizon=1, initial_state=lambda rng: np.zeros(2))
    with pytest.raises(UsageError, match="one position"):
        main(SimpleNamespace(env="trap", model=model), Path("unused"), False, 1)
