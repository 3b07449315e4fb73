"""Finite sets of actions, for planners that do not widen."""

import functools
import itertools
from collections.abc import Iterator

import numpy as np

from bonspiel.planners.checks import require
from bonspiel.planners.model import Array, HasActions, HasActionSd, Model


@functools.lru_cache(maxsize=64)
def _fractions(n: int, dim: int) -> Array:
    """N points in the unit cube, [n, dim]."""
    if dim == 1 or n == 0:
        return ((np.arange(n) + 0.5) / n)[:, None]
    return halton(n, dim)


def halton(n: int, dim: int) -> Array:
    """The first n points of the Halton sequence after 0, [n, dim]: in each dimension another prime's digits, mirrored.

    These are scipy's, whose import would take longer than most searches.
    """
    points = np.zeros((n, dim))
    for column, base in zip(points.T, _primes(), strict=False):
        left, place = np.arange(1, n + 1), 1.0 / base
        while left.any():
            column += left % base * place
            left, place = left // base, place / base
    return points


def _primes() -> Iterator[int]:
    """All primes, rising."""
    found: list[int] = []
    for number in itertools.count(2):
        if all(number % prime for prime in found):
            found.append(number)
            yield number


def action_set(model: Model, n: int) -> Array:
    """N actions of the box, [n, action_dim]: middles of n equal intervals, or Halton points from 2 dimensions on."""
    low, high = model.action_low, model.action_high
    return np.ascontiguousarray(low + (high - low) * _fractions(n, len(low)))


def inverse_widths(model: Model) -> Array:
    """1 / (high - low) of each coordinate of an action, 1 where that is infinite, [action_dim]."""
    width = model.action_high - model.action_low
    return 1.0 / np.where(np.isfinite(width), width, 1.0)


def action_sd(model: HasActionSd) -> Array:
    """The standard deviation of the execution noise of each coordinate, [action_dim].

    Raises:
        ValueError: the model's `action_sd` are no such numbers.
    """
    dim = len(model.action_low)
    sd = np.ascontiguousarray(model.action_sd, np.float64)
    fits = sd.shape == (dim,) and ((sd >= 0.0) & np.isfinite(sd)).all()
    require(fits, "action_sd", sd, f"{dim} finite numbers of at least 0")
    return sd


def own_actions(model: HasActions, state: Array) -> Array:
    """The actions that the model's `actions` proposes in this state, [n, action_dim]."""
    out, keys = np.empty((model.max_actions, len(model.action_low))), np.empty(model.max_actions, np.uint64)
    return out[: model.actions(state, model.params, out, keys)]


def action_kernel(actions: Array, bandwidth: float) -> Array:
    """Gaussian similarity of every two actions, [n, n]; the identity for a bandwidth of 0."""
    if bandwidth == 0.0:
        return np.eye(len(actions))
    squared = ((actions[:, None] - actions[None]) ** 2).sum(-1)
    kernel: Array = np.exp(-squared / (2.0 * bandwidth**2))
    return kernel
