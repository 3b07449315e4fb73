"""Planners that break the contract of planners, each in one way; the random planner otherwise."""

import ctypes
import itertools
import os
import sys
import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bonspiel.planners import Decision
from bonspiel.planners.checks import steps_left
from bonspiel.planners.planner import Traits, check_plan

KEPT, SEEN = [], {}
COUNT = itertools.count()


@dataclass(frozen=True)
class Right:
    traits: ClassVar[Traits] = Traits(takes_root_actions=False, converges=False)

    def act(self, model, state, rng):
        return rng.uniform(model.action_low, model.action_high)

    def plan(self, model, state, budget, rng, root_actions=None):
        state = check_plan(self, model, state, budget, rng, root_actions)
        start, action = time.perf_counter(), self.act(model, state, rng)
        simulations = budget.simulations or 1
        rows = np.array([action]), np.array([simulations]), np.zeros(1)
        return Decision(action, 0.0, simulations, time.perf_counter() - start, *rows)


class GlobalDraw(Right):
    def act(self, model, state, rng):
        return np.random.uniform(model.action_low, model.action_high)  # noqa: NPY002


class GlobalSeed(Right):
    def act(self, model, state, rng):
        np.random.seed(0)  # noqa: NPY002
        return super().act(model, state, rng)


class OwnDraw(Right):
    def act(self, model, state, rng):
        return np.random.default_rng().uniform(model.action_low, model.action_high)


class Counts(Right):
    def act(self, model, state, rng):
        return model.action_low + (model.action_high - model.action_low) * ((next(COUNT) * 0.618034) % 1.0)


class SharedAction(Right):
    buffers: ClassVar[dict] = {}

    def act(self, model, state, rng):
        buffer = self.buffers.setdefault(len(model.action_low), np.zeros(len(model.action_low)))
        buffer[:] = super().act(model, state, rng)
        return buffer[:]


class ActionOfModel(Right):
    def act(self, model, state, rng):
        return model.action_high


class ManySteps(Right):
    def act(self, model, state, rng):
        for _ in range(20_000):
            model.step(state, model.action_high, np.empty_like(state), model.params, rng)
        return super().act(model, state, rng)


class ThriceTheSteps(Right):
    """Three plans for every simulation that it reports."""

    times = 3

    def plan(self, model, state, budget, rng, root_actions=None):
        for _ in range(self.times * (budget.simulations or 1)):
            at = state.copy()
            for _ in range(steps_left(model, state)):
                model.step(at, model.action_high, following := np.empty_like(at), model.params, rng)
                at = following
        return super().plan(model, state, budget, rng, root_actions)


class FewSimulations(Right):
    """A plan for every simulation, of which it reports one."""

    def plan(self, model, state, budget, rng, root_actions=None):
        for _ in range(budget.simulations or 1):
            at = state.copy()
            for _ in range(steps_left(model, state)):
                model.step(at, model.action_high, following := np.empty_like(at), model.params, rng)
                at = following
        return replace(super().plan(model, state, budget, rng, root_actions), simulations=1)


class Late(Right):
    def act(self, model, state, rng):
        time.sleep(0.4)
        return super().act(model, state, rng)


class Keeps(Right):
    def act(self, model, state, rng):
        KEPT.append(np.ones(200_000))
        return super().act(model, state, rng)


class LooksUp(Right):
    """Knows an action for the rest of the process, once it was drawn."""

    def act(self, model, state, rng):
        if (key := state.tobytes()) not in SEEN:
            SEEN[key] = rng.uniform(model.action_low, model.action_high)
        return SEEN[key].copy()


class TwiceTheSteps(ThriceTheSteps):
    """Two plans for every simulation that it reports."""

    times = 2


class Prints(Right):
    def act(self, model, state, rng):
        print("thinking about", state)
        return super().act(model, state, rng)


class Fails(Right):
    def act(self, model, state, rng):
        return self.no_such


class FailsElsewhere(Right):
    def act(self, model, state, rng):
        if state[model.time_index] == 2.0:
            raise KeyError("boom")
        return super().act(model, state, rng)


class FailsLater(Right):
    def act(self, model, state, rng):
        if next(COUNT) % 50 == 49:
            raise KeyError("boom")
        return super().act(model, state, rng)


class Leaves(Right):
    def act(self, model, state, rng):
        sys.exit(3)


class Exits(Right):
    def act(self, model, state, rng):
        os._exit(3)


class Crashes(Right):
    def act(self, model, state, rng):
        ctypes.string_at(0)


class Hangs(Right):
    def act(self, model, state, rng):
        while True:
            time.sleep(0.1)


class Spins(Right):
    def act(self, model, state, rng):
        while True:
            pass


class NoParameters(Right):
    """Equal to nothing but itself."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class InPlace(Right):
    """Simulates in the state that it was given, the commonest fault of a first search."""

    def act(self, model, state, rng):
        for _ in range(steps_left(model, state)):
            model.step(state, model.action_high, state, model.params, rng)
        return super().act(model, state, rng)
