"""Planners over several problems: normalised scores, ranks, and the difference that ranks need (Demsar 2006)."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from planners.base import Array
from runs.results.store import Store
from runs.runner.episode import named_rng
from runs.statistics.compare import entrants
from runs.statistics.curves import references
from runs.statistics.sample import CONFIDENCE, RESAMPLES, Interval, grouped, percentiles, resampled

FEWEST_PLANNERS = 3  # Friedman's test compares more than two
RANDOM = "random"


class Scale(NamedTuple):
    """The returns that have the normalised scores 0 and 1 in a problem.

    Attributes:
        low: the random policy's.
        high: the optimum, or else the best mean return in the run with any budget.
        exact: whether the optimum is known.
    """

    low: float
    high: float
    exact: bool


class Standing(NamedTuple):
    """A planner over all problems.

    Attributes:
        planner: its name in the tables of the run.
        score: mean of its normalised scores over the problems, with a 95 % interval from resampled episodes.
        rank: mean of its ranks, 1 for the best mean return; ties share their ranks.
        scores: its normalised score in each problem.
    """

    planner: str
    score: Interval
    rank: float
    scores: dict[str, float]


class Leaderboard(NamedTuple):
    """The planners that played all problems with one budget, the best first.

    Attributes:
        unit: of the budget.
        budget: of a decision.
        standings: in order of the score.
        left_out: names of planners that have not played all problems.
        p: of Friedman's test, that all planners are equal.
        critical: ranks that differ by less do not show a difference at 5 % (Nemenyi's test).
    """

    unit: str
    budget: float
    standings: list[Standing]
    left_out: list[str]
    p: float
    critical: float


def scales(store: Store) -> dict[str, Scale]:
    """The scale of each problem of a run, but those where the random policy is not known and has not played."""
    means: dict[str, dict[str, list[float]]] = {}
    for setting, sample in store.returns().items():
        if len(sample):
            means.setdefault(setting.env, {}).setdefault(setting.planner, []).append(float(sample.mean()))
    result = {}
    for env, found in means.items():
        optimum, low = references(env)
        best = max(value for values in found.values() for value in values)
        low = float(np.mean(found[RANDOM])) if low is None and RANDOM in found else low
        high = best if optimum is None else optimum
        if low is not None and high > low:
            result[env] = Scale(low, high, optimum is not None)
    return result


def leaderboards(store: Store) -> list[Leaderboard]:
    """A leaderboard for each budget that several planners have played in all problems with a scale."""
    problems = scales(store)
    names = {env: entrants(store.suite, env) for env in problems}
    samples: dict[tuple[str, float], dict[str, dict[str, Array]]] = {}
    for setting, sample in store.returns().items():
        if len(sample) and setting.env in problems and setting.planner != RANDOM:
            of_budget = samples.setdefault((setting.unit, setting.budget), {})
            of_budget.setdefault(names[setting.env][setting.planner], {})[setting.env] = sample
    boards = (_leaderboard(*key, found, problems) for key, found in sorted(samples.items()))
    return [board for board in boards if len(board.standings) > 1]


def _leaderboard(
    unit: str, budget: float, samples: Mapping[str, Mapping[str, Array]], problems: Mapping[str, Scale]
) -> Leaderboard:
    complete = {planner: found for planner, found in samples.items() if found.keys() == problems.keys()}
    left_out = [planner for planner in samples if planner not in complete]
    means = np.array([[found[env].mean() for env in problems] for found in complete.values()])
    ranks = rankdata(-means, axis=0).mean(axis=1) if len(means) else []
    standings = []
    for (planner, found), rank in zip(complete.items(), ranks, strict=True):
        score = _score(f"{planner}|{unit}|{budget}", found, problems)
        scores = {env: float((found[env].mean() - low) / (high - low)) for env, (low, high, _) in problems.items()}
        standings.append(Standing(planner, score, float(rank), scores))
    standings.sort(key=lambda standing: -standing.score.value)
    tested = len(means) >= FEWEST_PLANNERS and len(problems) > 1
    p = float(friedmanchisquare(*means).pvalue) if tested else math.nan
    return Leaderboard(unit, budget, standings, left_out, p, critical_difference(len(means), len(problems)))


def _score(name: str, samples: Mapping[str, Array], problems: Mapping[str, Scale]) -> Interval:
    """The mean normalised score; episodes are resampled within each problem (Agarwal et al. 2021)."""
    rng, point, found = named_rng(f"leaderboard|{name}", 0, 0), 0.0, np.zeros(RESAMPLES)
    for env, (low, high, _) in problems.items():
        sample = samples[env]
        point += (float(sample.mean()) - low) / (high - low) / len(problems)
        support, classes = np.unique(grouped(sample), return_inverse=True)
        means = np.concatenate([counts @ support / len(sample) for counts in resampled(classes, rng)])
        found += (means - low) / (high - low) / len(problems)
    return Interval(point, *map(float, percentiles(found)))


def critical_difference(planners: int, problems: int) -> float:
    """The smallest difference of mean ranks that shows a difference, by Nemenyi's test at 5 %.

    q sqrt(k (k + 1) / (6 N)), with q the studentized range of k infinite samples, divided by sqrt 2 (Demsar 2006).
    """
    if planners < FEWEST_PLANNERS or problems < 2:
        return math.nan
    q = float(studentized_range.ppf(CONFIDENCE, planners, np.inf)) / math.sqrt(2.0)
    return q * math.sqrt(planners * (planners + 1) / (6.0 * problems))
