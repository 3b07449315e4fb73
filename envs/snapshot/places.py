"""The numbers that an environment holds beside its simulator: in its attributes, its parts and its wrappers.

Which ones change is seen in a few episodes. What changes and is no number, or lies in a new place each time, cannot be
written back.
"""

import copy
import functools
import math
import operator
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.snapshot.check import reset, step
from bonspiel.envs.snapshot.objects import NOT_HELD, PLAIN, is_generator, is_simulator, parts_of_object
from bonspiel.envs.snapshot.wrappers import action_space, layers_of, left_out

SIMULATORS = ("MjData", "MjModel")
EPISODES, STEPS = 3, 3  # played to see what changes; caches are filled in the first one
LARGEST = 100  # entries of an array that is written back though it has not changed
MOST = 4000  # numbers in all
IGNORED = {"_np_random_seed"}  # of Gymnasium, which only says how np_random began
ATTRIBUTE, ITEM, REFERENT = "attribute", "item", "referent"

Path = tuple[tuple[str, Any], ...]


class Absent:
    """Stands for an attribute that is not there yet."""


TYPES: tuple[type, ...] = (Absent, type(None), bool, int, float)
CODES = {kind: float(code) for code, kind in enumerate(TYPES)}
OF_NUMPY, OF_ARRAYS = 256, 512  # are added to the character of a number type of numpy, in numbers and in arrays


class UnknownStateError(Exception):
    """Something changes that cannot be written back; the message names its place."""


class Leaf(NamedTuple):
    """A value without parts.

    Attributes:
        container: the dict, list or deque that holds it; None where it cannot be replaced.
        key: its place there.
        value: itself.
        content: of it at this moment, to compare.
    """

    container: Any
    key: Any
    value: Any
    content: Any


class Slot(NamedTuple):
    """A place of numbers.

    Attributes:
        path: from the layers of an environment to it.
        shape: of its array; () of a number.
        size: of its array; 1 of a number.
        in_place: whether its array is always the same, so that others may share it.
    """

    path: Path
    shape: tuple[int, ...]
    size: int
    in_place: bool


class Found(NamedTuple):
    """A slot in one environment."""

    slot: Slot
    container: Any
    key: Any
    get: Callable[[], Any]


def moments(env: Any, episodes: int = EPISODES) -> Iterator[dict[Path, Leaf]]:
    """The values in an environment at the beginning of episodes and after steps, but the first episode.

    Raises:
        FailingError: a reset or a step failed.
    """
    actions = copy.deepcopy(action_space(env))
    actions.seed(0)
    for seed in range(episodes):
        reset(env, seed)
        for number in range(STEPS + 1):
            if seed > 0:
                yield leaves(env)
            if number == STEPS or step(env, actions.sample())[2]:
                break


def leaves(env: Any) -> dict[Path, Leaf]:
    """All values without parts in an environment, by path; generators, and what all environments share, left out."""
    waiting = _roots(env)
    seen, found = set(map(id, layers_of(env))), {}
    while waiting:
        path, item = waiting.pop()
        for container, key, name, value in _inner(item):
            inner = (*path, name)
            if is_plain(value) or any(is_simulator(value, name) for name in SIMULATORS):
                found[inner] = Leaf(container, key, value, _content(value))
            shared = isinstance(value, (types.ModuleType, *NOT_HELD, *PLAIN))
            if not (shared or is_generator(value) or is_plain(value) or id(value) in seen):
                seen.add(id(value))
                waiting.append((inner, value))
    return found


def is_plain(value: Any) -> bool:
    """Return whether a value has no parts."""
    return value is None or isinstance(value, PLAIN) or (isinstance(value, np.ndarray) and not value.dtype.hasobject)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, an array of numbers, or nothing, and a vector of float64 can hold it."""
    if type(value) in CODES:
        return not isinstance(value, int) or abs(value) < 2**53
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "biuf":
        return False
    return bool(np.array_equal(np.asarray(value, np.float64).astype(value.dtype), value, equal_nan=True))


class Places:
    """The places of the numbers that a state needs; see the module.

    Args:
        seen: the values at moments of episodes.

    Raises:
        UnknownStateError: see there.
    """

    def __init__(self, seen: list[dict[Path, Leaf]]) -> None:
        nothing = Leaf(None, None, Absent(), _content(Absent()))
        paths = dict.fromkeys(path for moment in seen for path in moment)
        slots = (_slot(path, [moment.get(path, nothing) for moment in seen]) for path in paths)
        self.slots = [slot for slot in slots if slot is not None]
        self.width = sum(1 + slot.size for slot in self.slots)
        if self.width > MOST:
            raise UnknownStateError(f"its attributes have {self.width:,} numbers; at most {MOST:,} are written back")

    def find(self, env: Any) -> list[Found]:
        """The places in an environment.

        Raises:
            ValueError: it has other parts.
        """
        places = followed(env, [slot.path for slot in self.slots])
        return [_found(slot, *place) for slot, place in zip(self.slots, places, strict=True)]

    def read(self, found: list[Found]) -> list[float]:
        """The numbers, each with its number type in front, since some environments change it, [width].

        Raises:
            ValueError: an array has another size than in the first episodes.
        """
        coded: list[float] = []
        for slot, _, _, get in found:
            value = get()
            code = CODES.get(type(value))
            if code is not None:
                coded += (code, float(value) if code > 1.0 else 0.0)
                if slot.size > 1:
                    coded += [0.0] * (slot.size - 1)
            elif isinstance(value, np.ndarray) and value.shape == slot.shape:
                coded.append(OF_ARRAYS + ord(value.dtype.char))
                coded += value.ravel().tolist()
            elif isinstance(value, np.generic) and slot.size == 1:
                coded += (OF_NUMPY + ord(value.dtype.char), float(value))
            else:
                was = f"an array of shape {slot.shape}" if slot.shape else "a number"
                raise ValueError(f"{_text(slot.path)}={value!r}: must be {was} in all steps, as in the first ones")
        return coded

    def write(self, found: list[Found], coded: list[float]) -> None:
        """Write back what `read` returned."""
        first = 0
        for slot, container, key, get in found:
            code, last = int(coded[first]), first + 1 + slot.size
            if code < len(TYPES):
                kind = TYPES[code]
                if kind is Absent:
                    container.pop(key, None)
                else:
                    container[key] = None if kind is type(None) else kind(coded[first + 1])
            elif code < OF_ARRAYS:
                container[key] = np.dtype(chr(code - OF_NUMPY)).type(coded[first + 1])
            else:
                array, values = get(), np.array(coded[first + 1 : last], chr(code - OF_ARRAYS)).reshape(slot.shape)
                if slot.in_place:
                    array[...] = values
                else:
                    container[key] = values
            first = last


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
            f"env={next(iter(roots.values()))}: must be like the one of the model; it has no {_text(path)}"
        ) from error


def _slot(path: Path, seen: list[Leaf]) -> Slot | None:
    """The slot of a value at some moments; None if a state need not have it.

    Raises:
        UnknownStateError: it cannot be written back.
    """
    there = [leaf for leaf in seen if not isinstance(leaf.value, Absent)]
    if path[-1][1] in IGNORED:
        return None
    changed = any(leaf.content != seen[0].content for leaf in seen)
    stays = all(leaf.container is not None and leaf.container is there[0].container for leaf in there)
    stays = stays and (len(there) == len(seen) or isinstance(there[0].container, dict))
    shapes = {np.shape(leaf.value) for leaf in there if leaf.value is not None}
    is_restorable = stays and len(shapes) <= 1 and all(is_number(leaf.value) for leaf in there)
    shape = shapes.pop() if shapes else ()
    size, array = math.prod(shape), there[0].value
    if not changed:
        fixed = (
            path[-1][0] != ATTRIBUTE or size > LARGEST or (isinstance(array, np.ndarray) and not array.flags.writeable)
        )
        if fixed or not is_restorable:
            return None
    if not is_restorable:
        raise UnknownStateError(f"{_text(path)} changes, and is not a number, or an array of one shape, in one place")
    in_place = isinstance(array, np.ndarray) and all(leaf.value is array for leaf in seen)
    return Slot(path, shape, size, in_place)


def _found(slot: Slot, container: Any, key: Any) -> Found:
    if isinstance(container, dict):
        return Found(slot, container, key, functools.partial(container.get, key, Absent()))
    return Found(slot, container, key, functools.partial(operator.getitem, container, key))


def _text(path: Path) -> str:
    """A path as code."""
    names = (f".{key}" if kind == ATTRIBUTE else f"[{key!r}]" if kind == ITEM else "" for kind, key in path[1:])
    return "env" + "".join(names)


def _content(value: Any) -> Any:
    """What two moments compare of a value."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.char, value.tobytes()
    if not is_plain(value):
        return id(value)
    return type(value), repr(value) if isinstance(value, float | np.floating) else value  # nan is nan
