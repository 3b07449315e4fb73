"""Action spaces of Gymnasium as vectors: bounds, kinds, and the way back to an item of the space.

Dict and Tuple are flattened in the order in which they hold their spaces, as Gymnasium's own `flatten` does; a choice
of n values is one coordinate, not n.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from bonspiel.planners.model import Array

TAKEN = "a Box of coordinates of finite range, Discrete, MultiDiscrete or MultiBinary, or a Dict or Tuple of these"


class Part(NamedTuple):
    """The coordinates of one space that holds no others.

    Attributes:
        space: a Box, Discrete, MultiDiscrete or MultiBinary.
        kind: of all its coordinates.
        low: smallest values, [n].
        high: largest values, [n].
    """

    space: Any
    kind: str
    low: Array
    high: Array


def part_of(space: spaces.Space[Any]) -> Part | None:
    """The coordinates of a space that holds no others; None if it is none that planners take."""
    if isinstance(space, spaces.Discrete):
        return Part(space, "categorical", np.zeros(1), np.array([space.n - 1.0]))
    if isinstance(space, spaces.MultiDiscrete):
        high = space.nvec.ravel() - 1.0
        return Part(space, "categorical", np.zeros(len(high)), high)
    if isinstance(space, spaces.MultiBinary):
        return Part(space, "boolean", np.zeros(int(np.prod(space.shape))), np.ones(int(np.prod(space.shape))))
    if isinstance(space, spaces.Box) and _has_range(space):
        kind = "boolean" if space.dtype == np.bool_ else "real"
        kind = "integer" if np.issubdtype(space.dtype, np.integer) else kind
        return Part(space, kind, *(np.asarray(end, np.float64).ravel() for end in (space.low, space.high)))
    return None


def parts_of(space: spaces.Space[Any]) -> list[Part] | None:
    """The parts of a space in the order of its coordinates; None if one is none that planners take."""
    if not isinstance(space, spaces.Dict | spaces.Tuple):
        part = part_of(space)
        return None if part is None else [part]
    inner = space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces
    found: list[Part] = []
    for one in inner:
        parts = parts_of(one)
        if parts is None:
            return None
        found += parts
    return found if found else None


def item_of(space: spaces.Space[Any], parts: Iterator[Any]) -> Any:
    """An item of a space from the items of its parts, in order."""
    if isinstance(space, spaces.Dict):
        return {name: item_of(one, parts) for name, one in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(item_of(one, parts) for one in space.spaces)
    return next(parts)


def part_item(part: Part, action: Array) -> Any:
    """An item of a part's space from the vector of its coordinates, which are clipped, and rounded where not real."""
    space = part.space
    if isinstance(space, spaces.Box):
        taken = action.astype(space.dtype) if part.kind == "real" else _nearest_integers(part, action)
        if part.kind == "real" and not ((action >= part.low) & (action <= part.high)).all():
            taken = np.clip(action, part.low, part.high).astype(space.dtype)
        return taken.reshape(space.shape)
    whole = np.clip(np.floor(action + 0.5), part.low, part.high)
    if isinstance(space, spaces.Discrete):
        return space.dtype.type(space.start + int(whole[0]))
    taken = whole.reshape(space.shape).astype(space.dtype)
    return taken + space.start if isinstance(space, spaces.MultiDiscrete) else taken


def _nearest_integers(part: Part, action: Array) -> Any:
    """Float64 does not hold all ends of 64 bits, so that the ends themselves stand for what lies beyond."""
    nearest = np.floor(action + 0.5)
    taken = np.where(nearest < part.high, part.space.low.ravel(), part.space.high.ravel())
    between = (nearest > part.low) & (nearest < part.high)
    taken[between] = nearest[between].astype(part.space.dtype)
    return taken


def _has_range(box: spaces.Box) -> bool:
    with np.errstate(over="ignore"):
        span = np.subtract(box.high, box.low, dtype=np.float64)
    return span.size > 0 and box.is_bounded() and bool(np.isfinite(span).all())
