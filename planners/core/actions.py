"""Finite sets of actions, for planners that do not widen."""

from functools import lru_cache, partial

import numpy as np

from bonspiel.planners.checks import require
from bonspiel.planners.core.values import cached
from bonspiel.planners.model import Array, HasActions, HasActionSd, Model


@lru_cache(maxsize=64)
def _fractions(n: int, dim: int) -> Array:
    """N points in the unit cube, [n, dim]."""
    if dim == 1 or n == 0:
        return ((np.arange(n) + 0.5) / n)[:, None]
    return cached(f"{n} points of Halton's sequence in {dim} dimensions", (), partial(_compute_halton, n, dim))[
        "points"
    ]


def _compute_halton(n: int, dim: int) -> dict[str, Array]:
    from scipy.stats import qmc  # late: its import takes longer than most searches

    return {"points": qmc.Halton(dim, scramble=False).random(n + 1)[1:]}


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
