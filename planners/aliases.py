"""Earlier names of parameters, which a class takes as well: `aliases`, earlier name -> `Alias`."""

import functools
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

C = TypeVar("C", bound=type[Any])


class Alias(NamedTuple):
    """The meaning of an earlier name.

    Attributes:
        name: the parameter's name today.
        values: those that the earlier name stood for; others are of a parameter that has this name today. None: all.
        until: the version that no longer takes the earlier name, for a warning; none without.
    """

    name: str
    values: tuple[Any, ...] | None = None
    until: str = ""


def takes_aliases(cls: C) -> C:
    """Let a class itself take the earlier names, which registries know without it."""
    init = cls.__init__

    @functools.wraps(init)
    def with_aliases(self: Any, *arguments: Any, **parameters: Any) -> None:
        init(self, *arguments, **renamed(cls, parameters))

    cls.__init__ = with_aliases
    return cls


def renamed(cls: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters by their names of today, with a FutureWarning where an earlier name will go.

    Raises:
        ValueError: a parameter is given by both names.
    """
    aliases: Mapping[str, Alias] = getattr(cls, "aliases", {})
    used = {name: aliases[name] for name in given if name in aliases}
    used = {name: one for name, one in used.items() if one.values is None or given[name] in one.values}
    names = [used[name].name if name in used else name for name in given]
    for old, (new, values, until) in used.items():
        value = given[old]
        if names.count(new) > 1:
            raise ValueError(f"{old}={value!r}: {old} is the earlier name of {new}, which is given too")
        if until:
            of = "" if values is None else f"={value}"
            message = f"{cls.__name__}: {old}{of} is now {new}{of}; version {until} drops the earlier name"
            warnings.warn(message, FutureWarning, stacklevel=3)
    return dict(zip(names, given.values(), strict=True))
