"""Searches in this process: speed, growth of the cost, overruns of time budgets."""

import math
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.contract.counting import counting
from bonspiel.runs.benchmarks.measurement import TRAP, Measurement, planner_name, seconds_of, simulations_for

MODELS = {TRAP: (100, 1_000, 100_000), "treasure_hunt:size=5": (1_000,)}
COUNTED = 1_000  # simulations up to which model steps are counted
WALKS = ("trap", "treasure_hunt:size=1000,hole_terminates=false")  # nothing ends a walk in these
WALK_STEPS = 10_000
GROWTH = (1_000, 3_000, 10_000)
ALL_NEIGHBOURS = "weighted_uct:neighbours=all"  # as in the thesis
TIMED = (TRAP, "treasure_hunt:size=15")
MILLISECONDS = (10, 100, 1_000)
TIMED_REPEATS = 3


def count_steps(planner: planners.Planner, model: Any, simulations: int) -> int:
    """Model steps of a search from the start."""
    (watched, counter), rng = counting(model, math.nan), np.random.default_rng(0)
    planner.plan(watched, model.initial_state(rng), Budget(simulations=simulations), rng)
    return int(counter.steps)


def seconds_of_decision(planner: planners.Planner, model: Any, simulations: int) -> float:
    """Median seconds of a decision at the start state."""
    rng = np.random.default_rng(0)
    state = model.initial_state(rng)
    return seconds_of(partial(planner.plan, model, state, Budget(simulations=simulations), rng))


def speed(texts: Sequence[str]) -> Iterator[Measurement]:
    """Decisions at the start state, on one core."""
    for env, budgets in MODELS.items():
        model = envs.parse(env)
        for text in texts:
            planner = planners.parse(text)
            for n in simulations_for(text, budgets):
                seconds = seconds_of_decision(planner, model, n)
                yield Measurement("speed", n / seconds, "simulations/s", text, env, n)
                if n <= COUNTED:
                    yield Measurement("speed", count_steps(planner, model, n) / seconds, "model steps/s", text, env, n)


def yardstick(texts: Sequence[str]) -> Iterator[Measurement]:
    """Random walks without any search: the cost of the compiled models."""
    for env in WALKS:
        model, rng = envs.parse(env), np.random.default_rng(0)
        state, scratch = model.initial_state(rng), model.initial_state(rng)
        seconds = seconds_of(partial(model.rollout, state, scratch, WALK_STEPS, model.params, rng))
        yield Measurement("yardstick", WALK_STEPS / seconds, "model steps/s", "(none)", env)


def growth(texts: Sequence[str]) -> Iterator[Measurement]:
    """Cost of a decision, and the exponent with which it grows: the slope of log seconds against log simulations."""
    model, compared = envs.parse(TRAP), list(texts)
    if "weighted_uct" in map(planner_name, texts):
        compared.append(ALL_NEIGHBOURS)
    for text in dict.fromkeys(compared):
        seconds = [seconds_of_decision(planners.parse(text), model, n) for n in GROWTH]
        slope, _ = np.polyfit(np.log(GROWTH), np.log(seconds), 1)
        yield Measurement("growth", seconds[-1], "s/decision", text, TRAP, GROWTH[-1])
        yield Measurement("growth", float(slope), "exponent", text, f"{TRAP} {GROWTH[0]:,} to {GROWTH[-1]:,}")


def overruns(texts: Sequence[str]) -> Iterator[Measurement]:
    """Time that a decision takes beyond its budget, the worst of a few."""
    for env in TIMED:
        model = envs.parse(env)
        for text in texts:
            planner, rng = planners.parse(text), np.random.default_rng(0)
            state = model.initial_state(rng)
            planner.plan(model, state, Budget(simulations=1), rng)
            for milliseconds in MILLISECONDS:
                beyond = []
                for _ in range(TIMED_REPEATS):
                    start = time.perf_counter()
                    planner.plan(model, state, Budget(seconds=milliseconds / 1e3), rng)
                    beyond.append(1e3 * (time.perf_counter() - start) - milliseconds)
                yield Measurement("overrun", max(beyond), "ms", text, env, milliseconds=milliseconds)
