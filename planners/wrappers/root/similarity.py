"""Similarity of two actions: a Gaussian kernel of their difference, taken the short way round a period."""

from typing import NamedTuple

import numpy as np

from bonspiel.planners.checks import offers, require
from bonspiel.planners.core.actions import action_sd
from bonspiel.planners.kinds import BOOLEAN, CATEGORICAL, kind_codes
from bonspiel.planners.model import Array, HasActionPeriod, HasActionSd, Model


class Kernel(NamedTuple):
    """K(a, b) = exp(-1/2 sum_d (a_d - b_d)^2 / h_d^2).

    Attributes:
        width: h, [action_dim]; 0 asks for equality, as of booleans and categoricals.
        period: of each coordinate, [action_dim]; inf where it has none.
    """

    width: Array
    period: Array


def kernel_of(model: Model, bandwidth: float | str) -> Kernel:
    """The kernel for the actions of a model; its bandwidth is a part of their range, or "noise"."""
    low, high = model.action_low, model.action_high
    if bandwidth == "noise" and offers(model, HasActionSd):
        width = action_sd(model)
    else:
        width = np.asarray(float(bandwidth) * (high - low))
    if len(codes := kind_codes(model)) > 0:
        width = np.where((codes == BOOLEAN) | (codes == CATEGORICAL), 0.0, width)
    period = np.asarray(model.action_period if offers(model, HasActionPeriod) else np.full(len(low), np.inf), float)
    fits = period.shape == low.shape and (period > 0.0).all()
    require(fits, "action_period", period, f"{len(low)} numbers above 0")
    return Kernel(width, period)


def alike(kernel: Kernel, a: Array, b: Array) -> Array:
    """K of each of some actions, [n, action_dim], with each of others, [m, action_dim]; [n, m]."""
    squares = np.zeros((len(a), len(b)))
    for d, (width, period) in enumerate(zip(*kernel, strict=True)):
        gap = a[:, None, d] - b[None, :, d]
        if np.isfinite(period):
            gap -= period * np.rint(gap / period)
        with np.errstate(over="ignore"):  # far more than a width apart
            squares += (gap / width) ** 2 if width > 0.0 else np.where(gap == 0.0, 0.0, np.inf)
    return np.exp(-0.5 * squares)
