"""Finite sets of actions, for planners that do not widen."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import MOST_ACTIONS, require
from bonspiel.planners.core.argmax import argmax_by
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.kinds import LEAST_PLACES, REAL, choices, different, distinct_count, drawn_set, kind_codes
from bonspiel.planners.model import Array, HasActions, HasActionSd, Model, Rng

FAR = 0.375  # from the middle: coordinates of the points that are left over


@lru_cache(maxsize=64)
def spread_points(n: int, dim: int) -> Array:
    """N points that fill the unit cube, as many on either side of the middle of every coordinate, [n, dim].

    In one dimension they are the middles of n equal intervals. In more, a point comes with its mirror images in all
    coordinates, so that no corner of the cube is preferred; where those are more than n, with as many of them as fit,
    in which any two coordinates are mirrored alike as often as not. The first points of these groups lie as those of
    an additive recurrence do (Roberts 2018), with a distance from the middle of their own in each coordinate. What is
    left over are smaller groups on some of the axes, and the middle itself where n is odd.
    """
    if dim == 1 or n == 0:
        return ((np.arange(n) + 0.5) / max(n, 1))[:, None].repeat(dim, axis=1)
    bits = min(dim, n.bit_length() - 1)
    groups, left = divmod(n, 1 << bits)
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dim + 1))
    places = (0.5 + np.arange(groups)[:, None] * ratio ** -np.arange(1.0, dim + 1.0)) % 1.0
    ranks = places.argsort(0, kind="stable").argsort(0)
    ranks[:, 1::2] = groups - 1 - ranks[:, 1::2]  # else the first groups would lie on the diagonal
    points = [_images(apart, bits, bits) for apart in (ranks + 0.5) / (2 * groups)]
    points += [_images(np.full(dim, FAR), part, bits) for part in range(bits) if left >> part & 1]
    return np.concatenate(points)


def _images(apart: Array, part: int, bits: int) -> Array:
    """The 2^part mirror images of a point `apart` from the middle of the cube, [2^part, dim], of at most 2^bits.

    An image is mirrored in the coordinates whose own set of bits has an odd number of those of the image. The first
    sets have one bit each. Coordinates of other bits than the first `part` stay in the middle.
    """
    sets = np.resize(sorted(range(1, 1 << bits), key=int.bit_count) or [1], len(apart))
    has = [numbers[:, None] >> np.arange(bits) & 1 for numbers in (np.arange(1 << part), sets)]
    signs = np.where(sets < 1 << part, 1 - 2 * (has[0] @ has[1].T % 2), 0)
    return 0.5 + signs * apart


def action_set(model: Model, n: int) -> Array:
    """N actions that fill the box, as many on either side of every coordinate's middle, [n, action_dim]."""
    return in_box(model.action_low, model.action_high, n)


def in_box(low: Array, high: Array, n: int) -> Array:
    """N actions that fill a box, [n, action_dim]; all alike where its coordinates have no width."""
    actions, free = np.tile(np.asarray(low, np.float64), (n, 1)), high > low
    if free.any():
        actions[:, free] += (high - low)[free] * spread_points(n, int(free.sum()))
    return actions


def fixed_set(model: Model, state: Array, n: int, rng: Rng) -> Array:
    """The actions of a search that has one set of them, [any, action_dim]: `action_set` where all are real.

    Otherwise all actions where they are few, or no more than `n`; or, for each choice of the whole numbers, as many
    points of the real coordinates as make about `n` actions; or `n` actions that the model draws in the state, which is
    said once.
    """
    if len(kind_codes(model)) == 0:
        return action_set(model, n)
    listed = choices(model, n)
    if listed is None:
        count = distinct_count(model)
        of = f"of {count} actions" if count else "of the actions"
        all_of = f", all from n_actions={count} on" if 0 < count <= MOST_ACTIONS else ""
        say_once(f"planners with a fixed set consider {n} {of}, drawn once a search: n_actions sets the number{all_of}")
        return drawn_set(model, state, n, rng)
    reals = kind_codes(model) == REAL
    if not reals.any():
        return listed
    points = in_box(model.action_low[reals], model.action_high[reals], max(LEAST_PLACES, -(-n // len(listed))))
    actions = np.repeat(listed, len(points), axis=0)
    actions[:, reals] = np.tile(points, (len(listed), 1))
    return actions


def has_fixed_set(model: Model, n: int) -> bool:
    """True if `fixed_set` of `n` gives the same actions whatever it draws."""
    return len(kind_codes(model)) == 0 or choices(model, n) is not None


def inverse_widths(model: Model) -> Array:
    """1 / (high - low) of each coordinate of an action, 1 where that is infinite or 0, [action_dim]."""
    width = np.ascontiguousarray(model.action_high - model.action_low, np.float64)
    return 1.0 / np.where((width > 0.0) & np.isfinite(width), width, 1.0)


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


def nearest(model: Model, actions: Array, others: Array, rng: Rng) -> NDArray[np.int64]:
    """The index of the action nearest to each of others, [n, action_dim], equals drawn; ranges of actions count 1."""
    apart = (different(model, others[:, None], actions, inverse_widths(model)) ** 2).sum(-1)
    return np.array([argmax_by(rng, -one) for one in apart])


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
