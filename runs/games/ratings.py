"""Strength of players from results of games: intervals, a paired test, Elo ratings."""

import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.planners.model import Array, Rng
from bonspiel.runs.statistics.sample import CONFIDENCE, Interval, percentiles

RESAMPLES = 500
VALUE_STEP = 0.001  # values of games are multiples of this
ELO = 400.0 / math.log(10.0)  # points of rating that make the odds e times as high
FEW_PAIRS = 5  # resamples of fewer pairs tell nothing of what others might have given
PRIOR_SD = 10_000.0  # Elo; far wider than any difference, so that only players who win or lose every game feel it


def wilson(total: float, games: int) -> Interval:
    """The mean value of a game with Wilson's score interval (1927).

    Args:
        total: sum of the values of the games, each from 0 to 1.
        games: their number, at least 1.
    """
    from scipy.special import ndtri  # late: verbs without ratings start sooner

    z = float(ndtri(0.5 + 0.5 * CONFIDENCE))
    rate, weight = total / games, z * z / games
    centre = (rate + 0.5 * weight) / (1.0 + weight)
    half = z * math.sqrt(rate * (1.0 - rate) / games + 0.25 * weight / games) / (1.0 + weight)
    return Interval(rate, max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half)))  # despite rounding


def paired_interval(pairs: Sequence[float], rng: Rng) -> Interval:
    """The mean value of a game, with the bootstrap interval that takes pairs of games as the independent units.

    Args:
        pairs: sum of the values of the two games of each pair, [n], n at least 1.
        rng: draws the resamples.
    """
    values = 0.5 * np.asarray(pairs, np.float64)
    means = values[rng.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1)
    return Interval(float(values.mean()), *map(float, percentiles(means)))


def paired_test(pairs: Sequence[float]) -> float:
    """Two-sided p-value that the players are equally strong: the exact sign-flip (permutation) test on pairs.

    If they are, then a pair that gave s might as well have given 2 - s. The statistic is the sum of s - 1 over all
    pairs, and its distribution over all flips is computed exactly, so that small values can be trusted.

    Args:
        pairs: sum of the values of the two games of each pair, [n], multiples of VALUE_STEP.
    """
    steps = np.rint((np.asarray(pairs) - 1.0) / VALUE_STEP).astype(np.int64)
    steps = steps[steps != 0]
    if len(steps) == 0:
        return 1.0
    steps //= np.gcd.reduce(steps)
    reach = int(np.abs(steps).sum())
    chances = np.ones(1)  # of the sums -r, -r + 1, ..., r, where r is the largest sum of the flips so far
    for step in np.sort(np.abs(steps)):
        chances = 0.5 * np.pad(chances, (0, 2 * step)) + 0.5 * np.pad(chances, (2 * step, 0))
    sums = np.abs(np.arange(-reach, reach + 1))
    return min(1.0, float(chances[sums >= abs(int(steps.sum()))].sum()))


def elo(wins: ArrayLike) -> Array:
    """Elo ratings by maximum likelihood in the model of Bradley and Terry (1952), with mean 0.

    Args:
        wins: [i, j] is the sum of the values of the games of i against j, for i; a tie is shared.

    Returns:
        [players]; those of the unbeaten and of the winless are kept finite by a prior that others do not feel.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    table = np.asarray(wins, np.float64)

    def loss(strengths: Array) -> tuple[float, Array]:
        lead = strengths[:, None] - strengths[None, :]
        expected = (table + table.T) * expit(lead)
        pull = strengths * (ELO / PRIOR_SD) ** 2
        value = (table * np.logaddexp(0.0, -lead)).sum() + 0.5 * (strengths * pull).sum()
        return float(value), (expected - table).sum(axis=1) + pull

    found = minimize(loss, np.zeros(len(table)), jac=True, method="BFGS").x
    ratings: Array = ELO * (found - found.mean())
    return ratings


def elo_of_rate(rate: float) -> float:
    """The lead in Elo that gives a win rate; infinite for 0 and 1."""
    from scipy.special import logit

    return float(ELO * logit(rate))


def elo_intervals(scores: Sequence[tuple[int, int, Sequence[float]]], players: int, rng: Rng) -> list[Interval]:
    """Elo ratings with 95 % intervals, from resamples of the pairs of games.

    Args:
        scores: (i, j, pairs) for every two players that met; pairs as in `paired_test`, for player i.
        players: their number.
        rng: draws the resamples.
    """

    @functools.cache  # resamples of few pairs are often alike
    def rate(*sums: float) -> Array:
        table = np.zeros((players, players))
        for (i, j, pairs), total in zip(scores, sums, strict=True):
            table[i, j] += total
            table[j, i] += 2 * len(pairs) - total
        return elo(table)

    samples = [np.asarray(pairs, np.float64) for _, _, pairs in scores]
    resampled = [rate(*(float(rng.choice(sample, len(sample)).sum()) for sample in samples)) for _ in range(RESAMPLES)]
    low, high = percentiles(np.asarray(resampled))
    ratings = rate(*(float(sample.sum()) for sample in samples))
    return [Interval(*map(float, row)) for row in zip(ratings, low, high, strict=True)]
