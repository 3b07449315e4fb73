"""The summary over all positions, with 95 % intervals by bootstrap over positions."""

from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from bonspiel.planners import Array, Rng
from bonspiel.runs.agreement.measure import AgreementOutcome, Flags
from bonspiel.runs.agreement.study import TREE, AgreementStudy
from bonspiel.runs.statistics.sample import Interval, percentiles, resampled

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # of the bins of p0; the last bin has its upper edge
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)  # of the votes
ROUNDING = 1e-9  # of shares of votes

Summary = dict[str, Any]


class Resamples:
    """The positions and resamples of them: how often each position counts, [1 + resamples, n], the first row once.

    Args:
        n: number of positions.
        rng: draws the resamples.
    """

    def __init__(self, n: int, rng: Rng) -> None:
        self._counts = np.concatenate([np.ones((1, n)), *resampled(np.arange(n), rng)])

    def means(self, values: Array, among: Flags | None = None) -> Array:
        """The mean of values, [n], over all positions or those `among` which it is taken, [n], in every row; [rows].

        Positions whose value is NaN do not count; NaN where none is left.
        """
        kept = ~np.isnan(values) if among is None else ~np.isnan(values) & among
        of = self._counts @ kept
        with np.errstate(invalid="ignore"):
            return np.asarray(self._counts @ np.where(kept, values, 0.0) / of)

    def mean(self, values: Array, among: Flags | None = None) -> Interval:
        """That of the positions with its interval."""
        return interval(self.means(values, among), values.size)


def interval(found: Array, n: int) -> Interval:
    """The first of some estimates, [rows], with the interval of the others, as far as they are numbers."""
    rest = found[1:][~np.isnan(found[1:])]
    if n < 2 or len(rest) == 0:
        return Interval(float(found[0]), np.nan, np.nan)
    low, high = percentiles(rest)
    return Interval(float(found[0]), float(low), float(high))


def equivalent(budgets: Array, levels: Array, reached: Array) -> Array:
    """The budget of one tree that agrees as often, by interpolation in the budget's logarithm; [rows].

    A curve that falls is held at its largest level so far. What is not above the level of the smallest budget has that
    budget, and what is above that of the largest one has the largest.

    Args:
        budgets: of the curve, ascending, [m].
        levels: of the curve, [rows, m].
        reached: the level to find, [rows].
    """
    rising = np.maximum.accumulate(levels, axis=1)
    above = rising >= reached[:, None]
    place = np.where(above.any(axis=1), above.argmax(axis=1), len(budgets) - 1)
    before = np.maximum(place - 1, 0)
    rows = np.arange(len(rising))
    low, high = rising[rows, before], rising[rows, place]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.clip(np.where(high > low, (reached - low) / (high - low), 1.0), 0.0, 1.0)
    logs = np.log(budgets)
    return np.asarray(np.exp(logs[before] + part * (logs[place] - logs[before])))


def summarise(study: AgreementStudy, found: AgreementOutcome, rng: Rng) -> Summary:
    """Everything as plain numbers, for JSON.

    Estimates are [value, low, high], and by numbers of workers where they depend on these. TREE stands for one tree
    with the simulations of this number of workers, for 1 the mean over all of them.
    """
    resamples = Resamples(len(found.limit), rng)
    mean = resamples.mean

    def by_workers(column: Mapping[tuple[str, int], Array], inside: Flags | None = None) -> dict[str, dict[str, Any]]:
        names: dict[str, dict[str, Any]] = {}
        for (name, workers), values in column.items():
            names.setdefault(name, {})[str(workers)] = mean(values, inside)
        return names

    return {
        "positions": len(found.limit),
        "limit": mean(found.limit),
        "agreement": by_workers(found.agrees),
        "regret": by_workers(found.regrets),
        "equivalent": _equivalents(study, found, resamples),
        "bins": [
            {
                "from": low,
                "to": high,
                "positions": int((inside := among(found.agrees[TREE, 1], low, high)).sum()),
                "share": mean(inside.astype(float)),
                "agreement": by_workers(found.agrees, inside),
            }
            for low, high in pairwise(EDGES)
        ],
        "unanimity": {
            str(workers): {f"{k:g}": mean((found.shares[workers] >= k - ROUNDING).astype(float)) for k in SHARES}
            for workers in study.workers
        },
        "differences": [
            _difference(found, resamples, *pair, workers)
            for pair in combinations(study.rules, 2)
            for workers in study.workers
            if workers > 1
        ],
        "splitting": {
            rule: {
                str(workers): {
                    "agreement": mean(found.agrees[TREE, workers] - found.agrees[rule, workers]),
                    "regret": mean(found.regrets[rule, workers] - found.regrets[TREE, workers]),
                }
                for workers in study.workers
                if workers > 1
            }
            for rule in filter(study.is_shared, study.rules)
        },
    }


def _equivalents(study: AgreementStudy, found: AgreementOutcome, resamples: Resamples) -> dict[str, dict[str, Any]]:
    """Simulations of one tree that agrees as often as each rule."""
    trees = sorted(workers for name, workers in found.agrees if name == TREE)
    budgets = np.array(trees, float) * study.budget
    levels = np.stack([resamples.means(found.agrees[TREE, workers]) for workers in trees], axis=1)

    def one_tree(rule: str, workers: int) -> Interval:
        reached = resamples.means(found.agrees[rule, workers])
        return interval(equivalent(budgets, levels, reached), len(found.limit))

    return {rule: {str(workers): one_tree(rule, workers) for workers in study.workers} for rule in study.rules}


def among(p0: Array, low: float, high: float) -> Flags:
    """True for each p0 in [low, high), or [low, 1] if high is 1."""
    above = p0 >= low - ROUNDING
    return np.asarray(above if high == EDGES[-1] else above & (p0 < high - ROUNDING))


def _difference(found: AgreementOutcome, resamples: Resamples, one: str, other: str, workers: int) -> Summary:
    differ = found.differ[one, other, workers]
    return {
        "rules": [one, other],
        "workers": workers,
        "share": resamples.mean(differ.astype(float)),
        "agreement": [resamples.mean(found.agrees[rule, workers], differ) for rule in (one, other)],
        "rank": [resamples.mean(found.ranks[rule, workers], differ) for rule in (one, other)],
    }
