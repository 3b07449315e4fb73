import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass

import pytest

from bonspiel.runs import progress
from bonspiel.runs.experiment import Setting
from bonspiel.runs.results.rows import Batch, Failure
from bonspiel.runs.runner import driver, episode, schedule
from bonspiel.runs.runner.schedule import Schedule
from tests.conftest import Constant


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The clock that a schedule reads, set by hand."""
    now = [0.0]
    monkeypatch.setattr(schedule.time, "monotonic", lambda: now[0])
    return now


def setting(budget, planner="random"):
    return Setting("trap", planner, budget, "simulations", 0)


def hand_out(schedule, cost):
    """Play a schedule with made-up costs: setting -> seconds an episode; returns the batches in order."""
    batches = []
    for chosen, numbers in schedule.batches():
        batches.append((chosen, numbers))
        schedule.record(Batch(chosen, [Failure(number, "") for number in numbers], cost(chosen) * len(numbers)))
    return batches


def test_every_episode_is_handed_out_once():
    pending = {setting(1): range(50), setting(10): range(7), setting(100): [], setting(1000): [3, 5]}
    batches = hand_out(Schedule(pending, 2), lambda chosen: chosen.budget / 100)
    counts = Counter((chosen, number) for chosen, numbers in batches for number in numbers)
    assert set(counts) == {(chosen, number) for chosen, numbers in pending.items() for number in numbers}
    assert set(counts.values()) == {1}


def test_one_of_each_is_played_first_then_the_dearest_goes_first():
    pending = {setting(10): range(20), setting(1, "slow"): range(20)}
    batches = hand_out(Schedule(pending, 2), lambda chosen: 1.0 if chosen.planner == "slow" else 0.01)
    assert [(chosen.budget, len(numbers)) for chosen, numbers in batches[:2]] == [(1, 1), (10, 1)]
    order = [chosen.planner for chosen, _ in batches[2:]]
    assert order == sorted(order, reverse=True)


def test_batches_last_a_second_and_less_towards_the_end():
    batches = hand_out(Schedule({setting(1): range(1000)}, 2), lambda chosen: 0.05)
    sizes = [len(numbers) for _, numbers in batches]
    assert sizes[0] == 1
    assert max(sizes) == sizes[1] == 20
    assert sizes[-1] == 1


def steps(schedule, cost, jobs, clock):
    """Play a schedule with made-up costs on `jobs` workers; yields (time, seconds left)."""
    tasks, out = schedule.batches(), []
    while True:
        while len(out) < jobs and (task := next(tasks, None)):
            chosen, numbers = task
            out.append((clock[0] + cost(chosen) * len(numbers), chosen, numbers))
        if not out:
            return
        out.sort(key=lambda entry: entry[0])
        clock[0], chosen, numbers = out.pop(0)
        results = [Failure(number, "") for number in numbers]
        schedule.record(Batch(chosen, results, cost(chosen) * len(numbers)))
        yield clock[0], schedule.seconds_left()


def test_the_time_left_is_right_from_the_first_episode_of_every_planner_on(clock):
    """Planners whose costs differ a hundredfold, in proportion to the budget."""
    costs = {
        (planner, budget): factor * budget
        for planner, factor in [("slow", 0.1), ("fast", 0.001)]
        for budget in (30, 100)
    }
    found = list(
        steps(
            Schedule({setting(budget, planner): range(20) for planner, budget in costs}, 2),
            lambda chosen: costs[chosen.planner, chosen.budget],
            2,
            clock,
        )
    )
    total = sum(costs.values()) * 20 / 2
    assert found[-1] == (pytest.approx(total, rel=0.05), 0.0)
    assert found[0][1] is None
    known = [now + left for now, left in found if left is not None]
    assert len(known) > 40 and known == pytest.approx([total] * len(known), rel=0.1)


def test_episodes_under_way_are_still_to_come():
    schedule = Schedule({setting(1): range(2)}, 1)
    tasks = schedule.batches()
    chosen, numbers = next(tasks)
    schedule.record(Batch(chosen, [Failure(n, "") for n in numbers], 0.5))
    next(tasks)
    assert schedule.seconds_left() == pytest.approx(0.5)


def test_the_cost_of_a_budget_is_that_of_the_nearest_one_played_in_proportion():
    schedule = Schedule({setting(1): range(10), setting(20): range(10), setting(60): range(10)}, 1)
    assert schedule.seconds_left() is None
    tasks = schedule.batches()
    for budget, cost in ((1, 0.5), (20, 3.0)):
        chosen, numbers = next(tasks)
        assert (chosen.budget, list(numbers)) == (budget, [0])
        schedule.record(Batch(chosen, [Failure(0, "")], cost))
    assert schedule.seconds_left() == pytest.approx(9 * 0.5 + 9 * 3.0 + 10 * 9.0)


def test_the_time_left_passes_while_no_episode_ends(clock):
    schedule = Schedule({setting(1): range(3)}, 1)
    schedule.record(Batch(next(schedule.batches())[0], [Failure(0, "")], 8.0))
    for now, left in ((0.0, 16.0), (5.0, 11.0), (30.0, 0.0)):
        clock[0] = now
        assert schedule.seconds_left() == pytest.approx(left)


@dataclass(frozen=True)
class Slow(Constant):
    def plan(self, model, state, budget, rng, root_actions=None):
        time.sleep(0.4)
        return super().plan(model, state, budget, rng, root_actions)


def test_a_long_episode_is_not_silent(register, run, monkeypatch):
    register(Slow)
    monkeypatch.setattr(schedule.time, "monotonic", time.perf_counter)
    for module in (driver, progress):
        monkeypatch.setattr(module, "LINE_SECONDS", 0.1)
    status, _, err = run("run", "trap", "--planner", "slow", "--budget", 1, "--episodes", 1, "--jobs", 1, "--out", "x")
    episode._ready.cache_clear()
    assert status == 0 and "0 of 1 episodes, time left not known yet" in err


def test_the_time_left_can_be_asked_for_while_another_thread_hands_out():
    schedule = Schedule({setting(budget): range(2) for budget in range(1, 101)}, 2)
    hands_out = threading.Thread(target=hand_out, args=(schedule, lambda chosen: 0.01))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        hands_out.start()
        while hands_out.is_alive():
            schedule.seconds_left()
    finally:
        hands_out.join()
        sys.setswitchinterval(interval)
    assert schedule.seconds_left() == 0.0


def test_no_run_is_shorter_than_the_longest_episode_left():
    schedule = Schedule({setting(1): range(2)}, 8)
    tasks = schedule.batches()
    chosen, numbers = next(tasks)
    schedule.record(Batch(chosen, [Failure(n, "") for n in numbers], 8.0))
    assert schedule.seconds_left() == pytest.approx(8.0)
