from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel.planners import Decision
from bonspiel.runs.experiment import Setting
from bonspiel.runs.runner import trial
from bonspiel.runs.runner.trial import LADDER, Cost, Rung, Trial, climb, cost, largest, try_planner
from tests.runs.conftest import decision


@pytest.fixture
def steady(register, monkeypatch):
    """A planner that takes as many tens of microseconds as it has simulations, by a clock of its own."""
    clock = [0.0]

    @dataclass(frozen=True)
    class Steady:
        def plan(self, model, state, budget, rng, root_actions=None):
            clock[0] += 1e-5 * budget.simulations
            action = np.array([0.5])
            return Decision(action, np.nan, 1, 0.0, action[None], np.zeros(1, np.int64), np.full(1, np.nan))

    register(Steady)
    for name in ("perf_counter", "process_time"):
        monkeypatch.setattr(trial.time, name, lambda: clock[0])


LINEAR = [Rung(1, 0.001, 10), Rung(10, 0.01, 20), Rung(100, 0.1, 40)]


@pytest.mark.parametrize(
    ("budget", "unit", "expected"),
    [
        (10, "simulations", Cost(0.01 * 20, True)),
        (100, "simulations", Cost(0.1 * 40, True)),
        (10**0.5, "simulations", Cost(0.001 * 10**0.5 * 10 * 2**0.5, True)),
        (1000, "simulations", Cost(1.0 * 40, False)),
        (10, "ms", Cost(0.01 * 20, False)),
        (0.5, "ms", Cost(0.001 * 10, False)),  # one simulation takes 1 ms
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


def test_larger_budgets_are_tried_until_they_take_long(steady):
    rungs = climb(Setting("trap", "steady", 10**12, "simulations", 0)).rungs
    assert [rung.simulations for rung in rungs] == list(LADDER[: len(rungs)])
    assert rungs[-1].simulations in (1000, 10_000)  # two decisions of 10 or 100 ms
    assert {rung.decisions for rung in rungs} == {2.0}
    assert cost(rungs, 30_000, "simulations").seconds == pytest.approx(0.6)


def test_a_decision_takes_the_same_in_long_and_in_short_episodes(steady):
    tried = climb(Setting("treasure_hunt:size=5", "steady", 100, "simulations", 0))
    rungs = {rung.simulations: rung for rung in tried.rungs}
    assert rungs[100].seconds == pytest.approx(1e-3)
    assert rungs[100].decisions > 2


def test_nothing_larger_is_tried_than_is_needed(steady):
    tried = climb(Setting("trap", "steady", 11, "simulations", 0))
    assert [rung.simulations for rung in tried.rungs] == [1, 10, 11]


class Long:
    """A plain model of long episodes: state (t,); random actions end them after 8 steps."""

    state_dim, horizon, time_index, discount, compiled = 1, 200, 0, 1.0, False
    params, action_low, action_high = np.zeros(0), np.zeros(1), np.ones(1)

    def initial_state(self, rng):
        return np.zeros(1)

    def sample_action(self, state, action, params, rng):
        action[0] = 1.0

    def step(self, state, action, next_state, params, rng):
        next_state[0] = state[0] + 1.0
        return 0.0, next_state[0] == 8.0


@dataclass(frozen=True)
class Declining:
    """Takes (100 - t) s a simulation, t the step, by a clock of its own; remembers the steps at which it was asked."""

    asked: list
    clock: list

    def plan(self, model, state, budget, rng, root_actions=None):
        self.asked.append((budget.simulations, state[0]))
        self.clock.append(self.clock[-1] + budget.simulations * (100.0 - state[0]))
        return decision(0.5)


def test_where_episodes_take_long_decisions_are_made_all_over_one(monkeypatch):
    asked, clock = [], [0.0]
    monkeypatch.setattr(trial.time, "process_time", lambda: clock[-1])
    monkeypatch.setattr(trial.time, "perf_counter", lambda: 2.0 * clock[-1])
    monkeypatch.setattr(trial, "model_of", lambda text: Long())
    monkeypatch.setattr(trial.planners, "parse", lambda text: Declining(asked, clock))
    found = climb(Setting("long", "declining", 10, "simulations", 0))
    assert found.rungs == [Rung(1, 96.0, 200)]  # the mean over steps 1, 3, 5 and 7; ten times that would take too long
    assert found.slowdown == 2.0
    assert asked[-4:] == [(1, 1.0), (1, 3.0), (1, 5.0), (1, 7.0)]


@dataclass(frozen=True)
class Timed:
    """Takes `least` s and `each` s a simulation by a clock of its own, and counts its decisions."""

    clock: list
    least: float = 0.0
    each: float = 0.0

    def plan(self, model, state, budget, rng, root_actions=None):
        self.clock.append(self.clock[-1] + self.least + self.each * budget.simulations)
        action = np.array([0.5])
        return Decision(action, np.nan, 1, 0.0, action[None], np.zeros(1, np.int64), np.full(1, np.nan))


@pytest.fixture
def timed(monkeypatch):
    """Tries a planner in `Long`, of 8 decisions an episode: the trial, the seconds and the decisions that it took."""

    def make(episodes, works, **given):
        clock = [0.0]
        monkeypatch.setattr(trial.time, "perf_counter", lambda: clock[-1])
        monkeypatch.setattr(trial.time, "process_time", lambda: clock[-1] if works else 1e-6 * len(clock))
        monkeypatch.setattr(trial, "model_of", lambda text: Long())
        monkeypatch.setattr(trial.planners, "parse", lambda text: Timed(clock, **given))
        found = climb(Setting("long", "timed", max(episodes), "simulations", 0), episodes)
        return found, clock[-1], len(clock) - 1

    return make


@pytest.mark.parametrize("works", [False, True])
def test_a_run_of_few_decisions_is_not_tried(timed, works):
    found, seconds, decisions = timed({10: 1}, works, least=0.3)
    assert (found.rungs, seconds, decisions) == ([], 0.0, 0)


def test_the_time_of_a_planner_that_waits_is_that_which_passes(timed):
    found, seconds, decisions = timed({10: 50}, works=False, least=0.3)
    assert [rung.seconds for rung in found.rungs] == [pytest.approx(0.3)] and found.slowdown == 1.0
    assert decisions <= 0.1 * 50 * 8 and seconds <= 0.1 * 50 * 8 * 0.3


@pytest.mark.parametrize(
    ("episodes", "given"),
    [
        ({1: 40, 10: 40, 1000: 40}, {"each": 1e-3}),
        ({1000: 30}, {"each": 1e-5}),
        ({1000: 30}, {"each": 1e-4, "least": 1e-3}),
        ({1: 1000, 100_000: 1}, {"each": 1e-5}),
        ({10: 100}, {"least": 1e-4}),
    ],
)
def test_a_trial_takes_a_tenth_of_its_run_at_most(timed, episodes, given):
    found, seconds, decisions = timed(episodes, works=True, **given)
    least, each = given.get("least", 0.0), given.get("each", 0.0)
    assert found.rungs and decisions <= 0.1 * 8 * sum(episodes.values())
    assert seconds <= 0.1 * sum(8 * count * (least + each * budget) for budget, count in episodes.items())


def test_each_planner_is_tried_with_its_largest_budget_of_a_unit():
    def setting(planner, budget, unit="simulations"):
        return Setting("trap", planner, budget, unit, 0)

    given = [setting("uct", 10), setting("uct", 1000), setting("dpw", 100), setting("uct", 5, "ms"), setting("uct", 1)]
    assert set(largest(given)) == {setting("uct", 1000), setting("dpw", 100), setting("uct", 5, "ms")}


def test_time_budgets_are_tried_up_to_their_time(steady):
    rungs = climb(Setting("trap", "steady", 0.5, "ms", 0)).rungs
    assert [rung.simulations for rung in rungs] == [1, 10, 100]


def test_a_planner_that_fails_leaves_that_to_its_episodes(fakes):
    setting = Setting("trap", "clumsy", 1000, "simulations", 0)
    assert try_planner(setting, {1000: 1000}) == Trial(setting, [])
