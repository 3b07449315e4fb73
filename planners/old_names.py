"""Old names of parameters, which stand for the new ones up to version 0.3, with a warning."""

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

C = TypeVar("C", bound=type[Any])


class Renamed(NamedTuple):
    """The new name of a parameter.

    Attributes:
        name: the new one.
        values: those that the old name stood for; another value is one of a parameter that has the old name now.
    """

    name: str
    values: tuple[Any, ...] | None = None


def old_names(**renamed: Renamed) -> Callable[[C], C]:
    """Let a class take old names of parameters; a registry asks for them by `with_new_names`, too."""

    def decorate(cls: C) -> C:
        init = cls.__init__

        @functools.wraps(init)
        def with_either(self: Any, *arguments: Any, **parameters: Any) -> None:
            init(self, *arguments, **with_new_names(cls, parameters))

        cls.__init__ = with_either
        cls.old_names = renamed
        return cls

    return decorate


def with_new_names(cls: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters by their new names, with a FutureWarning for each old one.

    Raises:
        ValueError: a parameter is given by both names.
    """
    known: Mapping[str, Renamed] = getattr(cls, "old_names", {})
    found: dict[str, Any] = {}
    for name, value in given.items():
        new = known.get(name)
        if new is not None and (new.values is None or value in new.values):
            of = "" if new.values is None else f"={value}"
            message = f"{cls.__name__}: {name}{of} is now {new.name}{of}; version 0.3 drops the old name"
            warnings.warn(message, FutureWarning, stacklevel=3)
            name = new.name
        if name in found:
            raise ValueError(f"{cls.__name__}: {name!r} is given twice, by its old name as well")
        found[name] = value
    return found
