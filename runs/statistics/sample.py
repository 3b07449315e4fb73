"""One sample of returns: estimates with their uncertainty, profiles, histograms (see docs/guides/statistics.md)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bonspiel.planners.model import Array, Rng

CONFIDENCE = 0.95
RESAMPLES = 2000
TRIM = 0.25  # of the values at either end do not count in the interquartile mean
BLOCK = 2_000_000  # numbers in memory at a time
MANY, GROUPS = 1_000, 50  # more different values than MANY are resampled as groups of neighbours
FEW_CLASSES = 16  # times fewer classes than values make drawing counts faster than counting draws


class Interval(NamedTuple):
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


UNDEFINED = Interval(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Summary:
    """Estimates from a sample; NaN where it is too small.

    Attributes:
        n: its size.
        mean: its mean.
        low: lower end of the 95 % bootstrap interval of the mean.
        high: upper end of it.
        median: its median.
        iqm: the mean of its middle half, with a 95 % bootstrap interval.
        loss: of returns from different starts, the mean of V*(start) - return; None where it was not computed.
    """

    n: int
    mean: float
    low: float
    high: float
    median: float
    iqm: Interval = field(default=UNDEFINED, kw_only=True)
    loss: Interval | None = field(default=None, kw_only=True)

    @property
    def interval(self) -> Interval:
        """The mean with its interval."""
        return Interval(self.mean, self.low, self.high)


def summarise(sample: ArrayLike, rng: Rng) -> Summary:
    """Summarise a sample; the intervals are the percentile bootstrap's (Efron 1979).

    Where many values differ, `grouped` ones are resampled.

    A sample of equal values has intervals of no width; a single value says nothing about its spread and has none.

    Args:
        sample: values, [n].
        rng: draws the resamples.
    """
    values = np.asarray(sample, np.float64)
    n = len(values)
    if n == 0:
        return Summary(0, np.nan, np.nan, np.nan, np.nan)
    support, classes = np.unique(values, return_inverse=True)
    if len(support) == 1:
        value = float(support[0])
        same = Interval(value, value, value) if n > 1 else Interval(value, np.nan, np.nan)
        return Summary(n, *same, median=value, iqm=same)

    def estimates(counts: NDArray[np.int64]) -> Array:
        return np.stack([counts @ support / n, _middle_mean(counts, support)], axis=-1)

    point = estimates(np.bincount(classes))
    support, classes = np.unique(grouped(values), return_inverse=True)
    found = point, *bootstrap(classes, estimates, rng)
    mean, iqm = (Interval(*map(float, column)) for column in zip(*found, strict=True))
    return Summary(n, *mean, median=float(np.median(values)), iqm=iqm)


def grouped(values: Array) -> Array:
    """A sample to resample in the place of this one: its mean is the same, and far fewer of its values differ.

    If more than MANY differ, they are cut into GROUPS of one size and also into GROUPS of one width, so that a few far
    from all others stay apart, and each is replaced by the mean of its class between the cuts. The standard
    deviation loses 0.02 % for normal and exponential values, and 0.1 % for Cauchy's.

    Args:
        values: [n].

    Returns:
        [n], ascending if anything was replaced.
    """
    if len(np.unique(values)) <= MANY:
        return values
    ascending = np.sort(values)
    rank = np.arange(len(values)) * GROUPS // len(values)
    height = (ascending - ascending[0]) / (ascending[-1] - ascending[0]) * GROUPS // 1.0
    _, group, counts = np.unique(rank + height, return_inverse=True, return_counts=True)  # as both ascend
    return np.asarray((np.bincount(group, ascending) / counts)[group])


def bootstrap(classes: NDArray[np.int64], statistic: Callable[[NDArray[np.int64]], Array], rng: Rng) -> Array:
    """95 % percentile intervals of statistics that are functions of the counts of classes of values.

    Args:
        classes: the class of each value, [n], numbered from 0 without gaps.
        statistic: from counts, [resamples, classes], to estimates, [resamples, ...].
        rng: draws the resamples.

    Returns:
        lower and upper ends, [2, ...].
    """
    return percentiles(np.concatenate([statistic(counts) for counts in resampled(classes, rng)]))


def percentiles(found: Array) -> Array:
    """Lower and upper end of the 95 % interval, [2, ...], of estimates from resamples, [resamples, ...]."""
    return np.quantile(found, (0.5 - 0.5 * CONFIDENCE, 0.5 + 0.5 * CONFIDENCE), axis=0)


def resampled(classes: NDArray[np.int64], rng: Rng, rows_at_once: int | None = None) -> Iterator[NDArray[np.int64]]:
    """Counts of each class in RESAMPLES resamples, in blocks of [resamples, classes] that fit into memory.

    Args:
        classes: as in `bootstrap`.
        rng: draws the resamples.
        rows_at_once: resamples in a block, for blocks that are used together; by BLOCK if None.
    """
    n, counts = len(classes), np.bincount(classes)
    k = len(counts)
    size = rows_at_once or max(1, BLOCK // n)
    for start in range(0, RESAMPLES, size):
        rows = min(size, RESAMPLES - start)
        if k * FEW_CLASSES < n:
            yield rng.multinomial(n, counts / n, size=rows)
        else:
            drawn = classes[rng.integers(n, size=(rows, n))] + k * np.arange(rows)[:, None]
            yield np.bincount(drawn.ravel(), minlength=rows * k).reshape(rows, k)


def _middle_mean(counts: NDArray[np.int64], support: Array) -> Array:
    """The interquartile mean of samples given as counts, [..., classes], of ascending values, [classes]."""
    n = int(counts.sum(axis=-1).flat[0])
    cut = int(TRIM * n)
    inside = np.diff(np.clip(counts.cumsum(axis=-1), cut, n - cut), axis=-1, prepend=cut)
    return np.asarray(inside @ support / (n - 2 * cut))


def regret(summary: Summary, optimum: float) -> Interval:
    """The loss against the optimum; an interval may reach below 0, as noise may favour a policy.

    Episodes that start in different states are compared with the optimum from the same starts.
    """
    return summary.loss or Interval(optimum - summary.mean, optimum - summary.high, optimum - summary.low)


def normalised(summary: Summary, low: float, high: float) -> Interval:
    """The score on the scale on which a return of `low` has 0, one of `high` 1; a loss is against this `high`."""
    value, least, most = regret(summary, high)
    return Interval(*(1.0 - loss / (high - low) for loss in (value, most, least)))


class Profile(NamedTuple):
    """The share of values above each threshold with its pointwise 95 % band; every array is [thresholds]."""

    share: Array
    low: Array
    high: Array


def performance_profile(strata: Sequence[ArrayLike], thresholds: ArrayLike, rng: Rng) -> Profile:
    """The share of episodes that scored above each threshold (Agarwal et al. 2021), all NaN without a score.

    Args:
        strata: scores in each problem, [n] of its own; every problem has the same weight, and resamples of its own.
        thresholds: [m], ascending.
        rng: draws the resamples.
    """
    edges = np.asarray(thresholds, np.float64)

    def above(scores: ArrayLike) -> Stratum:
        between = np.searchsorted(edges, np.asarray(scores, np.float64), side="left")  # thresholds below a score
        support, classes = np.unique(between, return_inverse=True)
        return Stratum(classes, np.asarray(support[:, None] > np.arange(len(edges)), np.float64))

    if min(map(np.size, strata)) == 0:
        return Profile(*np.full((3, len(edges)), np.nan))
    return Profile(*stratified_mean([above(scores) for scores in strata], rng))


def mean_score(strata: Sequence[ArrayLike], rng: Rng, resampled_means: Sequence[Array | None] = ()) -> Interval:
    """The mean over problems of the mean score in each.

    Args:
        strata: as of `performance_profile`.
        rng: draws the resamples.
        resampled_means: of each problem, [resamples], or None where they are drawn here; empty for all of them.
    """
    found = []
    for scores, means in zip(strata, resampled_means or [None] * len(strata), strict=True):
        support, classes = np.unique(grouped(np.asarray(scores, np.float64)), return_inverse=True)
        found.append(Stratum(classes, support, means))
    return Interval(*map(float, stratified_mean(found, rng)))


class Stratum(NamedTuple):
    """A stratum of values to average.

    Attributes:
        classes: of each value, [n].
        values: of each class, [k, ...].
        means: of resampled values, [resamples, ...], None where they are drawn by `stratified_mean`.
    """

    classes: NDArray[np.int64]
    values: Array
    means: Array | None = None


def stratified_mean(strata: Sequence[Stratum], rng: Rng) -> tuple[Array, Array, Array]:
    """A mean over strata of means within each, and its 95 % interval; NaN where a stratum has a single value.

    Every stratum is resampled for itself and has the same weight: the stratified bootstrap of Agarwal et al. (2021).
    """
    point, found = np.zeros(()), np.zeros(())
    for classes, values, means in strata:
        n = len(classes)
        point = point + np.bincount(classes) @ values / n / len(strata)
        if means is None:
            means = np.concatenate([counts @ values / n for counts in resampled(classes, rng)])
        found = found + (means if n > 1 else np.full_like(means, np.nan)) / len(strata)
    low, high = percentiles(found)
    return np.asarray(point), low, high


class Histogram(NamedTuple):
    """The number of values in each class, [classes]; a class of one value has equal ends."""

    low: Array
    high: Array
    counts: NDArray[np.int64]


def histogram(sample: ArrayLike, classes: int = 12) -> Histogram:
    """Outcomes with their counts, or bins of equal width if there are more than `classes` outcomes.

    Args:
        sample: [n].
        classes: the largest number of classes; values equal after rounding to 6 decimals are one outcome.
    """
    values = np.asarray(sample, np.float64)
    outcomes, counts = np.unique(np.round(values, 6) + 0.0, return_counts=True)  # + 0.0: no -0 beside 0
    if len(outcomes) <= classes:
        return Histogram(outcomes, outcomes, counts)
    counts, edges = np.histogram(values, classes)
    return Histogram(edges[:-1], edges[1:], counts)
