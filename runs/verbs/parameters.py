"""The parameters of planners, environments and games, with the meanings that their docstrings give."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from bonspiel.planners.registry import Registry

SECTION = re.compile(r"\n+(?:Args|Attributes):\n")


class Parameter(NamedTuple):
    """A parameter."""

    name: str  # as in Python and on the command line
    default: str  # as written on the command line; empty if a value must be given
    meaning: str  # the docstring's words on it, in one line; empty if there are none


def describe(registry: "Registry", name: str) -> tuple[str, str, list[Parameter]]:
    """The dotted name of an entry's class or function, its docstring without the parameters, and these in order."""
    return registry.place(name).replace(":", "."), _halves(registry.cls(name))[0], parameters(registry, name)


def parameters(registry: "Registry", name: str) -> list[Parameter]:
    """The parameters of an entry; ValueError without it, or if it cannot be imported."""
    cls = registry.cls(name)
    known = meanings(cls)
    return [Parameter(of, default, known.get(of, "")) for of, default in _defaults(registry, cls)]


def _defaults(registry: "Registry", cls: Any) -> Iterator[tuple[str, str]]:
    """The names of a callable's parameters with their defaults in writing."""
    from bonspiel.planners.registry import fields_of

    if is_dataclass(cls):
        for of in fields_of(cls):
            if of.init:
                default = of.default if of.default_factory is MISSING else of.default_factory()
                yield of.name, "" if default is MISSING else registry.value_text(of, default)
        return
    for given in inspect.signature(cls).parameters.values():
        if given.kind not in (given.VAR_POSITIONAL, given.VAR_KEYWORD):
            yield given.name, "" if given.default is given.empty else str(given.default)


def meanings(cls: Any) -> dict[str, str]:
    """The meanings of parameters by name, from the docstrings of a class, its `__init__` and its bases."""
    owners = [*reversed(inspect.getmro(cls))] if inspect.isclass(cls) else [cls]
    found: dict[str, str] = {}
    for owner in owners:
        for documented in (vars(owner).get("__init__"), owner) if inspect.isclass(owner) else (owner,):
            for entry in re.split(r"^ {4}(?=\w)", _halves(documented)[1], flags=re.MULTILINE)[1:]:
                name, _, meaning = entry.partition(":")
                found[name.split()[0]] = " ".join(meaning.split())
    return found


def _halves(documented: Any) -> tuple[str, str]:
    """A docstring before its section of parameters, and that section."""
    own = vars(documented).get("__doc__") if inspect.isclass(documented) else getattr(documented, "__doc__", None)
    text, *rest = SECTION.split("\n" + inspect.cleandoc(own or ""), maxsplit=1)
    return text.strip(), re.split(r"\n\n(?=\S)", rest[0])[0] if rest else ""
