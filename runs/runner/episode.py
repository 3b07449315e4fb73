"""One episode: a planner acts in an environment and replans at every step."""

import functools
import math
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.planners import checks
from bonspiel.planners.contract.decisions import BrokenContract, CheckedSearch, checked_plan
from bonspiel.planners.core.code.errors import error_text
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.model import Array
from bonspiel.runs.counting import StepBudget
from bonspiel.runs.draws import environment_rng, planner_rng
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.plants import PlantText
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.suite import model_of


@contextmanager
def failures_named(planner: str, env: str) -> Iterator[None]:
    """Turn an error of a planner or an environment into a RunError whose line names both."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise RunError(f"{planner} fails in {env}: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """The error and its place in one line, without the place if its message is complete."""
    if isinstance(error, BrokenContract):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = next((frame for frame in reversed(frames) if frame.filename != checks.__file__), frames[-1])
    if where.filename == __file__:
        return error_text(error)
    return f"{error_text(error)} ({Path(where.filename).name}, line {where.lineno}, in {where.name})"


def budget_of(amount: float, unit: str) -> planners.Budget:
    """A budget in simulations or in milliseconds ("ms") as planners take it."""
    if unit == "simulations":
        return planners.Budget(simulations=int(amount))
    return planners.Budget(seconds=amount / 1000.0)


Watch = Callable[[Array, planners.Decision, float], None]
"""Takes the state, the decision there, and the reward of the step that followed."""


def play(
    model: Any,
    planner: planners.Planner,
    setting: Setting,
    index: int,
    plant: Any = None,
    delay: int = 0,
    watch: Watch | None = None,
) -> Episode:
    """Play one episode.

    Args:
        model: a planners.Model to plan in.
        planner: the planner that acts.
        setting: seed and budget.
        index: number of the episode.
        plant: a planners.Model, the environment; the model if None.
        delay: steps from the choice of an action to its effect; before that the plant does nothing.
        watch: is shown each step.
    """
    own = planner_rng(setting, index)
    in_steps = StepBudget(model, planner, setting) if setting.unit == "steps" else None
    budget = budget_of(setting.budget, setting.unit)
    plant = model if plant is None else plant
    state = plant.initial_state(environment_rng(setting.seed, index, 0))
    under_way = deque([null_action(plant)] * delay)
    search = CheckedSearch(planner, in_steps.model if in_steps else model)
    total, weight, step = 0.0, 1.0, 0
    times, simulations, invalid, first_action = [], 0, 0, b""
    _check_finite(setting, state, 0)
    terminated, steps = False, plant.horizon - checks.steps_taken(plant, state)
    if steps < 1:
        raise ValueError(f"{setting.env} begins in state={state}: must have steps left")
    while not terminated and step < steps:
        _check_finite(setting, state, step)
        step += 1
        if in_steps:
            budget = in_steps.next(state)
        decision = search.plan(state, budget, own)
        if in_steps:
            in_steps.spend(decision)
        times.append(search.seconds)
        simulations += int(decision.simulations)
        invalid += int(decision.invalid)
        action = np.ascontiguousarray(decision.action, np.float64)
        search.played(action)
        first_action = first_action or action.astype("<f8").tobytes()
        next_state = np.empty_like(state)
        noise = environment_rng(setting.seed, index, step)
        under_way.append(action)
        reward, terminated = plant.step(state, under_way.popleft(), next_state, plant.params, noise)
        if not math.isfinite(reward):
            raise ValueError(f"{setting.env} gave reward={reward} in step {step}: must be finite")
        if watch is not None:
            watch(state, decision, reward)
        total += weight * reward
        weight *= plant.discount
        state = next_state
    if not math.isfinite(total):
        raise ValueError(f"{setting.env} gave rewards whose sum is {total}: must be finite")
    kept = np.array(times, "<f4").tobytes() if setting.unit == "ms" else None
    return Episode(index, float(total), step, sum(times), simulations, first_action, kept, invalid)


def _check_finite(setting: Setting, state: Array, steps: int) -> None:
    if not all(map(math.isfinite, state.tolist())):
        raise ValueError(f"{setting.env} gave state={state} after {steps} steps: must be finite")


@functools.cache
def _ready(env: str, planner: str, unit: str) -> tuple[Any, planners.Planner]:
    """A model and a planner that has planned once: loading or compiling its code is no part of a decision's time."""
    model, chosen, rng = model_of(env), planners.parse(planner), np.random.default_rng(0)
    with suppress(Exception, SystemExit):  # an error here occurs in the episodes as well, which report it
        smallest = budget_of(1, "simulations" if unit == "steps" else unit)
        checked_plan(chosen, model, model.initial_state(rng), smallest, rng)
    return model, chosen


def play_one(setting: Setting, index: int, watch: Watch | None = None) -> Episode:
    """Play an episode by the texts of its setting; see `play`."""
    model, planner = _ready(setting.env, setting.planner, setting.unit)
    parts = PlantText.of(setting.env)
    plant = model if parts.plant == parts.model else model_of(parts.plant)
    return play(model, planner, setting, index, plant, parts.delay, watch)


def play_batch(setting: Setting, indices: Sequence[int]) -> Batch:
    """Play some episodes; a failed one is reported in its place and does not stop the others."""
    _ready(setting.env, setting.planner, setting.unit)
    results: list[Episode | Failure] = []
    start = time.perf_counter()
    for index in indices:
        try:
            results.append(play_one(setting, index))
        except (Exception, SystemExit) as error:
            results.append(Failure(index, reason(error)))
    return Batch(setting, results, time.perf_counter() - start)
