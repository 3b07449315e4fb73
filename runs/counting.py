"""Model steps of a planner's simulations, counted while it decides; simulations that take a number of model steps.

A planner is handed a model that has a counter. It decides with the run's model as well, by the same draws: a count is
taken only if both searches were the same.
"""

import copy
import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bonspiel import envs, planners
from bonspiel.planners.checks import offers
from bonspiel.planners.model import Array, HasRollout, HasSequenceReturns, HasStepExact, HasTracedRollout, Model
from bonspiel.planners.planner import Decision
from bonspiel.runs.draws import environment_rng, planner_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.plants import PlantText

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


class Steps(NamedTuple):
    """Model steps per simulation, in decisions of `simulations` simulations; of none if the planner makes none."""

    simulations: int
    per_simulation: float


def watched(model: Model) -> tuple[Model, Array]:
    """A model whose `step` is counted wherever Python calls it, and its counter, for searches that are not compiled."""
    counter = np.zeros(1)
    return Watched(model, counter), counter


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


def _count(
    watch: Callable[[Model], tuple[Model, Array]], model: Model, planner: planners.Planner, setting: Setting
) -> Steps | None:
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
    return Steps(int(setting.budget), found / done) if done > 0 else Steps(0, 0.0)


def _same(a: Decision, b: Decision) -> bool:
    pairs = ((a.action, b.action), (a.visits, b.visits), (a.values, b.values))
    return a.simulations == b.simulations and all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in pairs)


@functools.cache
def simulations_for(env: str, planner: str, budget: float, seed: int) -> int:
    """The simulations of a planner that take at most `budget` steps of the model, by a count in first decisions.

    Raises:
        ValueError: they cannot be counted, or one simulation takes more.
    """
    model, chosen, simulations = envs.parse(PlantText.of(env).model), planners.parse(planner), FEW
    for _ in range(ROUNDS):
        found = count(model, chosen, Setting(env, planner, simulations, "simulations", seed))
        if found is None:
            raise ValueError("its steps of the model cannot be counted: give a budget in simulations or milliseconds")
        if found.simulations == 0:
            return 1  # which the planner ignores
        simulations = int(budget / found.per_simulation)
        if simulations < 1:
            raise ValueError(f"{budget:g} model steps: one simulation takes {found.per_simulation:.0f}")
    return simulations
