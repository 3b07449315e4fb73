"""Carries what was changed in an environment after it was made into copies that are made anew by its arguments.

Such are those of environments whose state is beyond Python, as all of MuJoCo in Gymnasium (`EzPickle`), and those that
gymnasium.make makes. Numbers, texts and arrays are taken over, and fields of MuJoCo's models; no objects or functions,
which may reach the environment itself.
"""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bonspiel.envs.snapshot.leaves import Leaf, Path, followed, is_plain, kinds_of, leaves, overrides
from bonspiel.envs.snapshot.mujoco_state import contents, field_of, fields_of
from bonspiel.envs.snapshot.objects import is_simulator

LAYER = 2  # steps of the path to an attribute of the environment itself or of a wrapper


class Changes(NamedTuple):
    """Values of an environment by the path to each, and fields of models of MuJoCo by the path to each model."""

    values: dict[Path, Any]
    fields: dict[Path, dict[str, Any]]

    def carried_into(self, env: Any) -> Any:
        """The environment with these changes."""
        for (container, key), value in zip(followed(env, list(self.values)), self.values.values(), strict=True):
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
    """
    one, other = fresh(), fresh()  # both at a time, as the second may have the handle of one that is freed
    changes = _changes(env, leaves(one), leaves(other))
    if not (changes.values or changes.fields):
        return fresh
    return lambda: changes.carried_into(fresh())


def _changes(env: Any, copied: dict[Path, Leaf], again: dict[Path, Leaf]) -> Changes:
    """Find what differs from two equal copies; where these differ, each has its own, such as the name of a file."""
    values, fields = {}, {}
    for path, leaf in leaves(env).items():
        other, is_value = copied.get(path), is_plain(leaf.value) or bool(kinds_of(leaf.value))
        if leaf.container is None:
            continue
        if is_simulator(leaf.value, "MjModel"):
            if other is not None and (differ := _fields(leaf.value, other.value)):
                fields[path] = differ
        elif other is None:
            if is_value and (path[:-1] in copied or len(path) == LAYER) and overrides(env, path, leaf):
                values[path] = leaf.value
        elif is_value and leaf.content != other.content and path in again and again[path].content == other.content:
            values[path] = leaf.value
    return Changes(values, fields)


def _fields(model: Any, other: Any) -> dict[str, Any]:
    """The fields of a model of MuJoCo that differ from those of another one of the same sizes, as they are now."""
    if not is_simulator(other, "MjModel"):
        return {}
    names = fields_of(other)
    now, then = contents(model, names), contents(other, names)
    if any(np.shape(field_of(model, name)) != np.shape(field_of(other, name)) for name in names):
        return {}
    return {name: copy.deepcopy(field_of(model, name)) for name in names if now[name] != then[name]}


def _write(model: Any, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray):
        field_of(model, name)[...] = value
    else:
        *path, last = name.split(".")
        setattr(field_of(model, ".".join(path)) if path else model, last, value)
