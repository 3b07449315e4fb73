"""The numbers that an environment holds beside its simulator, read and written: in its parts and its wrappers too.

Which ones change is seen in a few episodes. What changes and is no number, or lies in a new place each time, cannot be
written back.
"""

import copy
import functools
import math
import operator
import time
from collections.abc import Callable, Container, Iterator
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.snapshot.check import PATIENCE, reset, step
from bonspiel.envs.snapshot.form import shown
from bonspiel.envs.snapshot.leaves import (
    ATTRIBUTE,
    LARGEST,
    Leaf,
    Path,
    followed,
    is_default,
    kinds_of,
    leaf_of,
    leaves,
    path_text,
)
from bonspiel.envs.snapshot.objects import is_drawn_with
from bonspiel.envs.snapshot.wrappers import action_space

EPISODES, STEPS = 3, 3  # played to see what changes; caches are filled in the first one
MOST = 4000  # numbers in all


class Absent:
    """Stands for an attribute that is not there yet."""


TYPES: tuple[type, ...] = (Absent, type(None), bool, int, float)
CODES = {kind: float(code) for code, kind in enumerate(TYPES)}
INTEGER, WIDE = CODES[int], "lLqQ"
OF_NUMPY, OF_ARRAYS = 256, 512  # are added to the character of a number type of numpy, in numbers and in arrays
OF_SEQUENCES = 1024
REMEDY = "give the environment, or a wrapper around it, get_state() and set_state() for all of its state"


class UnknownStateError(Exception):
    """Something changes that cannot be written back; the message names its place."""


class Slot(NamedTuple):
    """A place of numbers.

    Attributes:
        path: from the layers of an environment to it.
        shape: of its array; () of a number.
        size: of its array; 1 of a number.
        in_place: whether its array or list is always the same, so that others may share it.
        kinds: of a sequence, see `kinds_of`.
    """

    path: Path
    shape: tuple[int, ...]
    size: int
    in_place: bool
    kinds: tuple[type, ...]


class Found(NamedTuple):
    """A slot in one environment."""

    slot: Slot
    container: Any
    key: Any
    get: Callable[[], Any]


def moments(env: Any, episodes: int = EPISODES, resets: int = 0) -> Iterator[dict[Path, Leaf]]:
    """The values in an environment at the beginning of episodes and after steps, but the first episode.

    Some more resets follow, as far as they fit into half a second.

    Raises:
        FailingError: a reset or a step failed.
    """
    actions = copy.deepcopy(action_space(env))
    actions.seed(0)
    start = time.perf_counter()
    for seed in range(episodes):
        reset(env, seed)
        for number in range(STEPS + 1):
            if seed > 0:
                yield leaves(env)
            if number == STEPS or step(env, actions.sample())[2]:
                break
    for seed in range(episodes, episodes + resets):
        if time.perf_counter() > start + PATIENCE:
            return
        reset(env, seed)
        yield leaves(env)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, an array or sequence of numbers, or nothing, and float64 can hold it."""
    if kinds_of(value):
        return all(map(is_number, value))
    if type(value) in CODES:
        return not isinstance(value, int) or _is_exact(value)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
        return False
    return value.dtype.kind not in "iu" or all(map(_is_exact, value.ravel().tolist()))


def fits(value: Any) -> bool:
    """Return whether float64 can hold an array or number of numpy, if it could in the first episodes."""
    return value.dtype.char not in WIDE or is_number(value)


def _is_exact(whole: int) -> bool:
    """Return whether float64 holds a whole number to its last digit."""
    return abs(whole) <= 2**53 or (abs(whole) < 2**1000 and float(whole) == whole)


class Places:
    """The places of the numbers that a state needs; see the module.

    Args:
        seen: the values at moments of episodes.
        other: those of another copy of the environment at the first of these moments.

    Raises:
        UnknownStateError: see there.
    """

    def __init__(self, seen: list[dict[Path, Leaf]], other: dict[Path, Leaf] | None = None) -> None:
        nothing = leaf_of(None, None, Absent())
        paths = dict.fromkeys(path for moment in seen for path in moment)
        slots = (_slot(path, [moment.get(path, nothing) for moment in seen]) for path in paths)
        self.slots = [slot for slot in slots if slot is not None]
        first, other = _contents(seen[0]), _contents(seen[0] if other is None else other)
        own = {path for path in (*first, *other) if first.get(path) != other.get(path)}  # such as names of files
        self.not_compared = own.union(slot.path for slot in self.slots)
        self.fixed = _contents(seen[0], self.not_compared)
        self.width = sum(1 + slot.size for slot in self.slots)
        if self.width > MOST:
            raise UnknownStateError(f"its attributes have {self.width:,} numbers; at most {MOST:,} are written back")

    def check(self, env: Any) -> None:
        """Compare what is not written back with what it was in the first episodes.

        Raises:
            ValueError: it is another one.
        """
        found = leaves(env)
        contents = _contents(found, self.not_compared)
        if contents == self.fixed:
            return
        for path in (*self.fixed, *contents):
            if contents.get(path) != self.fixed.get(path):
                if path not in self.fixed and is_default(env, path, found[path]):
                    continue
                value = shown(found[path].value) if path in found else "nothing"
                allowed = "as in the first episodes, since only numbers that change in their first steps are restored"
                raise ValueError(f"{path_text(path)}={value}: must be {allowed}; {REMEDY}")

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
            ValueError: an array has another size than in the first episodes, or an integer too many digits.
        """
        coded: list[float] = []
        for slot, _, _, get in found:
            value = get()
            code = CODES.get(type(value))
            if code is not None and (code != INTEGER or _is_exact(value)):
                coded += (code, float(value) if code > 1.0 else 0.0)
                if slot.size > 1:
                    coded += [0.0] * (slot.size - 1)
            elif isinstance(value, np.ndarray) and value.shape == slot.shape and fits(value):
                coded.append(OF_ARRAYS + ord(value.dtype.char))
                coded += value.ravel().tolist()
            elif isinstance(value, np.generic) and slot.size == 1 and fits(value):
                coded += (OF_NUMPY + ord(value.dtype.char), float(value))
            elif slot.kinds and kinds_of(value) == slot.kinds and is_number(value):
                coded += (OF_SEQUENCES, *map(float, value))
            elif is_drawn_with(value):
                coded += (CODES[type(None)], *[0.0] * slot.size)
            else:
                was = f"an array of shape {slot.shape}" if slot.shape else "a number"
                was += " in all steps, as in the first ones, and whole numbers of at most 53 bits"
                raise ValueError(f"{path_text(slot.path)}={shown(value)}: must be {was}; {REMEDY}")
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
                sequence, *kinds = slot.kinds or (np.ndarray,)
                values: Any = coded[first + 1 : last]
                if kinds:
                    values = sequence(kind(value) for kind, value in zip(kinds, values, strict=True))
                else:
                    values = np.array(values, chr(code - OF_ARRAYS)).reshape(slot.shape)
                if slot.in_place:
                    get()[slice(None) if kinds else ...] = values
                else:
                    container[key] = values
            first = last


def _contents(found: dict[Path, Leaf], without: Container[Path] = ()) -> dict[Path, Any]:
    return {path: leaf.content for path, leaf in found.items() if path not in without}


def _slot(path: Path, seen: list[Leaf]) -> Slot | None:
    """The slot of a value at some moments; None if a state need not have it.

    Raises:
        UnknownStateError: it cannot be written back.
    """
    there = [leaf for leaf in seen if not isinstance(leaf.value, Absent)]
    changed = any(leaf.content != seen[0].content for leaf in seen)
    stays = all(leaf.container is not None and leaf.container is there[0].container for leaf in there)
    stays = stays and (len(there) == len(seen) or isinstance(there[0].container, dict))
    forms = {leaf.form for leaf in there if leaf.value is not None}
    kinds, shape = forms.pop() if forms else ((), ())
    size, array = math.prod(shape), there[0].value
    if not changed:
        fixed = (
            path[-1][0] != ATTRIBUTE
            or not 0 < size <= LARGEST
            or (isinstance(array, np.ndarray) and not array.flags.writeable)
        )
        if fixed:
            return None
    if not (stays and not forms and 0 < size <= MOST and all(is_number(leaf.value) for leaf in there)):
        if not changed:
            return None
        raise UnknownStateError(
            f"{path_text(path)} changes, and is neither a number nor an array or list of one shape, in one place"
        )
    in_place = isinstance(array, np.ndarray | list) and all(leaf.value is array for leaf in seen)
    return Slot(path, shape, size, in_place, kinds)


def _found(slot: Slot, container: Any, key: Any) -> Found:
    if isinstance(container, dict):
        return Found(slot, container, key, functools.partial(container.get, key, Absent()))
    return Found(slot, container, key, functools.partial(operator.getitem, container, key))
