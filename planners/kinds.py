"""Kinds of the coordinates of an action: real numbers, whole numbers in order, yes or no, and values without an order.

A coordinate that is not real holds a whole number within the bounds: of a boolean 0 or 1, of a categorical a number
from 0 on that stands for a value. Every planner takes real actions; `Traits.action_kinds` says who takes others.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.model import Array, Model, Rng

KINDS = ("real", "integer", "boolean", "categorical")
REAL, INTEGER, BOOLEAN, CATEGORICAL = range(4)  # their codes, the places in KINDS
ONLY_REAL = KINDS[:1]

ALL_REAL = np.zeros(0, np.int64)
MOST_LISTED = 64  # actions of a model without real coordinates that a fixed set lists one by one
LEAST_PLACES = 3  # actions of a fixed set for one choice of the whole numbers, where there are real coordinates
DRAWS = 4  # for each action of a set that is drawn, as equal ones are left out


@functools.cache
def _codes(kinds: tuple[str, ...], dim: int) -> NDArray[np.int64]:
    if len(kinds) != dim or not set(kinds) <= set(KINDS):
        raise ValueError(f"action_kinds={kinds!r}: must be {dim} names, each one of {', '.join(KINDS)}")
    codes = np.array([KINDS.index(kind) for kind in kinds], np.int64)
    return codes if codes.any() else ALL_REAL


def kind_codes(model: Model) -> NDArray[np.int64]:
    """The codes of the kinds of a model's coordinates, [action_dim]; [0] where all are real.

    Raises:
        ValueError: the model's `action_kinds` are not one name of `KINDS` for each coordinate.
    """
    kinds = getattr(model, "action_kinds", None)
    return ALL_REAL if kinds is None else _codes(tuple(kinds), len(model.action_low))


def other_kinds(model: Model) -> list[str]:
    """The kinds of a model's coordinates that are not real, in the order of `KINDS`."""
    return [KINDS[code] for code in np.unique(kind_codes(model)) if code != REAL]


def refused_kinds(model: Model, taken: tuple[str, ...]) -> str | None:
    """Say why a planner that takes these kinds refuses a model; None if it takes all of the model's."""
    refused = [kind for kind in other_kinds(model) if kind not in taken]
    return f"takes no {' or '.join(refused)} actions" if refused else None


def value_counts(model: Model) -> Array:
    """The number of values of each coordinate, inf for a real one, [action_dim]."""
    codes, span = kind_codes(model), model.action_high - model.action_low + 1.0
    return np.where(codes == REAL, np.inf, span) if len(codes) else np.full(len(span), np.inf)


def is_discrete(model: object) -> bool:
    """True if a model says that no other actions can be played than those of its `actions`."""
    return bool(getattr(model, "discrete", False))


def distinct_count(model: Model) -> int:
    """The number of different actions, with `discrete` the most of a state; 0 where it has no end, or is above 2^53."""
    if len(kind_codes(model)) == 0:
        return int(getattr(model, "max_actions", None) or 0) if is_discrete(model) else 0
    count = math.prod(value_counts(model).tolist())
    return int(count) if count <= 2.0**53 else 0


def valid(model: Model, actions: Array) -> Array:
    """The valid actions nearest to actions, [..., action_dim]: whole numbers where the kind asks for them."""
    codes = kind_codes(model)
    if len(codes) == 0:
        return actions
    rounded = np.clip(np.floor(actions + 0.5), model.action_low, model.action_high)
    return np.where(codes == REAL, actions, rounded)


def placed(model: Model, places: Array) -> Array:
    """Valid actions at places in the unit cube, [..., action_dim]; uniform places give uniform actions."""
    low, high, codes = model.action_low, model.action_high, kind_codes(model)
    if len(codes) == 0:
        return low + (high - low) * places
    whole = np.minimum(np.floor(low + (high - low + 1.0) * places), high)
    return np.where(codes == REAL, low + (high - low) * places, whole)


def different(model: Model, one: Array, other: Array, scale: Array) -> Array:
    """Differences of actions, coordinate by coordinate, times `scale`; of categoricals 1 where they differ."""
    apart: Array = (one - other) * scale
    codes = kind_codes(model)
    return np.where(codes == CATEGORICAL, one != other, apart) if len(codes) else apart


def choices(model: Model, n: int = MOST_LISTED) -> Array | None:
    """All choices of the coordinates that are not real, [any, action_dim], the real ones in the middle of their range.

    None where they are more than `n` and than `MOST_LISTED`; where there are real coordinates, with `LEAST_PLACES` for
    each.
    """
    codes, counts = kind_codes(model), value_counts(model)
    reals = np.isinf(counts)
    most = max(n, MOST_LISTED) // (LEAST_PLACES if reals.any() else 1)
    sizes = np.where(reals, 1.0, counts)
    if len(codes) == 0 or math.prod(sizes.tolist()) > most:
        return None
    grid = np.indices(sizes.astype(int).tolist()).reshape(len(sizes), -1).T
    listed = np.where(reals, 0.5 * (model.action_low + model.action_high), model.action_low + grid)
    return np.ascontiguousarray(listed)


def drawn_set(model: Model, state: Array, n: int, rng: Rng) -> Array:
    """Different actions that the model draws in a state, [n or fewer, action_dim]."""
    found: dict[bytes, Array] = {}
    for _ in range(DRAWS * n):
        action = np.empty(len(model.action_low))
        model.sample_action(state, action, model.params, rng)
        found.setdefault((action + 0.0).tobytes(), action)
        if len(found) == n:
            break
    return np.array(list(found.values()))
