"""Model steps of a planner's simulations, counted while it decides; budgets of decisions in model steps.

A planner is handed a model that has a counter. It decides with the run's model as well, by the same draws: a count is
taken only if both searches were the same.
"""

import copy
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bonspiel import planners
from bonspiel.planners.checks import offers, steps_left
from bonspiel.planners.model import Array, HasRollout, HasSequenceReturns, HasStepExact, HasTracedRollout, Model
from bonspiel.planners.planner import Decision, traits_of
from bonspiel.runs.draws import environment_rng, planner_rng
from bonspiel.runs.experiment import Setting

DECISIONS = 3
FEW = 16  # simulations, in which steps are counted first
ROUNDS = 3  # of counts, each with the simulations that the one before suggests
OF_SEVERAL_STEPS = HasRollout, HasTracedRollout, HasStepExact  # functions of a model that step by themselves


def counted(model: Model) -> tuple[Model, Array]:
    """A copy of a model whose steps in searches are counted, and its counter; the first entry is the steps so far.

    It is NaN if a rollout could not be counted, and 0 if the planner makes steps in ways of its own.
    """
    copied, counter = copy.copy(model), np.zeros(1 + model.state_dim)
    object.__setattr__(copied, "step_counter", counter)  # models are frozen
    return copied, counter


Watch = Callable[[Model], tuple[Model, Array]]
"""Gives a model that counts its steps in searches, and its counter."""


class Steps(NamedTuple):
    """Model steps per simulation, in decisions of `simulations` simulations; of none if the planner makes none.

    Counted by `watch`.
    """

    simulations: int
    per_simulation: float
    watch: Watch = counted


def watched(model: Model) -> tuple[Model, Array]:
    """A model whose `step` is counted wherever Python calls it, and its counter, for searches that are not compiled."""
    counter = np.zeros(1)
    named = type(type(model).__name__, (Watched,), {})  # messages name the class
    return named(model, counter), counter


class Watched:
    """A model that counts the steps of `step` and `sequence_returns`, and is else the one that it holds."""

    def __init__(self, model: Model, counter: Array) -> None:
        self._model, self._counter = model, counter
        if offers(model, HasSequenceReturns):
            self.sequence_returns = self._sequence_returns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def step(self, *given: Any) -> tuple[float, bool]:
        """Step and count."""
        self._counter[0] += 1.0
        return self._model.step(*given)

    def _sequence_returns(self, state: Array, actions: Array, *given: Any) -> Array:
        self._counter[0] += actions.shape[0] * actions.shape[1]
        returns: Array = self._model.sequence_returns(state, actions, *given)  # type: ignore[attr-defined]
        return returns


def count(model: Model, planner: planners.Planner, setting: Setting) -> Steps | None:
    """Count in the first decisions of a setting with a budget in simulations; None if it cannot be done.

    A search in Python cannot be counted if the model has functions, such as `rollout`, that make several steps.
    """
    found = _count(counted, model, planner, setting) if model.compiled else None
    if model.compiled and (found is None or found.simulations == 0 or found.per_simulation > 0.0):
        return found
    if any(offers(model, part) for part in OF_SEVERAL_STEPS):
        return None
    found = _count(watched, model, planner, setting)
    return found if found is not None and (found.simulations == 0 or found.per_simulation > 0.0) else None


def _count(watch: Watch, model: Model, planner: planners.Planner, setting: Setting) -> Steps | None:
    done, found = 0, 0.0
    for episode in range(DECISIONS):
        state = model.initial_state(environment_rng(setting.seed, episode, 0))
        counting, counter = watch(model)
        budget = planners.Budget(simulations=int(setting.budget))
        ours, theirs = (planner.plan(one, state, budget, planner_rng(setting, episode)) for one in (counting, model))
        if not _same(ours, theirs):
            return None
        done, found = done + ours.simulations, found + float(counter[0])
    if math.isnan(found):
        return None
    return Steps(int(setting.budget), found / done, watch) if done > 0 else Steps(0, 0.0, watch)


def _same(a: Decision, b: Decision) -> bool:
    pairs = ((a.action, b.action), (a.visits, b.visits), (a.values, b.values))
    return a.simulations == b.simulations and all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in pairs)


class StepBudget:
    """Budgets of an episode's decisions in simulations, such that they take a number of model steps each.

    A decision has as many simulations as take that number if each takes what one of the last decision took, which is at
    most the steps left and counts as one at least: in a tree that holds the whole problem, simulations take none. What
    decisions have taken more or less, the next ones make up for, each by half of its own steps at most. For the first
    decision, simulations are counted in first decisions of three episodes.

    Args:
        model: of the setting's environment.
        planner: of the setting.
        setting: with a budget in steps.

    Attributes:
        model: the one to search with, which counts its steps.

    Raises:
        ValueError: steps cannot be counted, or one simulation takes more than the budget.
    """

    def __init__(self, model: Model, planner: planners.Planner, setting: Setting) -> None:
        watch, self._each = _first(model, planner, setting)
        self.model, self._counter = watch(model)
        self._steps, self._owed, self._multiple = float(setting.budget), 0.0, _multiple(planner)

    def next(self, state: Array) -> planners.Budget:
        """The budget of the decision in a state, [state_dim]."""
        made_up = min(max(self._owed, -0.5 * self._steps), 0.5 * self._steps)
        each = self._multiple * min(self._each, steps_left(self.model, state))
        return planners.Budget(simulations=max(1, round((self._steps + made_up) / each)))

    def spend(self, decision: Decision) -> float:
        """The model steps that the decision took, by which the next ones have more or fewer simulations."""
        took, self._counter[0] = float(self._counter[0]), 0.0
        self._owed += self._steps - took
        if decision.simulations > 0:
            self._each = max(took / decision.simulations, 1.0)
        return took


def _multiple(planner: planners.Planner) -> float:
    """The simulations that a planner makes of one in its budget."""
    multiple = traits_of(planner).budget_multiple
    return multiple if math.isfinite(multiple) else 1.0


_found: dict[tuple[Any, ...], tuple[Watch, float]] = {}


def _first(model: Model, planner: planners.Planner, setting: Setting) -> tuple[Watch, float]:
    """The way to count, and the model steps that a simulation of a first decision takes."""
    key = setting[:5]
    if key in _found:
        return _found[key]
    if not traits_of(planner).reproducible:
        raise ValueError("its model steps differ from time to time: give a budget in simulations or milliseconds")
    simulations = FEW
    for _ in range(ROUNDS):
        found = count(model, planner, setting._replace(budget=simulations, unit="simulations"))
        if found is None:
            raise ValueError("its model steps cannot be counted: give a budget in simulations or milliseconds")
        if found.simulations == 0:  # it makes none, whatever the budget
            each = float(setting.budget)
            break
        each = max(found.per_simulation, 1.0)
        if each > setting.budget:
            raise ValueError(f"{setting.budget:g} model steps: one simulation takes {each:.4g}")
        simulations = max(1, round(setting.budget / (each * _multiple(planner))))
    _found[key] = found.watch, each  # type: ignore[union-attr]  # there is at least one round
    return _found[key]
