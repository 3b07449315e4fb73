"""The values without parts that an environment holds at any depth, each with the path to it."""

import functools
import hashlib
import inspect
import types
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.snapshot.objects import NOT_HELD, PLAIN, is_drawn_with, is_generator, parts_of_object
from bonspiel.envs.snapshot.wrappers import layers_of, left_out

LARGEST = 100  # entries of an array whose content is kept, not a digest
ATTRIBUTE, ITEM, REFERENT = "attribute", "item", "referent"
NUMBERS = {bool, int, float}
BESIDE = {"render_mode", "mujoco_renderer", "viewer", "_ezpickle_args", "_ezpickle_kwargs", "_cached_spec", "spec"}
BESIDE |= {"_np_random_seed"}
"""Attributes that no step depends on: they draw, or say how the environment or its noise began."""

Path = tuple[tuple[str, Any], ...]


class Leaf(NamedTuple):
    """A value without parts, or in place of one with parts its type, or the path on which it was met before.

    Attributes:
        container: the dict, list or deque that holds it; None where it cannot be replaced.
        key: its place there.
        value: itself.
        content: of it at this moment, to compare, also with that in another process.
        form: of it at this moment: its types, see `kinds_of`, and its shape.
    """

    container: Any
    key: Any
    value: Any
    content: Any
    form: tuple[tuple[type, ...], tuple[int, ...]]


def leaves(env: Any) -> dict[Path, Leaf]:
    """All values in an environment, by path; generators, what draws, and what all environments share, left out."""
    waiting = _roots(env)
    layers, seen, found = set(map(id, layers_of(env))), dict[int, Path](), dict[Path, Leaf]()
    while waiting:
        path, item = waiting.pop()
        for container, key, name, value in _inner(item):
            inner = (*path, name)
            if name[0] == ATTRIBUTE and (key in BESIDE or (key in ("render", "close") and callable(value))):
                continue
            if is_plain(value) or kinds_of(value) or isinstance(value, type):
                found[inner] = leaf_of(container, key, value)
            elif id(value) in seen:
                found[inner] = Leaf(container, key, value, seen[id(value)], ((), ()))
            elif not (
                id(value) in layers
                or isinstance(value, (types.ModuleType, *NOT_HELD))
                or is_generator(value)
                or is_drawn_with(value)
            ):
                found[inner] = leaf_of(container, key, value)
                seen[id(value)] = inner
                waiting.append((inner, value))
    return found


def leaf_of(container: Any, key: Any, value: Any) -> Leaf:
    """A value as it is now."""
    kinds = kinds_of(value)
    return Leaf(container, key, value, content_of(value), (kinds, np.shape(value) if kinds or is_plain(value) else ()))


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
    elif not _has_attributes(item):
        for key, value in enumerate(_referents(item)):
            yield None, key, (REFERENT, key), value
    if _has_attributes(item):
        for key, value in list(vars(item).items()):
            yield vars(item), key, (ATTRIBUTE, key), value
        for key in _slots(item.__class__):
            if hasattr(item, key):
                yield None, key, (ATTRIBUTE, key), getattr(item, key)


def _has_attributes(item: Any) -> bool:
    return hasattr(item, "__dict__") and not hasattr(type(item), "__globals__") and not isinstance(item, tuple)


@functools.cache
def _slots(kind: type) -> tuple[str, ...]:
    """The attributes of its objects that are in no __dict__."""
    members = (items for cls in kind.__mro__ for items in vars(cls).items())
    return tuple(dict.fromkeys(key for key, member in members if isinstance(member, types.MemberDescriptorType)))


def _referents(item: Any) -> list[Any]:
    """The parts of an object without attributes; of a set in an order that another process has too."""
    return sorted(item, key=repr) if isinstance(item, set | frozenset) else parts_of_object(item)


def followed(env: Any, paths: list[Path]) -> list[tuple[Any, Any]]:
    """The container and the key to which each path leads in an environment.

    Raises:
        ValueError: one leads to none.
    """
    roots = dict(_roots(env))
    return [_followed(roots, path) for path in paths]


def _followed(roots: dict[Path, Any], path: Path) -> tuple[Any, Any]:
    try:
        item, (kind, key) = _item(roots, path[:-1]), path[-1]
        return vars(item) if kind == ATTRIBUTE else item, key
    except (AttributeError, LookupError, TypeError) as error:
        raise ValueError(
            f"env={next(iter(roots.values()))}: must be like the one of the model; it has no {path_text(path)}"
        ) from error


def _item(roots: dict[Path, Any], path: Path) -> Any:
    item = roots[path[:1]]
    for kind, key in path[1:]:
        if kind == ATTRIBUTE:
            item = getattr(item, key) if key in _slots(item.__class__) else vars(item)[key]
        else:
            item = _referents(item)[key] if kind == REFERENT else item[key]
    return item


def is_default(env: Any, path: Path, leaf: Leaf) -> bool:
    """Return whether a value in an environment is an attribute that its class has too."""
    kind, key = path[-1]
    default = getattr(type(_item(dict(_roots(env)), path[:-1])), str(key), Ellipsis)
    return kind == ATTRIBUTE and content_of(default) == leaf.content


def overrides(env: Any, path: Path, leaf: Leaf) -> bool:
    """Return whether a value in an environment is an attribute for which its class has another value, not computed."""
    kind, key = path[-1]
    if kind != ATTRIBUTE:
        return False
    default = inspect.getattr_static(type(_item(dict(_roots(env)), path[:-1])), str(key), None)
    return is_plain(default) and default is not None and content_of(default) != leaf.content


def path_text(path: Path) -> str:
    """A path as code."""
    names = (f".{key}" if kind == ATTRIBUTE else f"[{key!r}]" if kind == ITEM else "" for kind, key in path[1:])
    return "env" + "".join(names)


def content_of(value: Any) -> Any:
    """The content of a value as it is compared between two moments, also of another process."""
    if isinstance(value, np.ndarray):
        content = value.tobytes() if value.size <= LARGEST else digest(value)
        return value.shape, value.dtype.char, content
    if kinds_of(value):
        return type(value), *map(content_of, value)
    if not is_plain(value):
        kind = value if isinstance(value, type) or hasattr(type(value), "__globals__") else type(value)
        return getattr(kind, "__module__", None), kind.__qualname__
    return type(value), repr(value) if isinstance(value, float | np.floating) else value  # nan is nan


def digest(array: Any) -> bytes:
    """Stands for the content of an array, in every process."""
    return hashlib.blake2b(np.ascontiguousarray(array).data, digest_size=16).digest()
