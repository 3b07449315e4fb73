"""Earlier names of parameters, which a class takes as well: `aliases`, earlier name -> name."""

import functools
from collections.abc import Mapping
from typing import Any, TypeVar

C = TypeVar("C", bound=type[Any])


def takes_aliases(cls: C) -> C:
    """Let a class itself take the earlier names, which registries know without it."""
    init = cls.__init__

    @functools.wraps(init)
    def with_aliases(self: Any, *arguments: Any, **parameters: Any) -> None:
        init(self, *arguments, **renamed(cls, parameters))

    cls.__init__ = with_aliases
    return cls


def renamed(cls: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters by their names of today.

    Raises:
        ValueError: a parameter is given by both names.
    """
    aliases: Mapping[str, str] = getattr(cls, "aliases", {})
    for old, new in aliases.items():
        if old in given and new in given:
            raise ValueError(f"{old}={given[old]!r}: {old} is the earlier name of {new}, which is given too")
    return {aliases.get(name, name): value for name, value in given.items()}
