"""Model steps per simulation, counted inside the compiled model while a planner decides.

A planner is handed a model that does what the run's model does, and counts. The real functions' addresses and the
counter travel at the end of `params`, so that a few small functions serve every compiled model. The planner decides
with the real model as well, by the same draws: a count is reported only if both searches were the same.
"""

import functools
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bonspiel import envs, planners
from bonspiel.planners.core import jit
from bonspiel.planners.core.problem import functions_of
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Decision
from bonspiel.runs.experiment import Setting
from bonspiel.runs.progress import followed
from bonspiel.runs.results.store import Effort, Store
from bonspiel.runs.runner.episode import environment_rng, planner_rng

ROLES = len(jit.ROLES)
TAIL = ROLES + 2  # after the model's own params: addresses of its functions, length of an action, the counter
LONGEST = 0.02  # s; dearer decisions are not made again for a report
PATIENCE = 10  # times as long ones are for a leaderboard, which leaves out planners that cannot be counted
LARGEST = 1_000  # simulations
DECISIONS = 3


# Each function makes its Problem: a helper is compiled without reference counts, so it must not return arrays. Only
# `cells` reads the third field, and none the others after it.


@jit.compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """The model's own, counted."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    params[-1] += 1.0
    return jit.step(problem, state, action, next_state, rng)


@jit.compiled("step_exact")
def step_exact(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """The model's own, counted."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    params[-1] += 1.0
    return jit.step_exact(problem, state, action, next_state, rng)


@jit.compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """The model's own, a step at a time; NaN is counted for one that makes no steps.

    A rollout leaves the state as it was where a step ended the episode. One whose steps do not add up to the whole
    shows by another search.
    """
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    total, before = 0.0, np.empty_like(state)
    for _ in range(depth):
        before[:] = state
        scratch[0] = np.nan
        total += jit.rollout(problem, state, scratch, 1, rng)
        params[-1] += 1.0 if scratch[0] == scratch[0] else np.nan
        if (state == before).all():
            break
    return total


@jit.compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """The model's own."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    jit.sample_action(problem, state, action, rng)


@jit.compiled("player")
def player(state: Array, params: Array) -> float:
    """The model's own."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    return float(jit.player(problem, state))


@jit.compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """The model's own."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params, params[:-TAIL], params, 1.0, 1)
    jit.cells(problem, state, first, last, out)


@jit.compiled("actions")
def actions(state: Array, params: Array, out: Array, keys: NDArray[np.uint64]) -> int:
    """The model's own."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    return int(jit.actions(problem, state, out, keys))


@jit.compiled("traced_rollout")
def traced_rollout(
    state: Array,
    scratch: Array,
    depth: int,
    params: Array,
    rng: Rng,
    keys: NDArray[np.uint64],
    movers: Array,
    owners: Array,
) -> float:
    """The model's own, whose steps cannot be counted."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    params[-1] = np.nan
    return float(jit.traced_rollout(problem, state, scratch, depth, rng, keys, movers, owners))


@jit.compiled("priors")
def priors(state: Array, params: Array, actions: Array, out: Array) -> None:
    """The model's own."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    jit.priors(problem, state, actions, out)


@jit.compiled("region")
def region(action: Array, params: Array) -> int:
    """The model's own."""
    problem = jit.Problem(params[-TAIL:-2].view(np.int64), params[:-TAIL], params, params, 1.0, 1)
    return int(jit.region(problem, action))


COUNTING = {role: globals()[role] for role in jit.ROLES}


class Counted:
    """A model with a counter of steps; made by `counted`."""

    def __init__(self, model: Model) -> None:
        self._model = model
        addresses = functions_of(model)
        self.params = np.concatenate([model.params, addresses.view(np.float64), [len(model.action_low), 0.0]])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)  # all else is the model's

    @property
    def count(self) -> float:
        """Steps so far; NaN if a default policy's rollout could not be counted."""
        return float(self.params[-1])


@functools.cache
def _counted_class(cls: type[Any]) -> type[Counted]:
    """A class for each class of models, since the class of a model shows its capabilities."""
    roles = {role: staticmethod(cast(Any, function)) for role, function in COUNTING.items() if hasattr(cls, role)}
    return type(f"Counted{cls.__name__}", (Counted,), roles)


def counted(model: Model) -> Counted:
    """A model that does the same, and counts."""
    return _counted_class(type(model))(model)


class Steps(NamedTuple):
    """Model steps per simulation, in decisions of `simulations` simulations."""

    simulations: int
    per_simulation: float


def steps(model: Model, planner: planners.Planner, setting: Setting) -> Steps | None:
    """Count in the first decisions of a setting with a budget in simulations; None if it cannot be done."""
    if not model.compiled:
        return None
    done, found = 0, 0.0
    for episode in range(DECISIONS):
        state = model.initial_state(environment_rng(setting.seed, episode, 0))
        counting = counted(model)
        budget = planners.Budget(simulations=int(setting.budget))
        ours, theirs = (planner.plan(one, state, budget, planner_rng(setting, episode)) for one in (counting, model))
        if not _same(ours, theirs):
            return None
        done, found = done + ours.simulations, found + counting.count
    return Steps(int(setting.budget), found / done) if done and math.isfinite(found) else None


def _same(a: Decision, b: Decision) -> bool:
    pairs = ((a.action, b.action), (a.visits, b.visits), (a.values, b.values))
    return a.simulations == b.simulations and all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in pairs)


def of_run(store: Store) -> Iterator[tuple[str, str, Steps | None]]:
    """(environment, planner, steps) of a run: with the largest budget of at most 1,000 whose decisions are cheap."""
    for (env, planner), settings in _countable(store.efforts(), LONGEST).items():
        yield env, planner, _counted(settings[-1]) if settings else None


def of_settings(store: Store) -> dict[Setting, float]:
    """Model steps per simulation of every setting of a run: counted where its decisions are cheap.

    Other settings have the number of the planner's largest budget that was counted, and NaN if there is none.
    """
    efforts = store.efforts()
    found: dict[Setting, float] = {}
    largest: dict[tuple[str, str], float] = {}
    countable = [one for settings in _countable(efforts, PATIENCE * LONGEST).values() for one in settings]
    for setting in followed(countable, "settings counted"):
        if counted_here := _counted(setting):
            found[setting] = largest[setting.env, setting.planner] = counted_here.per_simulation
    return {one: found.get(one, largest.get((one.env, one.planner), math.nan)) for one in efforts}


def _countable(efforts: Mapping[Setting, Effort], longest: float) -> dict[tuple[str, str], list[Setting]]:
    """The settings with decisions of at most `longest` seconds, by environment and planner, smallest budget first."""
    found: dict[tuple[str, str], list[Setting]] = {(setting.env, setting.planner): [] for setting in efforts}
    for setting in sorted(efforts, key=lambda setting: setting.budget):
        quick = efforts[setting].seconds <= longest * efforts[setting].steps
        if setting.unit == "simulations" and setting.budget <= LARGEST and quick:
            found[setting.env, setting.planner].append(setting)
    return found


def _counted(setting: Setting) -> Steps | None:
    try:
        return steps(envs.parse(setting.env), planners.parse(setting.planner), setting)
    except Exception:  # of another version, or a planner that failed in the run as well
        return None
