"""Estimates with their uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import bootstrap

from planners.base import Rng

CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True)
class Summary:
    """A sample's size, mean, 95 % bootstrap interval of the mean, and median; NaN where the sample is too small."""

    n: int
    mean: float
    low: float
    high: float
    median: float


def summarise(sample: Sequence[float], rng: Rng) -> Summary:
    """Summarise a sample; the interval is the percentile bootstrap's (Efron 1979).

    A sample of equal values has an interval of no width; a single value says nothing about its spread and has none.

    Args:
        sample: values, [n].
        rng: draws the resamples.
    """
    values = np.asarray(sample, np.float64)
    if len(values) == 0:
        return Summary(0, np.nan, np.nan, np.nan, np.nan)
    mean, median = float(values.mean()), float(np.median(values))
    if len(values) == 1:
        return Summary(1, mean, np.nan, np.nan, median)
    if values.min() == values.max():
        return Summary(len(values), float(values[0]), float(values[0]), float(values[0]), median)
    interval = bootstrap((values,), np.mean, confidence_level=CONFIDENCE, n_resamples=RESAMPLES, method="percentile",
                         batch=max(1, 10_000_000 // len(values)), rng=rng).confidence_interval
    return Summary(len(values), mean, float(interval.low), float(interval.high), median)
