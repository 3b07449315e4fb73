"""Runtimes to targets: the budget at which a mean score reaches them, and the share of targets reached by a budget.

As COCO assesses optimizers (Hansen, Auger, Brockhoff, Tusar 2022, *Anytime performance assessment in blackbox
optimization benchmarking*).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.planners.model import Array, Rng
from bonspiel.runs.statistics.sample import CONFIDENCE, percentiles, resampled

TARGETS = 0.5, 0.8, 0.9, 0.95, 0.99  # mean normalised scores


class MeanScores(NamedTuple):
    """The mean scores of a planner in a problem."""

    budgets: Array  # [k], ascending
    means: Array  # [k]
    resampled: Array  # of resampled episodes, [resamples, k]; NaN where a budget has a single episode

    @classmethod
    def of(cls, points: Iterable[tuple[float, float, Array]]) -> "MeanScores":
        """Of points (budget, mean, resampled means) in any order."""
        budgets, means, columns = zip(*sorted(points, key=lambda point: point[0]), strict=True)
        return cls(np.array(budgets), np.array(means), np.stack(columns, axis=1))


class Runtime(NamedTuple):
    """The budget at which a target is reached, with its 95 % interval.

    The smallest played budget stands for "at most this", and infinity for more than the largest.
    """

    budget: float  # at which the mean score reaches the target
    low: float  # lower end of its interval, NaN if it has none
    high: float  # upper end
    smallest: float  # budget that was played
    largest: float  # budget that was played

    def sign(self, budget: float) -> str:
        """The sign "<=" of a budget that is the smallest played one, ">" beyond the largest, "" between them."""
        return "<=" if budget <= self.smallest else ">" if math.isinf(budget) else ""

    def shown(self, budget: float) -> tuple[str, float]:
        """The sign of a budget, and the played budget that it stands with, or the budget itself."""
        return self.sign(budget), min(budget, self.largest)


class Ratio(NamedTuple):
    """The runtime of a planner over that of the best one: a number, or a bound with the sign "<=", ">=" or ">"."""

    sign: str
    value: float


def resampled_means(scores: ArrayLike, rng: Rng) -> Array:
    """Means of resampled episodes, [resamples, settings]; NaN with a single episode.

    Args:
        scores: of settings that played the same episodes, [settings, n]: these met the same noise, so that a resample
            takes the same ones of all.
        rng: draws the resamples.
    """
    of_episodes = np.asarray(scores, np.float64).T
    n = len(of_episodes)
    means = np.concatenate([counts @ of_episodes / n for counts in resampled(np.arange(n), rng)])
    return means if n > 1 else np.full_like(means, np.nan)


def first_hits(budgets: ArrayLike, means: ArrayLike, targets: ArrayLike = TARGETS) -> Array:
    """The budgets at which the running maximum of mean scores reaches targets, [..., targets].

    Between played budgets the running maximum is linear in the logarithm of the budget. A target that the smallest
    budget reaches has this budget, and one that none reaches has infinity.

    Args:
        budgets: [k], ascending.
        means: [..., k]; all NaN gives NaN.
        targets: [targets], or those of every curve, [..., targets].
    """
    played, goals = np.asarray(budgets, np.float64), np.asarray(targets, np.float64)
    best = np.maximum.accumulate(np.asarray(means, np.float64), axis=-1)[..., None, :]
    place = (best < goals[..., None]).sum(axis=-1)  # budgets that do not reach it
    after = np.minimum(np.maximum(place, 1), len(played) - 1)
    before = np.maximum(after - 1, 0)
    low, high = (np.take_along_axis(best, at[..., None], axis=-1)[..., 0] for at in (before, after))
    part = np.clip((goals - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
    between = played[before] * (played[after] / played[before]) ** part
    inside = np.clip(between, played[before], played[after])  # a power may miss them by a rounding error
    found = np.where(place == 0, played[0], np.where(place == len(played), np.inf, inside))
    return np.where(np.isnan(best[..., -1]), np.nan, found)


def runtimes(scores: MeanScores, targets: Sequence[float] = TARGETS) -> list[Runtime]:
    """The runtimes of a planner in a problem, by targets.

    The ends of an interval are resampled runtimes, never between two of them, as one may be beyond all budgets.
    """
    ends = float(scores.budgets[0]), float(scores.budgets[-1])
    point = first_hits(scores.budgets, scores.means, targets)
    drawn = np.sort(first_hits(scores.budgets, scores.resampled, targets), axis=0)
    tail = 0.5 * (1.0 - CONFIDENCE) * (len(drawn) - 1)
    low, high = drawn[math.floor(tail)], drawn[math.ceil(len(drawn) - 1 - tail)]
    found = zip(point.tolist(), low.tolist(), high.tolist(), strict=True)
    return [Runtime(budget, least, most, *ends) for budget, least, most in found]


def best_of(found: Mapping[str, Runtime]) -> Runtime | None:
    """The smallest of the planners' runtimes to a target, None if no planner reaches it."""
    reached = [runtime for runtime in found.values() if not math.isinf(runtime.budget)]
    return min(reached, key=lambda runtime: (runtime.budget, runtime.sign(runtime.budget) == ""), default=None)


def ratios(found: Mapping[str, Runtime]) -> dict[str, Ratio | None]:
    """The ratio of each planner's runtime to the smallest of them, None where no planner reaches the target.

    Args:
        found: runtimes to one target in one problem, by planner.
    """
    best = best_of(found)
    if best is None:
        return dict.fromkeys(found)
    below = [name for name, runtime in found.items() if runtime.sign(runtime.budget) == "<="]
    return {name: _ratio(runtime, best, alone=below == [name]) for name, runtime in found.items()}


def _ratio(own: Runtime, best: Runtime, *, alone: bool) -> Ratio:
    sign, budget = own.shown(own.budget)
    value, unknown = budget / best.budget, best.sign(best.budget) == "<="
    if sign == ">":
        return Ratio(">", value)
    if sign == "<=":
        if alone and own.budget == best.budget:
            return Ratio("", 1.0)
        return Ratio(">=", 1.0) if unknown else Ratio("<=", value)
    return Ratio(">=" if unknown else "", value)


class Reached(NamedTuple):
    """The share of (problem, target) pairs that a planner reaches by each budget of a grid, with its 95 % band."""

    share: Array  # [budgets]
    low: Array  # of its pointwise band
    high: Array  # of it
    smallest: float  # budget that the planner played in any problem
    largest: float  # one


def share_reached(hits: ArrayLike, budgets: ArrayLike) -> Array:
    """The share of pairs that are reached by each budget, [..., budgets], from their first hits, [..., pairs].

    An empirical run-time distribution: a pair counts from the budget at which it is seen to be reached. The budgets
    ascend.
    """
    found, at = np.asarray(hits, np.float64), np.asarray(budgets, np.float64)
    rows = found.reshape(-1, found.shape[-1])
    place = np.searchsorted(at, rows) + (len(at) + 1) * np.arange(len(rows))[:, None]
    counts = np.bincount(place.ravel(), minlength=len(rows) * (len(at) + 1)).reshape(len(rows), -1)
    share = (counts.cumsum(axis=1)[:, :-1] / rows.shape[1]).reshape(*found.shape[:-1], len(at))
    return np.where(np.isnan(found).any(axis=-1, keepdims=True), np.nan, share)


def reached(problems: Sequence[MeanScores], budgets: ArrayLike) -> Reached:
    """The share of the targets in all problems that a planner reaches by each of some budgets."""
    point = np.concatenate([first_hits(one.budgets, one.means) for one in problems])
    drawn = np.concatenate([first_hits(one.budgets, one.resampled) for one in problems], axis=-1)
    ends = (float(extreme(one.budgets[place] for one in problems)) for extreme, place in ((min, 0), (max, -1)))
    return Reached(share_reached(point, budgets), *percentiles(share_reached(drawn, budgets)), *ends)
