"""Bounds of the states, from which a model without `cells` gets its cells."""

import math
import threading
import time
import weakref
from typing import Any

import numpy as np

from bonspiel.planners.checks import offers, require
from bonspiel.planners.core.jit import seconds_loading
from bonspiel.planners.model import Array, HasCells, HasDistanceWeights, HasStateBounds, Model, Rng
from bonspiel.planners.planner import Budget

STEPS = 1_000  # of the rollouts that estimate bounds
SHARE = 0.1  # of a time budget, for such steps
MARGIN = 0.5  # on both sides of the visited range, as a part of it
TAIL, BODY = 1_000.0, 8.0  # interquartile ranges about the median, beyond which a range may be cut, and what is left
EVENLY = 0.7  # of the way from BODY to the farthest state, on a logarithmic scale, that half of the states there exceed
LEFT_OUT = 1e300  # bounds of a coordinate that all cells ignore: every state is in the middle of them

_estimates: dict[int, tuple[weakref.ref[Any], "_Estimate"]] = {}


def unusable_bounds(model: Model) -> str | None:
    """Say why the states of a model cannot be cut into cells; None if they can."""
    if offers(model, HasCells) or not offers(model, HasStateBounds):
        return None
    low, high, dim = model.state_low, model.state_high, model.state_dim
    if np.shape(low) == np.shape(high) == (dim,) and (low < high).all():
        return None
    return f"needs `cells`, or `state_low` and `state_high` of {dim} numbers, each below the other"


def state_bounds(model: Model, budget: Budget | None = None) -> Array:
    """The lower bounds of all coordinates, then the upper ones, [2 * state_dim], all finite.

    Bounds that the model lacks, or that are infinite, are estimated by random rollouts, once for each model; their
    random numbers have a seed of their own. Coordinates with a distance weight of 0 are left out instead. Where a time
    budget's share is too short for them, the decisions to come go on with the rollouts.
    """
    if offers(model, HasStateBounds):
        low, high = model.state_low, model.state_high
        if np.isfinite(high - low).all():
            return np.concatenate([low, high]).astype(np.float64)
    else:
        high = np.full(model.state_dim, np.inf)
        low = -high
    seconds = math.inf if budget is None or budget.seconds is None else SHARE * budget.seconds
    estimate = _estimate_of(model)
    with estimate.lock:
        before = estimate.count
        visited = _visited(model, seconds, estimate)
        if len(visited) > before:
            estimate.bounds = _around(model, visited, low, high)
        return estimate.bounds


class _Estimate:
    """Random rollouts of a model under way, and the bounds by the `count` states that they have visited."""

    def __init__(self, model: Model) -> None:
        self.rng, self.states = np.random.default_rng(0), np.empty((STEPS, model.state_dim))
        self.count, self.seconds = 0, 0.0
        self.left, self.over = 0, True  # of the rollout
        self.bounds = np.empty(0)
        self.lock = threading.Lock()  # of workers that search one model


def _estimate_of(model: Model) -> _Estimate:
    key = id(model)
    if key in _estimates:
        return _estimates[key][1]
    estimate = _Estimate(model)
    try:
        return _estimates.setdefault(key, (weakref.ref(model, lambda _: _estimates.pop(key)), estimate))[1]
    except TypeError:  # slots without __weakref__: estimated for every decision
        return estimate


def _visited(model: Model, seconds: float = math.inf, estimate: _Estimate | None = None) -> Array:
    """The states of random rollouts, [STEPS, state_dim]; fewer, but one, if more are expected to take longer."""
    made = _Estimate(model) if estimate is None else estimate
    begin, spent, action = time.perf_counter(), made.seconds, np.empty(len(model.action_low))
    while made.count < STEPS:
        took = time.perf_counter() - begin - seconds_loading(begin)
        made.seconds, i = spent + took, made.count
        if i > 0 and took + made.seconds / i > seconds:
            break
        if made.over or made.left == 0:
            made.states[i], made.left, made.over = model.initial_state(made.rng), model.horizon, False
        else:
            model.sample_action(made.states[i - 1], action, model.params, made.rng)
            made.left -= 1
            made.over = _is_over(model, made.states[i - 1], action, made.states[i], made.rng)
        made.count += 1
    return made.states[: made.count]


def _is_over(model: Model, state: Array, action: Array, next_state: Array, rng: Rng) -> bool:
    """Step the model; True if the rollout ends there. One that is invalid leaves the state as it was."""
    try:
        reward, over = model.step(state, action, next_state, model.params, rng)
    except Exception:
        reward, over = math.nan, True
    if not (math.isfinite(reward) and np.isfinite(next_state).all()):
        next_state[:], over = state, True
    return bool(over)


def distance_weights(model: Model) -> Array:
    """The weight of each coordinate of a state in distances, [state_dim]: the model's `distance_weights`, or 1.

    Raises:
        ValueError: they are of the wrong shape, or one is below 0.
    """
    weights = model.distance_weights if offers(model, HasDistanceWeights) else np.ones(model.state_dim)
    weights = np.array(weights, np.float64)
    fits = weights.shape == (model.state_dim,) and bool((weights >= 0.0).all())
    require(fits, "distance_weights", weights, f"{model.state_dim} numbers of at least 0")
    return weights


def _around(model: Model, visited: Array, low: Array, high: Array) -> Array:
    """The bounds given, and in place of infinite ones those of the visited states, [n, state_dim], with a margin."""
    unknown = ~np.isfinite(high - low)
    seen_low, seen_high = visited.min(0), visited.max(0)
    seen_low[unknown], seen_high[unknown] = _range(visited[:, unknown])
    margin = MARGIN * (seen_high - seen_low)
    low = np.where(np.isfinite(low), low, seen_low - margin)
    high = np.where(np.isfinite(high), high, seen_high + margin)
    ignored = (unknown & (distance_weights(model) == 0.0)) | ~(low < high)
    return np.concatenate([np.where(ignored, -LEFT_OUT, low), np.where(ignored, LEFT_OUT, high)])


def _range(visited: Array) -> tuple[Array, Array]:
    """The least and the largest visited states; of a coordinate in which an unstable plant ran away, near the median.

    Else all states that are worth planning in would lie in one cell.
    """
    low, high = visited.min(0), visited.max(0)
    if len(visited) < STEPS:
        return low, high
    first, middle, third = np.percentile(visited, (25, 50, 75), axis=0)
    with np.errstate(over="ignore"):
        body, farthest = BODY * (third - first), np.maximum(high - middle, middle - low)
        for k in np.flatnonzero((body > 0.0) & (BODY * farthest > TAIL * body)):
            off = np.abs(visited[:, k] - middle[k])
            # growth by a factor spreads states evenly over orders of magnitude; a large step that was meant does not
            if np.median(off[off > body[k]]) < body[k] * (farthest[k] / body[k]) ** EVENLY:
                low[k], high[k] = max(low[k], middle[k] - body[k]), min(high[k], middle[k] + body[k])
    return low, high
