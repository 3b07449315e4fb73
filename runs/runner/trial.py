"""Trials of planners before a run: a few episodes with small budgets, or single decisions where these take long."""

import math
import time
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from operator import truediv
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

import planners
from runs.experiment import Setting
from runs.runner import episode
from runs.runner.episode import Batch, budget_of, play

LADDER = (1, 10, 100, 1000, 10_000, 100_000)  # budgets in simulations that are tried
RUNG_SECONDS, RUNG_EPISODES = 0.1, 20  # what is played at each of them at most, but for one episode
LONG = 0.05  # seconds: episodes with ten times the simulations would take too long to be tried
DECISION_SECONDS = 0.03  # with larger budgets single decisions are made, until one takes so long
POINTS = 4  # of an episode at which these are made: near its end plans look fewer steps ahead
ENOUGH = 10  # episodes give the mean length; those of smaller budgets count too where there are fewer


class Rung(NamedTuple):
    """Measured cost of some episodes or decisions.

    Attributes:
        simulations: a decision.
        seconds: of a decision, with its share of everything else; the median over episodes.
        decisions: in an episode, on average.
    """

    simulations: int
    seconds: float
    decisions: float


class Trial(NamedTuple):
    """What was measured of a planner.

    Attributes:
        setting: the planner and its environment, with the largest budget to try.
        rungs: smallest budget first; none if the planner failed.
        slowdown: elapsed time over the processor's, above 1 where other programs share the cores.
    """

    setting: Setting
    rungs: list[Rung]
    slowdown: float = 1.0


class Cost(NamedTuple):
    """Expected cost of a setting.

    Attributes:
        seconds: an episode, on one core.
        measured: whether the planner was tried with as large a budget.
    """

    seconds: float
    measured: bool


def largest(settings: Sequence[Setting]) -> list[Setting]:
    """For each planner in an environment and unit of budgets the setting with its largest budget: what to try."""
    found: dict[tuple[str, str, str], Setting] = {}
    for setting in sorted(settings, key=lambda setting: setting.budget):
        found[group(setting)] = setting
    return list(found.values())


def group(setting: Setting) -> tuple[str, str, str]:
    """What settings that differ in their budgets alone have in common."""
    return setting.env, setting.planner, setting.unit


def climb(setting: Setting) -> Trial:
    """Try larger and larger budgets, up to the setting's: in whole episodes, or in decisions when these take long.

    It is the processor's time that rungs measure, so that other programs on the machine hardly matter.
    """
    model, player = episode.model_of(setting.env), planners.parse(setting.planner)
    rungs: list[Rung] = []
    lengths: list[int] = []
    for state in islice(_random_states(model), 2):  # loads what is compiled
        _decide(model, player, 1, state)
    elapsed, used = time.perf_counter(), time.process_time()
    for simulations in LADDER:
        if rungs and _reaches(rungs[-1], setting):
            break
        if _is_short(model, player, rungs):
            rungs.append(_episodes(model, player, setting._replace(budget=simulations, unit="simulations"), lengths))
        elif rungs and rungs[-1].seconds >= DECISION_SECONDS:
            break
        else:
            steps = rungs[-1].decisions if rungs else model.horizon
            rungs.append(Rung(simulations, _decisions(model, player, simulations), steps))
    elapsed, used = time.perf_counter() - elapsed, time.process_time() - used
    return Trial(setting, rungs, max(1.0, elapsed / used))


def _reaches(rung: Rung, setting: Setting) -> bool:
    """Whether nothing larger is needed."""
    if setting.unit == "simulations":
        return rung.simulations >= setting.budget
    return rung.seconds >= setting.budget / 1e3


def _is_short(model: Any, player: planners.Planner, rungs: Sequence[Rung]) -> bool:
    """Whether whole episodes can be played with ten times the last budget; with the first one, while none was."""
    if rungs:
        return rungs[-1].seconds * rungs[-1].decisions <= LONG
    start = model.initial_state(np.random.default_rng(0))
    return model.horizon * _decide(model, player, 1, start) <= 10.0 * LONG


def _episodes(model: Any, player: planners.Planner, setting: Setting, lengths: list[int]) -> Rung:
    """Some episodes, whose lengths join those of smaller budgets."""
    took: list[float] = []
    while not took or (sum(took) < RUNG_SECONDS and len(took) < RUNG_EPISODES):
        began = time.process_time()
        lengths.append(play(model, player, setting, len(took)).steps)
        took.append(time.process_time() - began)
    seconds = median(map(truediv, took, lengths[-len(took) :]))
    return Rung(int(setting.budget), seconds, mean(lengths[-max(len(took), ENOUGH) :]))


def _decisions(model: Any, player: planners.Planner, simulations: int) -> float:
    """Mean time of decisions at `POINTS` of an episode of random actions."""
    length = sum(1 for _ in _random_states(model))
    chosen = {int((i + 0.5) * length / POINTS) for i in range(POINTS)}
    states = (state for i, state in enumerate(_random_states(model)) if i in chosen)
    return mean(_decide(model, player, simulations, state) for state in states)


def _random_states(model: Any) -> Iterator[Any]:
    """The states of an episode of random actions but for the last, always the same."""
    rng = np.random.default_rng(0)
    state, action = model.initial_state(rng), np.empty(len(model.action_low))
    for _ in range(model.horizon):
        yield state
        following = np.empty_like(state)
        model.sample_action(state, action, model.params, rng)
        if model.step(state, action, following, model.params, rng)[1]:
            return
        state = following


def _decide(model: Any, player: planners.Planner, simulations: int, state: Any) -> float:
    began = time.process_time()
    player.plan(model, state, budget_of(simulations, "simulations"), np.random.default_rng(0))
    return time.process_time() - began


def play_or_climb(setting: Setting, indices: Sequence[int]) -> Batch | Trial:
    """Play some episodes; without any, try the planner. Its failure is left to the episodes to report."""
    if indices:
        return episode.play_batch(setting, indices)
    try:
        return climb(setting)
    except (Exception, SystemExit):
        return Trial(setting, [])


def cost(rungs: Sequence[Rung], budget: float, unit: str) -> Cost:
    """The cost of an episode with a budget.

    Time budgets are kept by the planner but for one simulation, so that the number of decisions alone is taken from
    what was measured. Time in simulations is interpolated between budgets that were tried, in logarithms; beyond them a
    decision's grows with the budget as between the last two, but at least linearly and at most quadratically.
    """
    if unit == "ms":
        alike = min(rungs, key=lambda rung: abs(math.log(1e3 * rung.seconds / budget)))
        return Cost(alike.decisions * max(budget / 1e3, rungs[0].seconds), measured=False)
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
