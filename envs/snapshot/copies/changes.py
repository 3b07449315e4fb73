"""What was changed in an environment after it was made, for copies that are made anew by its arguments.

So are those of environments whose state is beyond Python, as all of MuJoCo in Gymnasium (`EzPickle`), and those that
gymnasium.make makes.
"""

import copy
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.snapshot.leaves import Leaf, Path, followed, is_plain, kinds_of, leaves, overrides, path_text
from bonspiel.envs.snapshot.mujoco_state import contents, field_of, fields_of
from bonspiel.envs.snapshot.objects import is_simulator
from bonspiel.envs.snapshot.places import moments


class Changes(NamedTuple):
    """Values of an environment by the path to each, and fields of models of MuJoCo by the path to each model."""

    values: dict[Path, Any]
    fields: dict[Path, dict[str, Any]]

    def carried_into(self, env: Any) -> Any:
        """The environment with these changes."""
        for (container, key), value in zip(followed(env, list(self.values)), self.values.values(), strict=True):
            there: Any = container.get(key) if isinstance(container, dict) else container[key]
            if _takes(there, value):
                there[...] = value  # which others may share
            else:
                container[key] = copy.deepcopy(value)
        for (container, key), fields in zip(followed(env, list(self.fields)), self.fields.values(), strict=True):
            for name, value in fields.items():
                _write(container[key], name, value)
        return env


def carrying_changes(env: Any, fresh: Callable[[], Any]) -> Callable[[], Any]:
    """Makes the copies of `fresh`, with what was changed in the environment after it was made.

    Args:
        env: is not touched.
        fresh: makes copies of it.

    Raises:
        ValueError: something was changed that cannot be written into a copy.
        FailingError: a reset or a step of a copy failed.
    """
    found = leaves(env)
    changes = _changes(env, found, leaves(fresh()), leaves(fresh()))
    if not (changes.values or changes.fields):
        return fresh
    fixed = [path for path in changes.values if found[path].container is None]
    seen = list(moments(fresh())) if fixed else []
    for path in fixed:
        value = changes.values.pop(path)
        if len({moment[path].content for moment in seen if path in moment}) == 1:
            remedy = "copies are made anew by its arguments: make the change in an __init__"
            raise ValueError(
                f"{path_text(path)}={value!r}: must be as it was when the environment was made, as {remedy}"
            )
    return lambda: changes.carried_into(fresh())


def _changes(env: Any, found: dict[Path, Leaf], copied: dict[Path, Leaf], again: dict[Path, Leaf]) -> Changes:
    """What differs from two copies that agree in it; they may hold names of files of their own."""
    values, fields = {}, {}
    for path, leaf in found.items():
        other = copied.get(path)
        if other is None:
            if overrides(env, path, leaf):
                values[path] = leaf.value
        elif is_simulator(leaf.value, "MjModel"):
            if is_simulator(other.value, "MjModel") and (differ := _fields(leaf.value, other.value)):
                fields[path] = differ
        elif leaf.content != other.content and path in again and again[path].content == other.content:
            if is_plain(leaf.value) or kinds_of(leaf.value) or isinstance(leaf.value, types.FunctionType):
                values[path] = leaf.value
    return Changes(values, fields)


def _fields(model: Any, other: Any) -> dict[str, Any]:
    """The fields of a model of MuJoCo that differ from those of another one, as they are now."""
    names = fields_of(other)
    now, then = contents(model, names), contents(other, names)
    return {name: copy.deepcopy(field_of(model, name)) for name in names if now[name] != then[name]}


def _takes(there: Any, value: Any) -> bool:
    """True if an array can take the entries of another one as they are."""
    arrays = isinstance(there, np.ndarray) and isinstance(value, np.ndarray)
    return arrays and there.flags.writeable and (there.shape, there.dtype) == (value.shape, value.dtype)


def _write(model: Any, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray):
        field_of(model, name)[...] = value
    else:
        *path, last = name.split(".")
        setattr(field_of(model, ".".join(path)) if path else model, last, value)
