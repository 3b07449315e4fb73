"""Trials of planners before a run: a few episodes with small budgets, or single decisions where these take long."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import truediv
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

from bonspiel import planners
from bonspiel.planners.contract.decisions import checked_plan
from bonspiel.runs.experiment import Setting
from bonspiel.runs.runner.episode import budget_of, play
from bonspiel.runs.suite import model_of

LADDER = (1, 10, 100, 1000, 10_000, 100_000)  # budgets in simulations that are tried
RUNG_SECONDS, RUNG_EPISODES = 0.1, 20  # played at each of them at most, except for a single longer episode
LONG = 0.05  # seconds: episodes with ten times the simulations would take too long to be tried
DECISION_SECONDS = 0.03  # with larger budgets single decisions are made, until one takes so long
SHARE = 0.1  # of the decisions and of the time of a run that a trial takes at most
WAITING = 0.01  # a planner waits if the processor's time is below this share of the time that passes
POINTS = 4  # of an episode at which these are made: near its end plans look fewer steps ahead
FAR = 10  # times the simulations that were tried, beyond which a trial that had to stop is no evidence
FEWEST = 3 + POINTS  # decisions of a trial that is worth its time
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
    """The measured costs of a planner.

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
    """The settings to try: for each planner in an environment and unit of budgets the one with its largest budget."""
    found: dict[tuple[str, str, str], Setting] = {}
    for setting in sorted(settings, key=lambda setting: setting.budget):
        found[group(setting)] = setting
    return list(found.values())


def group(setting: Setting) -> tuple[str, str, str]:
    """The part that settings share which differ in their budgets alone: environment, planner and unit."""
    return setting.env, setting.planner, setting.unit


class Took(NamedTuple):
    """Seconds of some work: those that passed, and those of the processor."""

    elapsed: float
    used: float


class Allowance:
    """The decisions and the time that a trial may take: a tenth of what its run will.

    Args:
        unit: of the run's budgets.
        episodes: of the run, by budget; None sets no limit.
        length: decisions of an episode, as far as random actions show.
    """

    def __init__(self, unit: str, episodes: Mapping[float, int] | None, length: int) -> None:
        self._unit, self._episodes = unit, episodes
        self.begin()
        self.decisions = math.inf if episodes is None else SHARE * length * sum(episodes.values())

    def begin(self) -> None:
        """Count time from now on: that of compiling is the run's in any case."""
        self._began = Took(time.perf_counter(), time.process_time())

    def permits(self, decisions: float, simulations: int = 1, rungs: Sequence[Rung] = ()) -> bool:
        """True if `decisions` more may be made, with this number of simulations each, after these rungs."""
        if decisions > self.decisions or not (rungs and self._episodes):
            return decisions <= self.decisions
        run = sum(count * cost(rungs, budget, self._unit).seconds for budget, count in self._episodes.items())
        each = cost(rungs, simulations, "simulations").seconds / rungs[-1].decisions
        spent = Took(time.perf_counter() - self._began.elapsed, time.process_time() - self._began.used)
        return _seconds([spent])[0] + decisions * each <= SHARE * run


def climb(setting: Setting, episodes: Mapping[float, int] | None = None) -> Trial:
    """Try larger and larger budgets, up to the setting's: in whole episodes, or in decisions when these take long.

    It is the processor's time that rungs measure, so that other programs on the machine hardly matter; of a planner
    that mostly waits, such as for a program of its own, it is the time that passes.

    Args:
        setting: the planner, its environment, and the largest budget.
        episodes: of the run, by budget in the setting's unit: the trial takes a tenth of it at most, and nothing is
            tried where that is too little. None: no limit.
    """
    model, player = model_of(setting.env), planners.parse(setting.planner)
    if not Allowance(setting.unit, episodes, model.horizon).permits(FEWEST):
        return Trial(setting, [])
    states = list(_random_states(model))
    allowance = Allowance(setting.unit, episodes, len(states))
    if not allowance.permits(FEWEST):
        return Trial(setting, [])
    rungs: list[Rung] = []
    lengths: list[int] = []
    for state in states[:2]:  # loads compiled code
        _decide(model, player, 1, state)
    allowance.begin()
    elapsed, used = time.perf_counter(), time.process_time()
    is_short = model.horizon * _seconds([_decide(model, player, 1, states[0])])[0] <= 10.0 * LONG
    allowance.decisions -= 3
    for simulations in _ladder(setting):
        if rungs:
            is_short = is_short and rungs[-1].seconds * rungs[-1].decisions <= LONG
            if setting.unit == "ms" and rungs[-1].seconds >= setting.budget / 1e3:
                break
        if is_short and allowance.permits(rungs[-1].decisions if rungs else len(states), simulations, rungs):
            tried = setting._replace(budget=simulations, unit="simulations")
            rungs.append(_episodes(model, player, tried, lengths, allowance))
            continue
        if rungs and rungs[-1].seconds >= DECISION_SECONDS:
            break
        if not allowance.permits(POINTS, simulations, rungs):
            far = setting.unit == "simulations" and not (rungs and FAR * rungs[-1].simulations >= setting.budget)
            return Trial(setting, [] if far else rungs)
        allowance.decisions -= POINTS
        steps = rungs[-1].decisions if rungs else model.horizon
        rungs.append(Rung(simulations, _decisions(model, player, simulations, states), steps))
    elapsed, used = time.perf_counter() - elapsed, time.process_time() - used
    return Trial(setting, rungs, 1.0 if _waits(elapsed, used) else max(1.0, elapsed / max(used, 1e-9)))


def _ladder(setting: Setting) -> list[int]:
    """The budgets to try, in simulations: up to the setting's, or all of them where that is one in time."""
    if setting.unit == "ms" or setting.budget > LADDER[-1]:
        return list(LADDER)
    return [*(simulations for simulations in LADDER if simulations < setting.budget), int(setting.budget)]


def _episodes(model: Any, player: planners.Planner, setting: Setting, lengths: list[int], allowance: Allowance) -> Rung:
    """Some episodes, whose lengths join those of smaller budgets."""
    took: list[Took] = []
    while not took or (
        sum(one.elapsed for one in took) < RUNG_SECONDS
        and len(took) < RUNG_EPISODES
        and allowance.permits(2 * lengths[-1])
    ):
        took.append(_timed(lambda: lengths.append(play(model, player, setting, len(took)).steps)))
        allowance.decisions -= lengths[-1]
    seconds = median(map(truediv, _seconds(took), lengths[-len(took) :]))
    return Rung(int(setting.budget), seconds, mean(lengths[-max(len(took), ENOUGH) :]))


def _decisions(model: Any, player: planners.Planner, simulations: int, states: Sequence[Any]) -> float:
    """Mean time of decisions at `POINTS` of an episode of random actions."""
    chosen = sorted({int((i + 0.5) * len(states) / POINTS) for i in range(POINTS)})
    return mean(_seconds([_decide(model, player, simulations, states[i]) for i in chosen]))


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


def _timed(task: Callable[[], Any]) -> Took:
    elapsed, used = time.perf_counter(), time.process_time()
    task()
    return Took(time.perf_counter() - elapsed, time.process_time() - used)


def _decide(model: Any, player: planners.Planner, simulations: int, state: Any) -> Took:
    budget, rng = budget_of(simulations, "simulations"), np.random.default_rng(0)
    return _timed(lambda: checked_plan(player, model, state, budget, rng))


def _seconds(took: Sequence[Took]) -> list[float]:
    """The seconds of each that count: the processor's, or those that passed where most of the time is waiting."""
    waits = _waits(sum(one.elapsed for one in took), sum(one.used for one in took))
    return [one.elapsed if waits else one.used for one in took]


def _waits(elapsed: float, used: float) -> bool:
    """True if the work mostly waits, rather than shares a core with other programs."""
    return elapsed >= LONG and used < WAITING * elapsed


def try_planner(setting: Setting, episodes: Mapping[float, int]) -> Trial:
    """Try a planner as `climb` does; its failure is left to the episodes of the run to report."""
    try:
        return climb(setting, episodes)
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
