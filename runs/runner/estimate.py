"""The expected time of a suite on this machine, from a few trial episodes of every planner."""

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from operator import truediv
from statistics import mean, median
from typing import NamedTuple

import numpy as np

import envs
import planners
from runs.experiment import RunError, Setting
from runs.part import WHOLE, Part
from runs.progress import counted
from runs.runner import parallel
from runs.runner.episode import play, reason
from runs.suite import Suite
from runs.tables import by_setting

LADDER = (1, 10, 100, 1000, 10_000, 100_000)  # budgets in simulations that are tried
RUNG_SECONDS, RUNG_EPISODES = 0.1, 20  # what is played at each of them at most, but for one episode
LONG = 0.05  # seconds: episodes with ten times the simulations would take too long to be tried
DECISION_SECONDS = 0.1  # with larger budgets single decisions are made, until one takes so long
ENOUGH = 10  # episodes give the mean length; those of smaller budgets count too where there are fewer


class Rung(NamedTuple):
    """Measured cost of some episodes.

    Attributes:
        simulations: a decision.
        seconds: of a decision, with its share of everything else; the median over episodes.
        decisions: in an episode, on average.
    """

    simulations: int
    seconds: float
    decisions: float


class Cost(NamedTuple):
    """Expected cost of a setting.

    Attributes:
        seconds: an episode, on one core.
        measured: whether the planner was tried with as large a budget.
    """

    seconds: float
    measured: bool

    def __str__(self) -> str:
        """The time of an episode, marked if it is extrapolated."""
        return f"{'' if self.measured else '~'}{duration(self.seconds)}"


def climb(env: str, planner: str, largest: float) -> tuple[str, str, list[Rung]]:
    """Play episodes with larger and larger budgets, and, when they take long, make first decisions alone.

    Args:
        env: the environment's text.
        planner: the planner's text.
        largest: the last budget to try.

    Raises:
        RunError: an episode failed.
    """
    model, player = envs.parse(env), planners.parse(planner)
    rungs: list[Rung] = []
    decisions: list[int] = []
    try:
        play(model, player, Setting(env, planner, 1, "simulations", 0), 0)  # loads what is compiled
        for simulations in LADDER:
            setting = Setting(env, planner, simulations, "simulations", 0)
            took: list[float] = []
            while not took or (sum(took) < RUNG_SECONDS and len(took) < RUNG_EPISODES):
                began = time.process_time()
                decisions.append(play(model, player, setting, len(took)).steps)
                took.append(time.process_time() - began)
            seconds = median(map(truediv, took, decisions[-len(took) :]))
            rungs.append(Rung(simulations, seconds, mean(decisions[-max(len(took), ENOUGH) :])))
            if seconds * rungs[-1].decisions > LONG or simulations >= largest:
                break
        start = model.initial_state(np.random.default_rng(0))
        for simulations in LADDER[len(rungs) :]:
            if rungs[-1].seconds >= DECISION_SECONDS or rungs[-1].simulations >= largest:
                break
            began = time.process_time()
            player.plan(model, start, planners.Budget(simulations=simulations), np.random.default_rng(0))
            rungs.append(Rung(simulations, time.process_time() - began, rungs[-1].decisions))
    except Exception as error:
        raise RunError(f"{planner} fails in {env}: {reason(error)}") from error
    return env, planner, rungs


def cost(rungs: Sequence[Rung], budget: float, unit: str) -> Cost:
    """The cost of an episode with a budget.

    Time budgets are kept by the planner, so that only the number of decisions is taken from what was measured. Time in
    simulations is interpolated between budgets that were tried, in logarithms; beyond them a decision's grows with the
    budget as between the last two, but at least linearly and at most quadratically.
    """
    if unit == "ms":
        alike = min(rungs, key=lambda rung: abs(math.log(1e3 * rung.seconds / budget)))
        return Cost(alike.decisions * budget / 1e3, measured=False)
    for low, high in pairwise(rungs):
        if low.simulations <= budget <= high.simulations:
            part = math.log(budget / low.simulations) / math.log(high.simulations / low.simulations)
            seconds, decisions = (a ** (1.0 - part) * b**part for a, b in zip(low[1:], high[1:], strict=True))
            return Cost(seconds * decisions, measured=True)
    last = rungs[-1]
    seconds = last.seconds * (budget / last.simulations) ** _growth(rungs)
    return Cost(seconds * last.decisions, measured=budget == last.simulations)


def _growth(rungs: Sequence[Rung]) -> float:
    """The exponent of a decision's time in its simulations."""
    if len(rungs) < 2:
        return 1.0
    before, last = rungs[-2:]
    return min(2.0, max(1.0, math.log(last.seconds / before.seconds) / math.log(last.simulations / before.simulations)))


def estimate(suite: Suite, jobs: int) -> dict[Setting, Cost]:
    """The expected cost of an episode of each setting, measured on as many workers as the run has.

    It is the processor's time that is measured, so that other programs on the machine hardly matter.

    Raises:
        RunError: a planner failed.
    """
    largest: dict[tuple[str, str], float] = {}
    for env, planner, budget, unit, _ in suite.settings():
        needed = budget if unit == "simulations" else math.inf
        largest[env, planner] = max(largest.get((env, planner), 0.0), needed)
    with closing(parallel.spread(climb, ((*key, needed) for key, needed in largest.items()), jobs)) as found:
        ladders = {(env, planner): rungs for env, planner, rungs in found}
    return {
        setting: cost(ladders[setting.env, setting.planner], setting.budget, setting.unit)
        for setting in suite.settings()
    }


def text(suite: Suite, costs: Mapping[Setting, Cost], jobs: int, part: Part = WHOLE) -> str:
    """Episodes of a suite and their expected time: a table for each environment and unit, and the sum.

    Args:
        suite: the suite to run.
        costs: as from `estimate`.
        jobs: worker processes.
        part: the share of the episodes to run.
    """
    episodes = {setting: len(part.episodes(count)) for setting, count in suite.episodes().items()}
    tables = by_setting(suite, {setting: f"{count} x {costs[setting]}" for setting, count in episodes.items()})
    name = suite.name if part == WHOLE else f"{suite.name}, part {part}"
    return "\n\n".join([*tables, f"{name}: {_whole(episodes, costs, jobs)}"])


def _whole(episodes: Mapping[Setting, int], costs: Mapping[Setting, Cost], jobs: int) -> str:
    played = [(count, costs[setting]) for setting, count in episodes.items() if count]
    work = sum(count * cost.seconds for count, cost in played)
    guessed = sum(count * cost.seconds for count, cost in played if not cost.measured)
    wall = max([work / jobs, *(cost.seconds for _, cost in played)])
    return (
        f"{counted(sum(episodes.values()), 'episode')} of {counted(len(played), 'setting')}, about "
        f"{duration(wall)} with {counted(jobs, 'job')} ({duration(work)} of work); nothing was started\n"
        "cells: episodes x time of one on an idle machine, measured now with a few episodes of every planner;\n"
        f"~ extrapolated, {guessed / work if work else 0.0:.0%} of the time: in simulations from the largest budget "
        "tried, in ms from the number of decisions"
    )


def duration(seconds: float) -> str:
    """A time for people, in two digits."""
    for unit, size, limit in (("ms", 1e-3, 1.0), ("s", 1.0, 120.0), ("min", 60.0, 7200.0)):
        if seconds < limit:
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return f"{seconds / 3600.0:.1f} h"
