"""The summary over all positions: agreement, regret, bins of p0, unanimity, differences, equivalent budgets."""

from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Rng
from bonspiel.runs.agreement.measure import Outcome
from bonspiel.runs.agreement.resamples import Resamples, equivalent, interval
from bonspiel.runs.agreement.searches import TREE
from bonspiel.runs.agreement.study import Study
from bonspiel.runs.statistics.sample import Interval

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # of the bins of p0; the last bin has its upper edge
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)  # of the votes
ROUNDING = 1e-9  # of shares of votes

Summary = dict[str, Any]


def summarise(study: Study, found: Outcome, rng: Rng) -> Summary:
    """Everything as plain numbers, for JSON.

    Estimates are [value, low, high], and by numbers of workers where they depend on these. TREE stands for one tree
    with the simulations of this number of workers, for 1 the mean over all of them.
    """
    resamples = Resamples(len(found.limit), rng)
    mean = resamples.mean

    def by_workers(
        column: Mapping[tuple[str, int], Array], inside: NDArray[np.bool_] | None = None
    ) -> dict[str, dict[str, Any]]:
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
                "positions": int((inside := among(found.p0, low, high)).sum()),
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


def _equivalents(study: Study, found: Outcome, resamples: Resamples) -> dict[str, dict[str, Any]]:
    """Simulations of one tree that agrees as often as each rule."""
    trees = sorted(workers for name, workers in found.agrees if name == TREE)
    budgets = np.array(trees, float) * study.budget
    levels = np.stack([resamples.means(found.agrees[TREE, workers]) for workers in trees], axis=1)

    def one_tree(rule: str, workers: int) -> Interval:
        reached = resamples.means(found.agrees[rule, workers])
        return interval(equivalent(budgets, levels, reached), len(found.limit))

    return {rule: {str(workers): one_tree(rule, workers) for workers in study.workers} for rule in study.rules}


def among(p0: Array, low: float, high: float) -> NDArray[np.bool_]:
    """True for each p0 in [low, high), or [low, 1] if high is 1."""
    above = p0 >= low - ROUNDING
    return np.asarray(above if high == EDGES[-1] else above & (p0 < high - ROUNDING))


def _difference(found: Outcome, resamples: Resamples, one: str, other: str, workers: int) -> Summary:
    differ = found.differ[one, other, workers]
    return {
        "rules": [one, other],
        "workers": workers,
        "share": resamples.mean(differ.astype(float)),
        "agreement": [resamples.mean(found.agrees[rule, workers], differ) for rule in (one, other)],
        "rank": [resamples.mean(found.ranks[rule, workers], differ) for rule in (one, other)],
    }
