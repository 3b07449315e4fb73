"""A planner in a control loop: it plans in a thread while the plant moves, and every period has an action.

A decision takes as long as a period, so that it is made one period ahead: from the state that the model predicts for
the moment when its action takes effect. Compiled searches release Python's lock, and the loop runs beside them.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import numpy as np

from bonspiel.planners.checks import (
    check_action,
    check_actions,
    check_state,
    not_a_model,
    offers,
    require,
    require_positive,
)
from bonspiel.planners.contract.decisions import CheckedSearch
from bonspiel.planners.core.search import stopped_by
from bonspiel.planners.model import Array, HasTimeIndex, Model
from bonspiel.planners.planner import Budget, Decision, Planner, begin_episode, unsupported
from bonspiel.planners.sequences.smooth import Rates

SHARE = 0.7  # of a period, to plan in; the rest is for the loop and for what else the machine does
CLOSING = 5.0  # seconds in which a search should hear that it is to stop

Fallback = Array | Callable[[Array], Array]
"""The action of a period without a plan, [action_dim], or a function that gives one for the measured state."""


@dataclass
class PeriodCounts:
    """What happened in the periods so far.

    Attributes:
        periods: actions handed out.
        on_time: of a decision that was made for that period.
        late: whose decision was not ready.
        failed: whose decision, or the prediction of its state, raised an error.
        fallbacks: of those that were late or failed, without an action left of the last plan.
        missed: that passed before the loop came back to `Controller.wait`.
    """

    periods: int = 0
    on_time: int = 0
    late: int = 0
    failed: int = 0
    fallbacks: int = 0
    missed: int = 0


@dataclass
class _Task:
    """A decision to make for a period: in the state itself, or in that predicted for after the action.

    `begins`: whether it is the first of another episode.
    """

    period: int
    state: Array
    action: Array | None
    begins: bool
    decision: Decision | None = None
    error: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)


class Controller:
    """Hands out an action each period, whatever the planner does.

    A period whose decision is late or failed gets the next action of the last plan (`Decision.plan`); where that has
    none left, the fallback. Every decision is checked, as by `bonspiel.planners.testing.check_planner`, before the
    plant sees it. A `rate_limit` of the planner holds for late actions too, but not for the fallback.

    Use it as a context manager, which starts the thread and ends it. All calls of the model and of the planner are
    made in that thread. You may change fields of the model, such as `params`; the decision under way may see
    the old and the new values.

    Args:
        planner: decides; with a memory, from the last decision on.
        model: a step of which is a period.
        period: seconds.
        fallback: see `Fallback`; errors of a function reach the caller.
        budget: of a decision; 0.7 periods if None.
        seed: of the planner's random numbers.
        clock: `perf_counter()` and `sleep(seconds)`.

    Attributes:
        counts: see `PeriodCounts`.
        decision: the last that was made, or None.
        error: that of the last one that failed, or None.

    Raises:
        ValueError: the period is not above 0, the fallback is no action of the model, or planner or budget are none.
        TypeError: something that is no model, or one that the planner cannot search.
    """

    def __init__(
        self,
        planner: Planner,
        model: Model,
        period: float,
        fallback: Fallback,
        *,
        budget: Budget | None = None,
        seed: int = 0,
        clock: Any = time,
    ) -> None:
        require_positive("period", period)
        is_planner = callable(getattr(planner, "plan", None)) and not isinstance(planner, type)
        require(is_planner, "planner", planner, "one such as planners.make('icem')")
        require(budget is None or isinstance(budget, Budget), "budget", budget, "a planners.Budget")
        if not hasattr(model, "state_dim"):
            raise TypeError(not_a_model(model))
        if reason := unsupported(planner, model):
            raise TypeError(f"{type(planner).__name__} cannot search {type(model).__name__}: {reason}")
        if not callable(fallback):
            check_action(model, fallback, "fallback")
        self.counts = PeriodCounts()
        self.decision: Decision | None = None
        self.error: BaseException | None = None
        self._planner, self._model, self._fallback = planner, model, fallback
        self._period, self._clock, self._due = period, clock, 0.0
        self._budget = Budget(seconds=SHARE * period) if budget is None else budget
        self._steps, self._is_counted = 0.0, False  # of the plant, as last handed in; ever above 0
        self._begin_episode()
        self._rng = np.random.default_rng(seed)
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._stop, self._thread = threading.Event(), threading.Thread(target=self._work, daemon=True)
        self._next, self._plan, self._first = 0, np.empty((0, len(model.action_low))), 0
        self._task: _Task | None = None
        self._rates = Rates(model, 0.0, getattr(planner, "rate_limit", None), 1.0, None)

    def __enter__(self) -> Self:
        """Start the thread; a controller is used once.

        Raises:
            RuntimeError: it was used before.
        """
        if self._thread.ident is not None:  # a thread starts once
            raise RuntimeError("this controller was used before: make another one")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the search under way, and end the thread; one that does not hear it ends with the process."""
        self._stop.set()
        self._tasks.put(None)
        self._thread.join(CLOSING)

    def prepare(self, state: Array) -> None:
        """Plan the first action before the plant moves, in the state where it will be; the first time compiles.

        Raises:
            Exception: that of the decision, if it failed.
        """
        begins = self._begins_episode(state)
        task = self._ask(_Task(self._next, np.array(state, np.float64), None, begins))
        task.done.wait()
        if task.error is not None:
            self._task = None
            raise task.error

    def act(self, state: Array) -> Array:
        """The action of the period that begins now, [action_dim]; takes some microseconds.

        Args:
            state: measured now, [state_dim]; the next action is planned from it. A count of steps may stay 0; one
                that falls begins another episode, whose first action is the fallback unless `prepare` planned it.
        """
        period, counts, failed = self._next, self.counts, False
        if period == 0:
            self._due = self._clock.perf_counter()
        begins = self._begins_episode(state)
        if self._task is not None and self._task.done.is_set():
            task, self._task = self._task, None
            if task.decision is None:
                self.error, failed = task.error, True
            else:
                self.decision, self._plan, self._first = task.decision, task.decision.plan, task.period
        counts.periods += 1
        place = period - self._first
        if len(self._plan) > 0 and place == 0:
            counts.on_time += 1
        elif failed:
            counts.failed += 1
        else:
            counts.late += 1
        if place < len(self._plan):
            action = self._plan[place].copy()
            if place > 0:  # a plan that comes late began with another action than was played
                action = self._rates.limited(action[None])[0]
        else:
            counts.fallbacks += 1
            given = self._fallback(state) if callable(self._fallback) else self._fallback
            action = check_action(self._model, given).copy()
        self._next = period + 1
        self._rates.last = np.clip(action, self._model.action_low, self._model.action_high)
        if self._task is None:
            self._ask(_Task(period + 1, np.array(state, np.float64), action.copy(), begins))
        return action

    def wait(self) -> None:
        """Sleep until the next period begins; without it, the caller keeps the time.

        Before the first action it returns at once: that action's period is the first.
        """
        if self._next == 0:
            return
        self._due += self._period
        late = self._clock.perf_counter() - self._due
        if late >= self._period:
            missed = int(late / self._period)
            self.counts.missed += missed
            self._next += missed
            self._due += missed * self._period
        elif late < 0.0:
            self._clock.sleep(-late)

    def _begins_episode(self, state: Array) -> bool:
        """True if the plant's count of steps says that another episode has begun, whose plans are dropped."""
        if not (offers(self._model, HasTimeIndex) and np.shape(state) == (self._model.state_dim,)):
            return False
        steps, before = float(state[self._model.time_index]), self._steps
        if steps == steps:  # else the measurement is lost
            self._steps, self._is_counted = steps, self._is_counted or steps > 0.0
        if steps < before:
            self._task, self._plan = None, self._plan[:0]
        return steps < before

    def _ask(self, task: _Task) -> _Task:
        require(
            self._thread.is_alive(), "controller", "not running", "used within `with Controller(...) as controller:`"
        )
        self._task = task
        self._tasks.put(task)
        return task

    def _work(self) -> None:
        """The thread: make decisions until told to end."""
        plan, first, anew = np.empty((0, 0)), 0, False
        with stopped_by(self._stop):
            while (task := self._tasks.get()) is not None:
                try:
                    if task.begins or anew:
                        self._begin_episode()
                        plan, anew = plan[:0], False
                    # periods that nobody planned passed as well; and the first one was taken for one that is counted
                    if len(plan) > 0 and (task.period - first > 1 or (first == 1 and self._is_uncounted)):
                        self._start_from(plan[min(task.period - first, len(plan) - 1) :])
                    if task.action is not None:
                        self._checked.played(task.action)
                    decision = self._checked.plan(self._state(task), self._budget, self._rng)
                    plan, first = check_actions(self._model, decision.plan, "plan"), task.period
                    task.decision = decision
                except BaseException as error:  # also SystemExit, which others' code may raise
                    task.error = error
                    anew = len(plan) == 0  # a search that has decided nothing yet knows nothing but the failed state
                task.done.set()

    def _begin_episode(self) -> None:
        self._search = begin_episode(self._planner, self._model)
        self._checked = CheckedSearch(self._planner, self._model, self._search, others_change=True)

    def _start_from(self, plan: Array) -> None:
        start = getattr(self._search, "start_from", None)
        if start is not None and getattr(self._planner, "memory", 0.0) > 0.0:
            start(plan.copy())
        elif not self._is_counted:  # else the count tells the search which steps passed
            self._begin_episode()

    def _state(self, task: _Task) -> Array:
        """Where to plan.

        Raises:
            ValueError: the model predicts the end of the episode, or a state that is not finite.
        """
        model = self._model
        if task.action is None:
            return check_state(model, task.state)
        state, after = check_state(model, task.state), np.empty(model.state_dim)
        _, over = model.step(state, task.action, after, model.params, self._rng)
        require(not over, "state", state, "one after which the model predicts no end of the episode")
        if task.period > 1 and self._is_uncounted:
            after[model.time_index] = 0.0  # type: ignore[attr-defined]  # so that plans always look as far
        return after

    @property
    def _is_uncounted(self) -> bool:
        """True if states of the model count steps, but nobody does."""
        return offers(self._model, HasTimeIndex) and not self._is_counted
