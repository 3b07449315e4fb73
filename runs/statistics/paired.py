"""Comparison of two samples, and the episodes needed to settle it (definitions: docs/guides/statistics.md)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from bonspiel.planners.model import Array, Rng
from bonspiel.runs.statistics import sample
from bonspiel.runs.statistics.sample import BLOCK, CONFIDENCE, Interval, percentiles, resampled, summarise

FLIPS = 10_000
EXACT = 13  # differences; there are fewer than FLIPS ways to flip their signs
FEWEST = 6  # differences other than 0: with fewer no p-value is at most 0.05
KEPT_BITS = 40  # of the 53 of a number: twelve digits
ROUNDING = 1e-9  # sums of the same numbers in another order differ by less, relative to their sizes


class Paired(NamedTuple):
    """The difference between two planners in the episodes that both have played.

    Attributes:
        n: pairs of episodes.
        difference: its mean, with a 95 % bootstrap interval.
        p: two-sided p-value of no difference, by sign flips.
        more: further episodes that would settle it, see `episodes_to_settle`.
    """

    n: int
    difference: Interval
    p: float
    more: float


def paired(a: ArrayLike, b: ArrayLike, rng: Rng, flips: int = FLIPS) -> Paired:
    """Compare episodes that met the same noise.

    Args:
        a: returns of one planner, [n].
        b: returns of the other one in the same episodes, [n].
        rng: draws resamples and flips.
        flips: as of `sign_flip`.
    """
    differences = snapped(a) - snapped(b)
    summary = summarise(differences, rng)
    p = sign_flip(differences, rng, flips)
    return Paired(summary.n, summary.interval, p, episodes_to_settle(differences, summary.interval, p))


def snapped(values: ArrayLike) -> Array:
    """Values whose last bits are rounded away: equal sums of the same rewards in another order are ties."""
    parts, exponents = np.frexp(np.asarray(values, np.float64))
    return np.ldexp(np.round(parts * 2.0**KEPT_BITS) / 2.0**KEPT_BITS, exponents)


def sign_flip(differences: ArrayLike, rng: Rng, flips: int = FLIPS) -> float:
    """Two-sided p-value that differences are symmetric about 0, with their sum as the statistic; NaN without any.

    Up to EXACT differences other than 0 all flips of their signs are counted, otherwise random ones and the sample
    itself, so that p is never below 1 / (flips + 1) and never too small on average (Phipson and Smyth 2010).

    Args:
        differences: [n].
        rng: draws the flips.
        flips: number of random ones.
    """
    given = np.asarray(differences, np.float64)
    if len(given) == 0:
        return math.nan
    sizes, counts = np.unique(np.abs(given[given != 0.0]), return_counts=True)
    n, total = int(counts.sum()), float(sizes @ counts)
    if n == 0:
        return 1.0
    reached = abs(float(given.sum())) - ROUNDING * total
    if n <= EXACT:
        signs = 1.0 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
        return float((np.abs(signs @ np.repeat(sizes, counts)) >= reached).mean())
    if len(sizes) * sample.FEW_CLASSES >= n:
        sizes, counts = np.repeat(sizes, counts), np.ones(n, np.int64)
    rows = max(1, BLOCK // n)
    extreme = 0
    for start in range(0, flips, rows):
        positive = _positive(counts, min(rows, flips - start), rng)
        extreme += int((np.abs(2.0 * positive @ sizes - total) >= reached).sum())
    return (1 + extreme) / (1 + flips)


def _positive(counts: NDArray[np.int64], rows: int, rng: Rng) -> Array:
    """The number of positive differences of each size, [rows, sizes]: binomial, from bits if all sizes differ."""
    k = len(counts)
    if k < counts.sum():
        return rng.binomial(counts, 0.5, size=(rows, k)).astype(np.float64)
    bits = np.unpackbits(rng.integers(256, size=(rows, (k + 7) // 8), dtype=np.uint8), axis=1, count=k)
    return bits.astype(np.float64)


def episodes_to_settle(differences: ArrayLike, interval: Interval, p: float) -> float:
    """The number of further episodes needed to settle which planner is better.

    It is settled when the 95 % interval of the mean difference excludes 0 and p is at most 0.05, which few episodes
    that happen to agree do not reach: then this is 0. Otherwise it is what is missing to the number n with
    1.96 s / sqrt(n) = |m|, where the observed mean m and standard deviation s are taken for the true ones, and to
    FEWEST, and at least 1. Infinite for m = 0, but for rounding; NaN for fewer than two differences.

    Args:
        differences: [n].
        interval: of their mean.
        p: as from `sign_flip`.
    """
    given = np.asarray(differences, np.float64)
    if len(given) < 2:
        return math.nan
    if (interval.low > 0.0 or interval.high < 0.0) and p <= 1.0 - CONFIDENCE + ROUNDING:
        return 0.0
    if abs(interval.value) <= ROUNDING * float(np.abs(given).mean()):
        return math.inf
    z = float(ndtri(0.5 + 0.5 * CONFIDENCE))
    needed = (z * float(given.std(ddof=1)) / interval.value) ** 2
    return float(max(1, max(FEWEST, math.ceil(needed)) - len(given))) if math.isfinite(needed) else math.inf


def probability_of_improvement(a: ArrayLike, b: ArrayLike, rng: Rng) -> Interval:
    """The probability that an episode of the one scores more than an episode of the other, ties shared.

    Mann and Whitney's U over the number of pairs, as Agarwal et al. (2021) have it; in the 95 % bootstrap interval the
    two samples are resampled independently.

    Args:
        a: returns of the one, [n].
        b: returns of the other, [m].
        rng: draws the resamples.
    """
    return mean_probability_of_improvement([a], [b], rng)


def mean_probability_of_improvement(a: Sequence[ArrayLike], b: Sequence[ArrayLike], rng: Rng) -> Interval:
    """The mean over several problems of the probability of improvement, each resampled for itself.

    Args:
        a: returns of the one in each problem, [n] of its own.
        b: returns of the other in the same problems.
        rng: draws the resamples.
    """
    pairs = [Pairs.of(*both) for both in zip(a, b, strict=True)]
    if not all(pair.number for pair in pairs):
        return sample.UNDEFINED
    estimate = float(np.mean([pair.share() for pair in pairs]))
    if any(min(len(pair.classes_a), len(pair.classes_b)) == 1 for pair in pairs):
        return Interval(estimate, math.nan, math.nan)
    low, high = percentiles(np.mean([pair.resampled(rng) for pair in pairs], axis=0))
    return Interval(estimate, float(low), float(high))


class Pairs(NamedTuple):
    """All pairs of an episode of one planner and one of another, as classes of equal returns.

    Attributes:
        classes_a: the class of each return of the one, [n].
        classes_b: of the other, [m].
        below: the number of classes of the other that are worse than each class of the one, [classes of the one].
        upto: the number of those that are worse or equal.
    """

    classes_a: NDArray[np.int64]
    classes_b: NDArray[np.int64]
    below: NDArray[np.int64]
    upto: NDArray[np.int64]

    @classmethod
    def of(cls, a: ArrayLike, b: ArrayLike) -> "Pairs":
        """The pairs of two samples, [n] and [m]."""
        own, classes_a = np.unique(snapped(a), return_inverse=True)
        other, classes_b = np.unique(snapped(b), return_inverse=True)
        below, upto = (np.searchsorted(other, own, side=side) for side in ("left", "right"))
        return cls(classes_a, classes_b, below, upto)

    @property
    def number(self) -> int:
        """Of pairs."""
        return len(self.classes_a) * len(self.classes_b)

    def share(self) -> float:
        """The share of the pairs that the one wins, with half of the ties."""
        return float(self._shares(np.bincount(self.classes_a)[None], np.bincount(self.classes_b)[None])[0])

    def resampled(self, rng: Rng) -> Array:
        """The same of resamples of both, [RESAMPLES]."""
        size = max(1, BLOCK // max(len(self.classes_a), len(self.classes_b)))
        draws = zip(resampled(self.classes_a, rng, size), resampled(self.classes_b, rng, size), strict=True)
        return np.concatenate([self._shares(*counts) for counts in draws])

    def _shares(self, counts_a: NDArray[np.int64], counts_b: NDArray[np.int64]) -> Array:
        reached = np.cumsum(np.pad(counts_b, ((0, 0), (1, 0))), axis=1)
        wins = 0.5 * (reached[:, self.below] + reached[:, self.upto])
        return np.asarray(np.einsum("rk,rk->r", counts_a, wins) / self.number)
