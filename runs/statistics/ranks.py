"""Planners over several problems: scores, profiles, improvement, ranks and the difference that these need."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy  # whose statistics are imported where they are used: that takes half a second

from bonspiel.planners.model import Array
from bonspiel.runs.draws import named_rng
from bonspiel.runs.statistics.paired import Pairs, mean_probability_of_improvement, snapped
from bonspiel.runs.statistics.sample import (
    CONFIDENCE,
    UNDEFINED,
    Interval,
    Profile,
    grouped,
    mean_score,
    performance_profile,
)

FEWEST_PLANNERS = 3  # Friedman's test compares more than two
THRESHOLDS = np.arange(-10, 61) / 50.0  # of profiles


class Standing(NamedTuple):
    """A planner over all problems.

    Attributes:
        planner: its name in the tables of the run.
        score: mean of its normalised scores over the problems, with a 95 % interval from resampled episodes.
        rank: mean of its ranks, 1 for the best mean return; ties share their ranks.
        scores: its mean normalised score in each problem, with a 95 % interval.
        episodes: of all problems together.
        profile: share of its episodes with a score above each of THRESHOLDS, all problems having the same weight.
        improvement: probability that an episode of it scores more than one of the first standing, mean over the
            problems; NaN for the first itself.
    """

    planner: str
    score: Interval
    rank: float
    scores: dict[str, Interval]
    episodes: int
    profile: Profile
    improvement: Interval


class Leaderboard(NamedTuple):
    """The planners that played all problems with one budget, the best first.

    Attributes:
        unit: of the budget.
        budget: of a decision.
        standings: in order of the score.
        improvement: for each ordered pair of planners the probability that an episode of the one scores more than one
            of the other, mean over the problems.
        left_out: names of planners that have not played all problems.
        p: of Friedman's test, that all planners are equal.
        critical: ranks that differ by less do not show a difference at 5 % (Nemenyi's test).
    """

    unit: str
    budget: float
    standings: list[Standing]
    improvement: dict[tuple[str, str], float]
    left_out: list[str]
    p: float
    critical: float


def leaderboard(
    unit: str,
    budget: float,
    scores: Mapping[str, Mapping[str, Array]],
    problems: list[str],
    resampled: Mapping[str, Mapping[str, Array]] | None = None,
) -> Leaderboard:
    """The leaderboard of one budget.

    Args:
        unit: of the budget.
        budget: of a decision.
        scores: normalised scores of episodes, [n], of each planner by problem.
        problems: those that a planner must have played to be ranked.
        resampled: mean scores in resamples, of each planner by problem, where an end of the scale was played
            (`ends.resampled_scores`); elsewhere they are drawn here.
    """
    strata = {
        planner: [found[env] for env in problems] for planner, found in scores.items() if len(found) == len(problems)
    }
    left_out = [planner for planner in scores if planner not in strata]
    means = np.array([[sample.mean() for sample in found] for found in strata.values()])
    ranks = scipy.stats.rankdata(-snapped(means), axis=0).mean(axis=1) if len(means) else []
    standings = []
    for planner, rank in zip(strata, ranks, strict=True):
        rng = named_rng(f"leaderboard|{planner}|{unit}|{budget}", 0, 0)
        means_known = [(resampled or {}).get(planner, {}).get(env) for env in problems]
        score = mean_score(strata[planner], rng, means_known)
        profile = performance_profile(strata[planner], THRESHOLDS, rng)
        of_problems = {
            env: mean_score([sample], rng, [known])
            for env, sample, known in zip(problems, strata[planner], means_known, strict=True)
        }
        episodes = sum(map(len, strata[planner]))
        standings.append(Standing(planner, score, float(rank), of_problems, episodes, profile, UNDEFINED))
    standings.sort(key=lambda standing: -standing.score.value)
    grouped_strata = {planner: [grouped(sample) for sample in found] for planner, found in strata.items()}
    for place, standing in enumerate(standings[1:], 1):
        both = grouped_strata[standing.planner], grouped_strata[standings[0].planner]
        rng = named_rng(f"improvement|{standing.planner}|{unit}|{budget}", 0, 0)
        standings[place] = standing._replace(improvement=mean_probability_of_improvement(*both, rng))
    improvement = {}
    for a, b in combinations([standing.planner for standing in standings], 2):
        share = float(np.mean([Pairs.of(*both).share() for both in zip(strata[a], strata[b], strict=True)]))
        improvement[a, b], improvement[b, a] = share, 1.0 - share
    tested = len(means) >= FEWEST_PLANNERS and len(problems) > 1
    p = float(scipy.stats.friedmanchisquare(*means).pvalue) if tested else math.nan
    return Leaderboard(
        unit, budget, standings, improvement, left_out, p, critical_difference(len(means), len(problems))
    )


def critical_difference(planners: int, problems: int) -> float:
    """The smallest difference of mean ranks that shows a difference, by Nemenyi's test at 5 %.

    q sqrt(k (k + 1) / (6 N)), with q the studentized range of k infinite samples, divided by sqrt 2 (Demsar 2006).
    """
    if planners < FEWEST_PLANNERS or problems < 2:
        return math.nan
    q = float(scipy.stats.studentized_range.ppf(CONFIDENCE, planners, np.inf)) / math.sqrt(2.0)
    return q * math.sqrt(planners * (planners + 1) / (6.0 * problems))


def cliques(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """The largest groups of planners within which mean ranks differ by less than the critical difference.

    Args:
        ranks: ascending.
        critical: difference.

    Returns:
        places of the first and last of each group of more than one, of groups that no other one holds.
    """
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(place for place, other in enumerate(ranks) if other - rank < critical)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
