"""The fields of a model, which a planner may read and must leave as they are."""

import functools
import inspect
from typing import Any

import numpy as np

from bonspiel.planners import model as parts
from bonspiel.planners.checks import require
from bonspiel.planners.model import Model

PARTS = [part for part in vars(parts).values() if inspect.isclass(part) and part.__module__ == parts.__name__]
NAMES = {name for part in PARTS for name in vars(part) if not name.startswith("_")}
"""The members of `planners.Model` and of its optional parts."""

ABSENT: Any = object()


@functools.cache
def _of_class(cls: type[Any]) -> dict[str, Any]:
    """The members that a class has, as they are defined; none that it makes anew when asked, as a classmethod is."""
    found = ((name, getattr(cls, name, ABSENT)) for name in sorted(NAMES))
    names = (name for name, value in found if value is not ABSENT and getattr(cls, name) is value)
    return {name: inspect.getattr_static(cls, name) for name in names}


class ModelFields:
    """The members of a model as they are now, to be compared after decisions.

    What was changed is set again, so that other planners of this process meet the right model.

    Args:
        model: with members of its own or of its class.
    """

    def __init__(self, model: Model) -> None:
        self._class, self._own = type(model), getattr(model, "__dict__", {})
        inherited = _of_class(self._class)
        values = {name: getattr(model, name, None) for name in {*inherited, *(self._own.keys() & NAMES)}}
        self._inherited = [(name, getattr(self._class, name)) for name in inherited]
        self._members = [(name, self._own[name]) for name in values if name in self._own]  # cached properties too
        self._others, self._size = NAMES - dict(self._members).keys(), len(self._own)
        arrays = [(name, value) for name, value in values.items() if isinstance(value, np.ndarray)]
        self._arrays = [(name, array, array.tobytes()) for name, array in arrays]

    def check(self) -> None:
        """Compare them.

        Raises:
            ValueError: one was changed; names it, with its new and its old value.
        """
        own, cls = self._own, self._class
        for name, array, content in self._arrays:  # hot path
            if array.tobytes() != content:
                changed, before = array.copy(), np.frombuffer(content, array.dtype).reshape(array.shape)
                array[...] = before
                _refuse(name, changed, before)
        for name, value in self._members:
            if (given := own.get(name)) is not value:
                own[name] = value
                _refuse(name, given, value)
        if len(own) != self._size:
            for name in own.keys() & self._others:
                _refuse(name, own.pop(name), getattr(cls, name, None))
            self._size = len(own)
        for name, value in self._inherited:
            if (given := getattr(cls, name, None)) is not value:
                setattr(cls, name, _of_class(cls)[name])
                _refuse(name, given, value)


def _refuse(name: str, changed: Any, before: Any) -> None:
    require(False, f"model.{name}", changed, f"left as it was, {before!r}")
