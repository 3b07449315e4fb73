"""The values without parts that an environment holds at any depth, each with the path to it."""

import types
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.snapshot.objects import NOT_HELD, PLAIN, is_generator, is_simulator, parts_of_object
from bonspiel.envs.snapshot.wrappers import layers_of, left_out

SIMULATORS = ("MjData", "MjModel")
ATTRIBUTE, ITEM, REFERENT = "attribute", "item", "referent"
NUMBERS = {bool, int, float}

Path = tuple[tuple[str, Any], ...]


class Leaf(NamedTuple):
    """A value without parts.

    Attributes:
        container: the dict, list or deque that holds it; None where it cannot be replaced.
        key: its place there.
        value: itself.
        content: of it at this moment, to compare.
        form: of it at this moment: its types, see `kinds_of`, and its shape.
    """

    container: Any
    key: Any
    value: Any
    content: Any
    form: tuple[tuple[type, ...], tuple[int, ...]]


def leaves(env: Any) -> dict[Path, Leaf]:
    """All values without parts in an environment, by path; generators, and what all environments share, left out."""
    waiting = _roots(env)
    seen, found = set(map(id, layers_of(env))), {}
    while waiting:
        path, item = waiting.pop()
        for container, key, name, value in _inner(item):
            inner = (*path, name)
            is_leaf = is_plain(value) or bool(kinds_of(value))
            if is_leaf or any(is_simulator(value, name) for name in SIMULATORS):
                found[inner] = leaf_of(container, key, value)
            shared = isinstance(value, (types.ModuleType, *NOT_HELD))
            if not (shared or is_generator(value) or is_leaf or id(value) in seen):
                seen.add(id(value))
                waiting.append((inner, value))
    return found


def leaf_of(container: Any, key: Any, value: Any) -> Leaf:
    """A value as it is now."""
    is_shaped = is_plain(value) or isinstance(value, list | tuple)
    return Leaf(container, key, value, content_of(value), (kinds_of(value), np.shape(value) if is_shaped else ()))


def is_plain(value: Any) -> bool:
    """Return whether a value has no parts."""
    return value is None or isinstance(value, PLAIN) or (isinstance(value, np.ndarray) and not value.dtype.hasobject)


def kinds_of(value: Any) -> tuple[type, ...]:
    """The types of a list or tuple of numbers and of these; none of anything else."""
    if type(value) not in (list, tuple) or not all(
        type(item) in NUMBERS or isinstance(item, np.number) for item in value
    ):
        return ()
    return (type(value), *map(type, value)) if value else ()


def _roots(env: Any) -> list[tuple[Path, Any]]:
    unwanted = set(map(id, left_out(env)))
    layers = [layer for layer in layers_of(env) if id(layer) not in unwanted]
    return [(((ITEM, number),), layer) for number, layer in enumerate(layers)]


def _inner(item: Any) -> Iterator[tuple[Any, Any, tuple[str, Any], Any]]:
    """The parts of an object: container, key, step of a path, value."""
    if isinstance(item, dict):
        for key, value in list(item.items()):
            yield item, key, (ITEM, key), value
    elif isinstance(item, list | deque):
        for key, value in enumerate(item):
            yield item, key, (ITEM, key), value
    elif _has_attributes(item):
        for key, value in list(vars(item).items()):
            yield vars(item), key, (ATTRIBUTE, key), value
    else:
        for key, value in enumerate(parts_of_object(item)):
            yield None, key, (REFERENT, key), value


def _has_attributes(item: Any) -> bool:
    return hasattr(item, "__dict__") and not hasattr(type(item), "__globals__") and not isinstance(item, tuple)


def followed(env: Any, paths: list[Path]) -> list[tuple[Any, Any]]:
    """The container and the key to which each path leads in an environment.

    Raises:
        ValueError: one leads to none.
    """
    roots = dict(_roots(env))
    return [_followed(roots, path) for path in paths]


def _followed(roots: dict[Path, Any], path: Path) -> tuple[Any, Any]:
    try:
        item = roots[path[:1]]
        for kind, key in path[1:-1]:
            item = (
                vars(item)[key] if kind == ATTRIBUTE else parts_of_object(item)[key] if kind == REFERENT else item[key]
            )
        kind, key = path[-1]
        return vars(item) if kind == ATTRIBUTE else item, key
    except (LookupError, TypeError) as error:
        raise ValueError(
            f"env={next(iter(roots.values()))}: must be like the one of the model; it has no {path_text(path)}"
        ) from error


def path_text(path: Path) -> str:
    """A path as code."""
    names = (f".{key}" if kind == ATTRIBUTE else f"[{key!r}]" if kind == ITEM else "" for kind, key in path[1:])
    return "env" + "".join(names)


def content_of(value: Any) -> Any:
    """What two moments compare of a value."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.char, value.tobytes()
    if kinds_of(value):
        return type(value), *map(content_of, value)
    if not is_plain(value):
        return id(value)
    return type(value), repr(value) if isinstance(value, float | np.floating) else value  # nan is nan
