"""Bounds of the states, from which a model without `cells` gets its cells."""

import math
import weakref
from typing import Any

import numpy as np

from bonspiel.planners.checks import offers
from bonspiel.planners.model import Array, HasCells, HasDistanceWeights, HasStateBounds, Model

STEPS = 1_000  # of the rollouts that estimate bounds
MARGIN = 0.5  # on both sides of the visited range, as a part of it
LEFT_OUT = 1e300  # bounds of a coordinate that all cells ignore: every state is in the middle of them

_estimates: dict[int, tuple[weakref.ref[Any], Array]] = {}


def unusable_bounds(model: Model) -> str | None:
    """Say why the states of a model cannot be cut into cells; None if they can."""
    if offers(model, HasCells) or not offers(model, HasStateBounds):
        return None
    low, high, dim = model.state_low, model.state_high, model.state_dim
    if np.shape(low) == np.shape(high) == (dim,) and (low < high).all():
        return None
    return f"needs `cells`, or `state_low` and `state_high` of {dim} numbers, each below the other"


def state_bounds(model: Model) -> Array:
    """The lower bounds of all coordinates, then the upper ones, [2 * state_dim], all finite.

    Bounds that the model lacks, or that are infinite, are estimated by random rollouts, once for each model; their
    random numbers have a seed of their own. Coordinates with a distance weight of 0 are left out instead.
    """
    if offers(model, HasStateBounds):
        low, high = model.state_low, model.state_high
        if np.isfinite(high - low).all():
            return np.concatenate([low, high]).astype(np.float64)
    else:
        high = np.full(model.state_dim, np.inf)
        low = -high
    key = id(model)
    if key not in _estimates:
        bounds = _estimated(model, low, high)
        try:
            _estimates[key] = weakref.ref(model, lambda _: _estimates.pop(key)), bounds
        except TypeError:  # slots without __weakref__: estimated for every decision
            return bounds
    return _estimates[key][1]


def _estimated(model: Model, low: Array, high: Array) -> Array:
    visited = _visited(model)
    seen_low, seen_high = visited.min(0), visited.max(0)
    margin, unknown = MARGIN * (seen_high - seen_low), ~np.isfinite(high - low)
    low = np.where(np.isfinite(low), low, seen_low - margin)
    high = np.where(np.isfinite(high), high, seen_high + margin)
    weights = model.distance_weights if offers(model, HasDistanceWeights) else np.ones(model.state_dim)
    ignored = (unknown & (weights == 0.0)) | ~(low < high)
    return np.concatenate([np.where(ignored, -LEFT_OUT, low), np.where(ignored, LEFT_OUT, high)])


def _visited(model: Model) -> Array:
    """The states of random rollouts, [STEPS, state_dim]; one that is invalid ends the rollout, as in searches."""
    rng, action = np.random.default_rng(0), np.empty(len(model.action_low))
    states, left, over = np.empty((STEPS, model.state_dim)), 0, True
    for i in range(STEPS):
        if over or left == 0:
            states[i], left, over = model.initial_state(rng), model.horizon, False
            continue
        model.sample_action(states[i - 1], action, model.params, rng)
        try:
            _, over = model.step(states[i - 1], action, states[i], model.params, rng)
        except Exception:  # the model's own; the search counts and names it
            states[i] = math.nan
        if not np.isfinite(states[i]).all():
            states[i], over = states[i - 1], True
        left -= 1
    return states
