"""Estimates over positions with their 95 % intervals, by bootstrap over positions."""

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Rng
from bonspiel.runs.statistics.sample import Interval, percentiles, resampled


class Resamples:
    """The positions and resamples of them: how often each position counts, [1 + resamples, n], the first row once.

    Args:
        n: number of positions.
        rng: draws the resamples.
    """

    def __init__(self, n: int, rng: Rng) -> None:
        self._counts = np.concatenate([np.ones((1, n)), *resampled(np.arange(n), rng)])

    def means(self, values: Array, among: NDArray[np.bool_] | None = None) -> Array:
        """The mean of values, [n], over all positions or those `among` which it is taken, [n], in every row; [rows].

        Positions whose value is NaN do not count; NaN where none is left.
        """
        kept = ~np.isnan(values) if among is None else ~np.isnan(values) & among
        of = self._counts @ kept
        with np.errstate(invalid="ignore"):
            return np.asarray(self._counts @ np.where(kept, values, 0.0) / of)

    def mean(self, values: Array, among: NDArray[np.bool_] | None = None) -> Interval:
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
