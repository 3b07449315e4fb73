"""A planner in a control loop: actions on time whatever it does, by a clock that stands still while it plans."""

import itertools
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import control, envs, planners
from bonspiel.control import Controller, PeriodCounts
from bonspiel.planners import Budget, Decision
from bonspiel.planners.testing import Walk

FALLBACK = np.array([-0.5])


class Clock:
    """Time that passes by sleeping alone."""

    now = 0.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class Scripted:
    """Plans [n / 100, n / 100 + 0.001, ...] in its n-th decision, unless the script has another behaviour for n."""

    def __init__(self, steps=3, **script):
        self.steps, self.script = steps, {int(key[1:]): what for key, what in script.items()}
        self.number, self.states, self.go = 0, [], threading.Event()

    def begin_episode(self, model):
        return SimpleNamespace(plan=self.decide)

    def plan(self, model, *given):
        return self.decide(*given)

    def decide(self, state, budget, rng):
        self.number += 1
        self.states.append(state.tolist())
        what = self.script.get(self.number)
        if what == "hangs":
            self.go.wait(60.0)
        if isinstance(what, BaseException):
            raise what
        plan = self.number / 100 + 0.001 * np.arange(self.steps)[:, None]
        if callable(what):
            what(plan)
        none = np.empty(0)
        return Decision(plan[0], 0.0, 1, 0.0, none.reshape(0, 1), none.astype(int), none, 0, plan)


def wait_for_the_decision(controller):
    assert controller._task is None or controller._task.done.wait(60.0)


class Still(Walk):
    """A line on which the action is added, without noise or end."""

    params = np.zeros(1)
    horizon = 10**6


class Counted(Still):
    """The same, which counts its steps."""

    time_index = 1


def play(planner, periods, model=None, fallback=FALLBACK, prepare=True, measured=lambda state: state):
    """The actions that a plant gets, and the controller."""
    model, got, state = model or Still(), [], np.zeros(2)
    with Controller(planner, model, 0.02, fallback, clock=Clock()) as controller:
        if prepare:
            controller.prepare(state)
        for period in range(periods):
            got.append(round(controller.act(measured(state))[0], 6))
            state = np.array([state[0] + got[-1], period + 1.0])
            controller.wait()
            wait_for_the_decision(controller)
    return got, controller


def test_each_action_is_planned_in_the_state_predicted_for_its_period():
    planner = Scripted()
    got, controller = play(planner, 4)
    assert got == [0.01, 0.02, 0.03, 0.04]
    assert planner.states[:4] == [pytest.approx(state) for state in ([0, 0], [0.01, 1], [0.03, 2], [0.06, 3])]
    assert controller.counts == PeriodCounts(periods=4, on_time=4)
    assert controller.decision.plan[0] == 0.04


def test_after_a_failure_the_last_plan_goes_on_and_then_the_fallback():
    broken = RuntimeError("sensor lost")
    got, controller = play(Scripted(steps=2, d3=broken, d4=SystemExit(1)), 6)
    assert got == [0.01, 0.02, 0.021, -0.5, 0.05, 0.06]
    assert controller.counts == PeriodCounts(periods=6, on_time=4, failed=2, fallbacks=1)
    assert isinstance(controller.error, SystemExit)


def play_with_a_late_decision(planner, periods):
    """The actions of some periods, and the controller; the decision for period 2 comes in period 4."""
    got = []
    with Controller(planner, Still(), 0.02, FALLBACK, clock=Clock()) as controller:
        controller.prepare(np.zeros(2))
        for period in range(periods):
            if period == 4:
                planner.go.set()
            if period not in (2, 3):
                wait_for_the_decision(controller)
            got.append(controller.act(np.array([0.0, period]))[0])
    return got, controller


def test_a_late_decision_is_of_use_when_it_comes():
    got, controller = play_with_a_late_decision(Scripted(d3="hangs"), 6)
    assert got == pytest.approx([0.01, 0.02, 0.021, 0.022, 0.032, 0.04])
    assert controller.counts == PeriodCounts(periods=6, on_time=3, late=3)


def fault(kind):
    def spoil(plan):
        plan[-1 if kind == "later" else 0] = np.nan if kind == "nan" else 1e9

    return spoil


@pytest.mark.parametrize("what", [ValueError("no"), KeyboardInterrupt(), *map(fault, ("nan", "large", "later"))])
def test_a_fault_at_every_tenth_decision_never_reaches_the_plant(what):
    got, controller = play(Scripted(**{f"d{n}": what for n in range(10, 101, 10)}), 100)
    expected = [(n if n % 10 else n - 1) / 100 + (0.0 if n % 10 else 0.001) for n in range(1, 101)]
    assert got == [pytest.approx(one) for one in expected]
    assert controller.counts == PeriodCounts(periods=100, on_time=90, failed=10)


@pytest.mark.parametrize("name", ["icem", "adaptive"])
def test_a_model_that_is_invalid_at_times_is_survived(name):
    planner = planners.make(name, memory=1.0, lookahead=4)

    class Breaks(Still):
        def step(self, state, action, next_state, params, rng):
            if state[1] == 7.0:
                raise RuntimeError("the integrator diverged")
            return super().step(state, action, next_state, params, rng)

    got, state = [], np.zeros(2)
    with Controller(planner, Breaks(), 0.02, FALLBACK, budget=Budget(simulations=20)) as controller:
        controller.prepare(state)
        for period in range(12):
            got.append(controller.act(state))
            state = np.array([state[0] + got[-1][0], period + 1.0])
            wait_for_the_decision(controller)
    assert controller.counts.failed > 0 and "the integrator diverged" in str(controller.error)
    assert (np.abs(got) <= 1.0).all() and controller.counts.on_time + controller.counts.failed == 12


def test_without_a_plan_there_is_the_fallback_which_may_follow_the_state():
    planner = Scripted(**{f"d{n}": ValueError("no") for n in range(1, 4)})
    got, controller = play(planner, 3, fallback=lambda state: [-0.1 * state[1]], prepare=False)
    assert got == [0.0, -0.1, -0.2]
    assert controller.counts == PeriodCounts(periods=3, late=1, failed=2, fallbacks=3)


@pytest.mark.parametrize("given", [[np.nan], [7.0], [0.0, 0.0], 0.3])
def test_a_fallback_that_is_no_action_is_an_error_and_reaches_no_plant(given):
    with pytest.raises((ValueError, TypeError), match="action"):
        play(Scripted(d1=ValueError("no")), 1, fallback=lambda state: given, prepare=False)


@pytest.mark.parametrize("prepare", [True, False])
def test_another_episode_gets_no_action_of_the_last_one(prepare):
    planner, got = Scripted(steps=9), []
    with Controller(planner, Counted(), 0.02, FALLBACK, clock=Clock()) as controller:
        controller.prepare(np.zeros(2))
        for count in (0, 1, 2, 0, 1):
            if count == 0 and len(got) > 0 and prepare:
                controller.prepare(np.zeros(2))
            got.append(round(controller.act(np.array([0.0, count]))[0], 6))
            wait_for_the_decision(controller)
    assert controller.counts.fallbacks == controller.counts.late == (0 if prepare else 1)
    assert got[3:] == ([0.05, 0.06] if prepare else [FALLBACK[0], 0.05])


def test_a_lost_measurement_is_a_failure():
    got, controller = play(Scripted(steps=9), 4, measured=lambda state: state * (np.nan if state[1] == 2.0 else 1.0))
    assert got == [0.01, 0.02, 0.03, 0.031] and controller.counts.failed == 1


def test_periods_that_the_loop_missed_have_passed():
    planner = Scripted(steps=9)
    clock = Clock()
    with Controller(planner, Still(), 0.02, FALLBACK, clock=clock) as controller:
        controller.prepare(np.zeros(2))
        controller.act(np.zeros(2))
        wait_for_the_decision(controller)
        clock.now += 0.065  # the plan for the second period is asked for in the fourth
        controller.wait()
        assert controller.act(np.zeros(2))[0] == pytest.approx(0.022)
        controller.wait()
        assert clock.now == pytest.approx(0.08)
    assert controller.counts == PeriodCounts(periods=2, on_time=1, late=1, missed=2)


def test_the_first_period_begins_with_the_first_action():
    clock = Clock()
    clock.now = 1e6
    with Controller(Scripted(steps=9), Still(), 0.02, FALLBACK, clock=clock) as controller:
        controller.prepare(np.zeros(2))
        controller.wait()
        assert controller.act(np.zeros(2))[0] == 0.01 and clock.now == 1e6
        wait_for_the_decision(controller)
        controller.wait()
        assert clock.now == pytest.approx(1e6 + 0.02)
    assert controller.counts == PeriodCounts(periods=1, on_time=1)


def test_a_search_with_memory_knows_the_periods_that_passed_though_nobody_counts():
    planner, got = planners.make("mppi", memory=1.0), []
    with Controller(planner, Still(), 0.02, FALLBACK, budget=Budget(simulations=1)) as controller:
        controller._start_from(np.linspace(0.1, 0.9, 9)[:, None])
        controller.prepare(np.zeros(2))
        for missed in (0, 2, 0, 0):
            got.append(controller.act(np.zeros(2))[0])
            wait_for_the_decision(controller)
            controller._next += missed
    assert got == pytest.approx([0.1, 0.2, 0.5, 0.6])


REMEMBER = "uct:memory=1", "dpw:memory=1", "icem:memory=1", "adaptive", "cem:rate_limit=0.05,memory=0", "constant"


@pytest.mark.parametrize("text", REMEMBER)
@pytest.mark.parametrize("prepare", [True, False])
def test_a_search_with_memory_plans_on_though_nobody_counts(text, prepare):
    model, place = envs.make_model("pendulum"), 0.0
    with Controller(planners.parse(text), model, 600.0, np.zeros(1), budget=Budget(simulations=20)) as controller:
        if prepare:
            controller.prepare(np.array([3.0, 0.0, 0.0]))
        for period in range(6):
            place += controller.act(np.array([3.0 + 0.01 * period, place, 0.0]))[0]
            wait_for_the_decision(controller)
    late = 0 if prepare else 1
    assert controller.error is None and controller.counts == PeriodCounts(6, 6 - late, late, fallbacks=late)


def test_a_tree_is_not_kept_over_periods_that_passed_where_nobody_counts():
    planner, model = planners.parse("uct:memory=1"), envs.make_model("pendulum")
    with Controller(planner, model, 600.0, np.zeros(1), budget=Budget(simulations=20)) as controller:
        searches = []
        for missed in (0, 0, 0, 2, 0):
            controller.act(np.array([3.0 + 0.01 * len(searches), 0.0, 0.0]))
            wait_for_the_decision(controller)
            searches.append(controller._search)
            controller._next += missed
    assert [one is other for one, other in itertools.pairwise(searches)] == [False, True, True, False]


@pytest.mark.parametrize("text", REMEMBER)
def test_a_plant_that_begins_again_begins_an_episode(text):
    planner, begun = planners.parse(text), []
    begin = control.begin_episode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(control, "begin_episode", lambda *given: begun.append(None) or begin(*given))
        model = Still()
        model.horizon = 20
        with Controller(planner, model, 600.0, FALLBACK, budget=Budget(simulations=20)) as controller:
            controller.prepare(np.zeros(2))
            for count in (0, 1, 2, 3, 4, 0, 1, 2):
                controller.act(np.array([0.1 * count, count]))
                wait_for_the_decision(controller)
    assert len(begun) == 2 and controller.error is None
    assert controller.counts == PeriodCounts(8, 7, late=1, fallbacks=1)  # nothing was planned for the other episode


def test_the_steps_of_a_plant_that_begins_again_are_counted_on():
    planner, states = Scripted(), [np.array([0.0, count]) for count in (0, 1, 2, 0, 1)]
    play(planner, 5, measured=lambda state: states.pop(0))
    assert [state[1] for state in planner.states] == [0, 1, 2, 3, 1, 2]


@pytest.mark.parametrize("memory", [0.0, 1.0])
def test_a_limit_of_change_begins_with_the_action_handed_out_whoever_chose_it(memory):
    got, controller = play(planners.make("cem", rate_limit=0.05, memory=memory, lookahead=4), 6, prepare=False)
    assert got[0] == FALLBACK and controller.counts.on_time == 5
    assert max(abs(np.diff(got))) <= 0.1 + 1e-5 and len({*got}) > 3


def test_a_limit_of_change_holds_for_a_plan_that_comes_late():
    def late(plan):
        planner.go.wait(60.0)
        plan[:] = 0.5

    planner = Scripted(steps=4, d3=late, d4=ValueError("no"), d5=ValueError("no"))
    planner.rate_limit = 0.05  # of a range of 2
    got, _ = play_with_a_late_decision(planner, 7)
    assert got == pytest.approx([0.01, 0.02, 0.021, 0.022, 0.122, 0.222, -0.5])


def test_a_hanging_search_is_stopped_at_the_end():
    start = time.monotonic()
    with Controller(planners.make("icem"), envs.make_model("pendulum"), 600.0, np.zeros(1)) as controller:
        controller.act(np.zeros(3))
    assert not controller._thread.is_alive() and time.monotonic() - start < 60.0


def test_a_controller_is_used_once():
    controller = Controller(planners.make("do_nothing"), envs.make_model("pendulum"), 0.02, np.zeros(1))
    with controller:
        pass
    with pytest.raises(RuntimeError, match="was used before: make another one"), controller:
        pass


def test_it_says_what_is_wrong_with_its_arguments():
    planner, model = planners.make("icem"), envs.make_model("pendulum")
    with pytest.raises(ValueError, match=r"^period=0: must be"):
        Controller(planner, model, 0, np.zeros(1))
    with pytest.raises(ValueError, match=r"^fallback=.*: must be within"):
        Controller(planner, model, 0.02, np.full(1, 3.0))
    with pytest.raises(ValueError, match=r"^planner='icem': must be one such as planners\.make"):
        Controller("icem", model, 0.02, np.zeros(1))
    with pytest.raises(ValueError, match=r"^budget=5: must be a planners\.Budget"):
        Controller(planner, model, 0.02, np.zeros(1), budget=5)
    with pytest.raises(TypeError, match=r"pass env\.unwrapped\.model"):
        Controller(planner, envs.ModelEnv(model), 0.02, np.zeros(1))
    with pytest.raises(ValueError, match=r"^controller=.*must be used within `with Controller"):
        Controller(planner, model, 0.02, np.zeros(1)).act(np.zeros(3))
    with (
        Controller(planner, model, 0.02, np.zeros(1)) as controller,
        pytest.raises(ValueError, match=r"state=.*must be"),
    ):
        controller.prepare(np.zeros(2))


class Aimed(Still):
    """A still line on which the best action is `params[0]`."""

    params = np.array([0.5])

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state
        return -((action[0] - params[0]) ** 2), False


@pytest.mark.parametrize("change", ["in place", "anew"])
def test_a_model_that_the_user_changes_stays_changed_and_is_followed(change):
    model, actions = Aimed(), []
    model.params = np.array([0.5])
    with Controller(
        planners.make("icem", lookahead=1), model, 0.02, FALLBACK, budget=Budget(200), clock=Clock()
    ) as controller:
        for period in range(8):
            actions.append(controller.act(np.zeros(2))[0])
            if period == 3 and change == "in place":
                model.params[0] = -0.5
            elif period == 3:
                model.params = np.array([-0.5])
            wait_for_the_decision(controller)
            controller.wait()
    assert model.params[0] == -0.5 and controller.counts.failed == 0
    np.testing.assert_allclose(actions[1:4], 0.5, atol=0.05)
    np.testing.assert_allclose(actions[6:], -0.5, atol=0.05)


def test_what_is_done_to_an_action_handed_out_reaches_no_plan():
    with Controller(Scripted(), Still(), 0.02, FALLBACK, clock=Clock()) as controller:
        action = controller.act(np.zeros(2))
        assert not np.shares_memory(action, controller._task.action)


@pytest.mark.parametrize("name", ["icem", "uct"])
def test_a_first_decision_that_fails_is_no_lasting_failure(name):
    class Broken(Counted):
        def step(self, state, action, next_state, params, rng):
            reward, over = super().step(state, action, next_state, params, rng)
            return (np.nan if abs(state[0]) > 100.0 else reward), over

    planner = planners.make(name, memory=1.0, lookahead=3)
    with Controller(planner, Broken(), 0.02, FALLBACK, budget=Budget(20), clock=Clock()) as controller:
        for period in range(6):
            controller.act(np.array([1_000.0 if period == 0 else 0.0, 0.0]))
            wait_for_the_decision(controller)
            controller.wait()
    assert controller.counts.failed == 1 and controller.counts.on_time == 4


def test_an_episode_that_cannot_begin_is_a_failure_and_no_hang():
    class Unwilling(Scripted):
        begun = 0

        def begin_episode(self, model):
            self.begun += 1
            if self.begun == 2:
                raise OSError("no disk")
            return super().begin_episode(model)

    planner = Unwilling(_1=OSError("no memory"))
    with Controller(planner, Still(), 0.02, FALLBACK, clock=Clock()) as controller:
        for _ in range(5):
            controller.act(np.zeros(2))
            wait_for_the_decision(controller)
            controller.wait()
    assert planner.begun == 3 and (controller.counts.failed, controller.counts.on_time) == (2, 2)
