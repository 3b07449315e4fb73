"""Model steps of a planner's simulations, counted while it decides; budgets of decisions in model steps.

A planner is handed a model that has a counter. It decides with the run's model as well, by the same draws: a count is
taken only if both searches were the same.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from bonspiel import planners
from bonspiel.planners.checks import steps_left
from bonspiel.planners.contract.counting import StepCounter, counting
from bonspiel.planners.model import Array, Model
from bonspiel.planners.planner import Decision, traits_of
from bonspiel.runs.draws import environment_rng, planner_rng
from bonspiel.runs.experiment import Setting

DECISIONS = 3
FEW = 16  # simulations, in which steps are counted first
ROUNDS = 3  # of counts, each with the simulations that the one before suggests
SOFT = 0.05  # model steps that a simulation counts as at least: in a tree that holds the whole problem it takes none
SMOOTH = 0.5  # of what a simulation took, for the weight of the last decision
NOT_COUNTED = "its model steps cannot be counted: give a budget in simulations or milliseconds"
MADE_UP = 0.25  # of what decisions have taken more or less than their steps, in the next one


class Steps(NamedTuple):
    """Model steps per simulation, in decisions of `simulations` simulations; of none if the planner makes none."""

    simulations: int
    per_simulation: float


def count(
    model: Model, planner: planners.Planner, setting: Setting, watched: tuple[Model, StepCounter] | None = None
) -> Steps | None:
    """Count in the first decisions of a setting with a budget in simulations; None if it cannot be done.

    By a model of `counting` if one is given, else by a new one, whose steps are NaN if a rollout could not be counted.
    """
    done, found = 0, 0.0
    one, counter = counting(model, math.nan) if watched is None else watched
    for episode in range(DECISIONS):
        state, budget = model.initial_state(environment_rng(setting.seed, episode, 0)), int(setting.budget)
        if episode == 0:  # a search may estimate bounds of the model first, once
            planner.plan(one, state, planners.Budget(simulations=1), planner_rng(setting, episode))
        counter.reset()
        ours, theirs = (
            planner.plan(each, state, planners.Budget(simulations=budget), planner_rng(setting, episode))
            for each in (one, model)
        )
        if not _same(ours, theirs):
            return None
        done, found = done + ours.simulations, found + counter.steps
    if done == 0:
        return Steps(0, 0.0)
    return Steps(int(setting.budget), found / done) if found > 0.0 else None  # nor NaN


def _same(a: Decision, b: Decision) -> bool:
    pairs = ((a.action, b.action), (a.visits, b.visits), (a.values, b.values))
    return a.simulations == b.simulations and all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in pairs)


class StepBudget:
    """Budgets of an episode's decisions in simulations, such that they take a number of model steps on the mean.

    A decision has as many simulations as take that number, by what a simulation took in the last decisions, but no more
    than the steps left. What decisions have taken more or less is made up for little by little, by half of a decision's
    steps at most. For the first decision, simulations are counted in first decisions of three episodes.

    Args:
        model: of the setting's environment.
        planner: of the setting.
        setting: with a budget in steps.

    Attributes:
        model: the one to search with, which counts its steps.
    """

    def __init__(self, model: Model, planner: planners.Planner, setting: Setting) -> None:
        self.model, self._counter, self._each = _first(model, planner, setting)
        self._counter.reset()
        self._steps, self._owed, self._multiple = float(setting.budget), 0.0, _multiple(planner)

    def next(self, state: Array) -> planners.Budget:
        """The budget of the decision in a state, [state_dim]."""
        half = 0.5 * self._steps
        made_up = min(max(MADE_UP * self._owed, -half), half)
        each = self._multiple * min(self._each, steps_left(self.model, state))
        return planners.Budget(simulations=max(1, round((self._steps + made_up) / each)))

    def spend(self, decision: Decision) -> float:
        """The model steps that the decision took, by which the next ones have more or fewer simulations."""
        took = self._counter.steps
        self._counter.reset()
        if math.isnan(took):
            raise ValueError(NOT_COUNTED)
        self._owed += self._steps - took
        if decision.simulations > 0:
            each = SMOOTH * took / decision.simulations + (1.0 - SMOOTH) * self._each
            self._each = max(each, SOFT)
        return took


def _multiple(planner: planners.Planner) -> float:
    """The simulations that a planner makes of one in its budget."""
    multiple = traits_of(planner).budget_multiple
    return multiple if math.isfinite(multiple) else 1.0


Found = tuple[Model, StepCounter, float]
_found: dict[tuple[Any, ...], tuple[Model, Found]] = {}  # with the model, whose id stays its own


def _first(model: Model, planner: planners.Planner, setting: Setting) -> Found:
    """A model that counts, its counter, and the model steps that a simulation of a first decision takes."""
    key = (id(model), *setting[1:5])
    if key in _found:
        return _found[key][1]
    if not traits_of(planner).reproducible:
        raise ValueError("its model steps differ from time to time: give a budget in simulations or milliseconds")
    simulations, watched = FEW, counting(model, math.nan)
    for _ in range(ROUNDS):
        found = count(model, planner, setting._replace(budget=simulations, unit="simulations"), watched)
        if found is None:
            raise ValueError(NOT_COUNTED)
        if found.simulations == 0:  # it makes none, whatever the budget
            each = float(setting.budget)
            break
        each = max(found.per_simulation, SOFT)
        if each > setting.budget:
            raise ValueError(f"{setting.budget:g} model steps: one simulation takes {each:.4g}")
        simulations = max(1, round(setting.budget / (each * _multiple(planner))))
    found_first = *watched, each
    _found[key] = model, found_first
    return found_first
