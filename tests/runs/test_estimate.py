import sys
import time
import types
from dataclasses import dataclass

import numpy as np
import pytest

import planners
from planners import Decision
from runs.experiment import RunError
from runs.part import Part
from runs.runner import estimate
from runs.runner.estimate import LADDER, Cost, Rung, climb, cost, duration, text
from runs.suite import Suite


@dataclass(frozen=True)
class Steady:
    """Takes as many tens of microseconds of the processor as it has simulations."""

    def plan(self, model, state, budget, rng, root_actions=None):
        start = time.process_time()
        while time.process_time() - start < 1e-5 * budget.simulations:
            pass
        action = np.array([0.5])
        return Decision(action, np.nan, 1, 0.0, action[None], np.zeros(1, np.int64), np.full(1, np.nan))


@pytest.fixture
def steady(monkeypatch):
    module = types.ModuleType("steady_planner")
    module.Steady = Steady
    monkeypatch.setitem(sys.modules, "steady_planner", module)
    monkeypatch.setitem(planners.REGISTRY.classes, "steady", "steady_planner:Steady")


LINEAR = [Rung(1, 0.001, 10), Rung(10, 0.01, 20), Rung(100, 0.1, 40)]


@pytest.mark.parametrize(
    ("budget", "unit", "expected"),
    [
        (10, "simulations", Cost(0.01 * 20, True)),
        (100, "simulations", Cost(0.1 * 40, True)),
        (10**0.5, "simulations", Cost(0.001 * 10**0.5 * 10 * 2**0.5, True)),
        (1000, "simulations", Cost(1.0 * 40, False)),
        (10, "ms", Cost(0.01 * 20, False)),
        (1e6, "ms", Cost(1000.0 * 40, False)),
    ],
)
def test_costs_by_hand(budget, unit, expected):
    found = cost(LINEAR, budget, unit)
    assert found.seconds == pytest.approx(expected.seconds)
    assert found.measured == expected.measured


@pytest.mark.parametrize(("last", "factor"), [(0.011, 10), (0.1, 10), (10**-0.5, 10**1.5), (100.0, 100)])
def test_beyond_what_was_tried_time_grows_as_it_did_but_between_linear_and_quadratic(last, factor):
    rungs = [Rung(10, 0.01, 1), Rung(100, last, 1)]
    assert cost(rungs, 1000, "simulations").seconds == pytest.approx(last * factor)


def test_one_rung_is_enough():
    assert cost([Rung(1, 0.5, 4)], 100, "simulations") == Cost(200.0, False)


@pytest.mark.alone
def test_larger_budgets_are_tried_until_they_take_long(steady):
    env, planner, rungs = climb("trap", "steady", 1e12)
    assert (env, planner) == ("trap", "steady")
    assert [rung.simulations for rung in rungs] == list(LADDER[: len(rungs)])
    assert rungs[-1].simulations in (1000, 10_000)  # two decisions of 10 or 100 ms
    assert {rung.decisions for rung in rungs} == {2.0}
    assert cost(rungs, 30_000, "simulations").seconds == pytest.approx(0.6, rel=0.5)


@pytest.mark.alone
def test_a_decision_takes_the_same_in_long_and_in_short_episodes(steady):
    rungs = {rung.simulations: rung for rung in climb("treasure_hunt:size=5", "steady", 100)[2]}
    assert rungs[100].seconds == pytest.approx(1e-3, rel=0.5)
    assert rungs[100].decisions > 2


def test_nothing_larger_is_tried_than_is_needed(steady):
    assert [rung.simulations for rung in climb("trap", "steady", 11)[2]] == [1, 10, 100]


def test_a_planner_that_fails_is_named(fakes):
    with pytest.raises(RunError, match=r"clumsy fails in trap: RuntimeError: dropped the stone"):
        climb("trap", "clumsy", 1000)


def test_the_whole_is_the_sum_over_all_jobs():
    suite = Suite.of(
        "mine",
        {
            "experiment": [
                {
                    "env": "trap",
                    "planners": ["uct", {"planner": "dpw", "label": "mine"}],
                    "simulations": [10, 1000],
                    "milliseconds": [100],
                    "episodes": 30,
                }
            ]
        },
    )
    costs = {setting: Cost(2.0 if setting.unit == "ms" else 0.5, setting.budget == 10) for setting in suite.settings()}
    found = text(suite, costs, 4)
    assert [" ".join(line.split()) for line in found.splitlines() if line.startswith(("|", "trap"))] == [
        "trap",
        "| planner | 10 simulations | 1000 simulations |",
        "| ------- | -------------- | ---------------- |",
        "| uct | 30 x 500 ms | 30 x ~500 ms |",
        "| mine | 30 x 500 ms | 30 x ~500 ms |",
        "trap",
        "| planner | 100 ms |",
        "| ------- | --------- |",
        "| uct | 30 x ~2 s |",
        "| mine | 30 x ~2 s |",
    ]
    assert "mine: 180 episodes of 6 settings, about 45 s with 4 jobs (3 min of work)" in found
    assert "extrapolated, 83% of the time" in found


def test_a_part_takes_its_share():
    suite = Suite.of("x", {"experiment": [{"env": "trap", "planners": ["uct"], "simulations": [1], "episodes": 100}]})
    costs = {setting: Cost(1.0, True) for setting in suite.settings()}
    found = text(suite, costs, 1, Part(1, 4))
    assert "| 25 x 1 s" in found and "x, part 1/4: 25 episodes of 1 setting, about 25 s" in found


def test_no_run_is_shorter_than_its_longest_episode():
    suite = Suite.of("x", {"experiment": [{"env": "trap", "planners": ["uct"], "simulations": [1], "episodes": 1}]})
    assert "about 8 s with 4 jobs" in text(suite, {setting: Cost(8.0, True) for setting in suite.settings()}, 4)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0123, "12 ms"), (1.0, "1 s"), (119.0, "120 s"), (120.0, "2 min"), (7199.0, "120 min"), (28_800.0, "8.0 h")],
)
def test_durations_for_people(seconds, expected):
    assert duration(seconds) == expected


def test_the_command_plays_nothing(run, tmp_path):
    status, out, _ = run(
        "run",
        "trap:noise_range=0.05",
        "--planner",
        "random",
        "--budget",
        "10,100",
        "--milliseconds",
        "1",
        "--episodes",
        "7",
        "--jobs",
        "1",
        "--dry-run",
    )
    assert status == 0
    for words in ("| random ", "7 x ~2 ms", "21 episodes of 3 settings", "nothing was started"):
        assert words in out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.alone
def test_two_workers_measure_too():
    suite = Suite.of(
        "x", {"experiment": [{"env": ["trap", "trap:noise_range=0.01"], "planners": ["random"], "simulations": [1]}]}
    )
    found = estimate.estimate(suite, 2)
    assert list(found) == list(suite.settings())
    assert all(one.measured and 0.0 < one.seconds < 1.0 for one in found.values())


def test_an_unknown_planner_is_refused_at_once(run):
    status, _, err = run("run", "trap", "--planner", "uctt", "--dry-run")
    assert status == 2
    assert "Did you mean 'uct'" in err
