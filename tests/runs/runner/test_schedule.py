import sys
import threading
from collections import Counter

import pytest

from bonspiel.runs.experiment import Setting
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.runner.heartbeat import Beat
from bonspiel.runs.runner.schedule import Schedule
from bonspiel.runs.runner.trial import Rung, Trial


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
    pending = {setting(1, "slow"): range(20), setting(10): range(20)}
    batches = hand_out(Schedule(pending, 2), lambda chosen: 1.0 if chosen.planner == "slow" else 0.01)
    assert {(chosen.budget, len(numbers)) for chosen, numbers in batches[:2]} == {(10, 1), (1, 1)}
    order = [chosen.planner for chosen, _ in batches[2:]]
    assert order == sorted(order, reverse=True)


def test_batches_last_a_second_and_less_towards_the_end():
    batches = hand_out(Schedule({setting(1): range(1000)}, 2), lambda chosen: 0.05)
    sizes = [len(numbers) for _, numbers in batches]
    assert sizes[0] == 1
    assert max(sizes) == sizes[1] == 20
    assert sizes[-1] == 1


def steps(schedule, cost, jobs):
    """Play a schedule with made-up costs on `jobs` workers, trials in no time; yields (time, seconds left)."""
    clock, tasks, out = 0.0, schedule.batches(), []
    for chosen, _ in schedule.trials():
        schedule.expect(Trial(chosen, [Rung(chosen.budget, 0.5 * cost(chosen), 1)]))
        yield clock, schedule.seconds_left()
    while True:
        while len(out) < jobs and (task := next(tasks, None)):
            chosen, numbers = task
            out.append((clock + cost(chosen) * len(numbers), chosen, numbers))
        if not out:
            return
        out.sort(key=lambda entry: entry[0])
        clock, chosen, numbers = out.pop(0)
        results = [Failure(number, "") for number in numbers]
        schedule.record(Batch(chosen, results, cost(chosen) * len(numbers)))
        yield clock, schedule.seconds_left()


def test_the_time_left_is_right_from_the_last_trial_on():
    """Planners whose costs differ a hundredfold and two budgets; the trials tell half of what episodes take."""
    costs = {
        (planner, budget): factor * budget
        for planner, factor in [("slow", 0.1), ("fast", 0.001)]
        for budget in (30, 100)
    }
    schedule = Schedule({setting(budget, planner): range(20) for planner, budget in costs}, 2, with_trials=True)
    found = list(steps(schedule, lambda chosen: costs[chosen.planner, chosen.budget], 2))
    total = sum(costs.values()) * 20 / 2
    assert found[-1] == (pytest.approx(total, rel=0.05), 0.0)
    assert found[0][1] is None
    tried = [clock + left for clock, left in found[1:] if clock < costs["slow", 30]]
    assert tried[0] == pytest.approx(total / 2)
    measured = [clock + left for clock, left in found if clock >= costs["slow", 30]]
    assert measured == pytest.approx([total] * len(measured), rel=0.1)


def test_episodes_under_way_are_still_to_come():
    schedule = Schedule({setting(1): range(2)}, 1)
    tasks = schedule.batches()
    chosen, numbers = next(tasks)
    schedule.record(Batch(chosen, [Failure(n, "") for n in numbers], 0.5))
    next(tasks)
    assert schedule.seconds_left() == pytest.approx(0.5)


def test_an_episode_that_takes_longer_than_expected_moves_the_time_left():
    schedule = Schedule({setting(1): range(4)}, 1)
    tasks = schedule.batches()
    chosen, _ = next(tasks)
    assert schedule.seconds_left() is None
    schedule.see([Beat(chosen, 10, 100, 5.0)])
    assert schedule.seconds_left() == pytest.approx(4 * 50.0 - 5.0)  # 100 decisions of 0.5 s each
    schedule.see([])
    schedule.record(Batch(chosen, [Episode(0, 0.0, 20, 10.0)], 10.0))
    next(tasks)
    assert schedule.seconds_left() == pytest.approx(30.0)
    schedule.see([Beat(chosen, 10, 100, 4.0)])  # 20 are usual
    assert schedule.seconds_left() == pytest.approx(30.0 - 4.0)
    schedule.see([Beat(chosen, 40, 100, 40.0)])
    assert schedule.seconds_left() == pytest.approx(3 * 50.0 - 40.0)
    schedule.see([Beat(chosen, 100, 100, 100.0)])
    assert schedule.seconds_left() == pytest.approx(3 * 100.0 - 100.0)


def test_trials_know_the_numbers_of_episodes_of_the_run():
    pending = {setting(1): range(4), setting(10): range(6), setting(10, "uct"): [3]}
    trials = list(Schedule(pending, 1, with_trials=True).trials())
    assert trials == [(setting(10), {1: 4, 10: 6}), (setting(10, "uct"), {10: 1})]
    assert not list(Schedule(pending, 1).trials())


def test_unknown_costs_are_the_mean_of_those_known():
    schedule = Schedule({setting(1): range(10), setting(2): range(10), setting(3): range(10)}, 1)
    assert schedule.seconds_left() is None
    tasks = schedule.batches()
    for cost in (0.5, 0.25):
        chosen, numbers = next(tasks)
        schedule.record(Batch(chosen, [Failure(n, "") for n in numbers], cost))
    assert schedule.seconds_left() == pytest.approx(9 * 0.5 + 9 * 0.25 + 10 * 0.375)


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
