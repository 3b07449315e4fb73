"""Registries by name: planners and environments are made, listed and written on a command line in the same way.

`planners.core.text` describes the written form; a text also labels the thing in results and charts.
"""

import difflib
import importlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass
from typing import Any, TypeVar, get_args

from bonspiel.extensions import Extension, extensions, sole
from bonspiel.planners.aliases import renamed
from bonspiel.planners.core.code import packages
from bonspiel.planners.core.code.errors import error_place, error_text
from bonspiel.planners.core.text import expand, parse_value, read

__all__ = ["NESTED", "VERBATIM", "Registry", "look_up", "parse_value", "unknown"]

T = TypeVar("T")

NESTED = "nested"  # metadata of a field that holds something of the same registry
VERBATIM = "verbatim"  # metadata of a class's only field, which is all that is written after the name, as it stands


def unknown(kind: str, name: Any, allowed: Iterable[str]) -> ValueError:
    """An error that names the close match and everything that is allowed."""
    allowed = list(allowed)
    close = difflib.get_close_matches(str(name), allowed, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return ValueError(f"unknown {kind} {name!r}.{hint} Known: {', '.join(allowed) or 'none'}")


def look_up(kind: str, name: Any, allowed: Mapping[str, T]) -> T:
    """The entry of this name.

    Raises:
        ValueError: no such name, or no text at all.
    """
    if not isinstance(name, str) or name not in allowed:
        raise unknown(kind, name, allowed)
    return allowed[name]


@dataclass(frozen=True)
class Registry:
    """Classes by name, imported when first asked for, so that nothing is compiled that is not used.

    Beside its own entries, a registry knows what installed packages add by entry points, those of this project's guests
    among them; and any class or function by its place, "module:attribute".

    Args:
        kind: of the entries, for error messages.
        classes: name -> "module:Class".
        aliases: other names -> name.
        removed: names of earlier versions -> the name to take instead.
        group: of the entry points; none if empty.
        members: attributes that show whether something from elsewhere is of this kind.
        functions: as users write them: the one that takes a text, empty if none does, and the one that takes a name.
    """

    kind: str
    classes: Mapping[str, str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    members: tuple[str, ...] = ()
    functions: tuple[str, str] = ("parse", "make")

    def names(self) -> list[str]:
        """The registry's own names, without those of guests, in order of registration."""
        return list(self.classes)

    def guests(self) -> dict[str, str]:
        """The classes that this project's packages for single games add, name -> "module:Class"."""
        return {name: added[0].place for name, added in extensions(self.group).items() if added[0].guest}

    def everything(self) -> dict[str, str]:
        """All classes of this project, name -> "module:Class"."""
        return dict(self.classes) | {name: of for name, of in self.guests().items() if name not in self.classes}

    def installed(self) -> dict[str, tuple[Extension, ...]]:
        """Entries that packages of other projects add, by name."""
        return {name: added for name, added in extensions(self.group).items() if not added[0].guest}

    def place(self, name: Any) -> str:
        """The place, "module:attribute", of a name.

        Raises:
            ValueError: no such name, one that was removed, or two installed packages add it.
        """
        key = self.aliases.get(name, name) if isinstance(name, str) else name
        own = self.everything()
        if isinstance(key, str) and key not in own:
            families = {of.partition(":")[0] for of in own if ":" in of}
            in_family = key.partition(":")[0] in families
            if ":" in key and key.partition(":")[0] not in own and not in_family:
                return key
            if added := self.installed().get(key, ()):
                return sole(self.kind, key, added, "write it as module:attribute").place
            if ":" in key and not in_family:
                raise ValueError(f"{key!r}: {key.partition(':')[2]!r} is not key=value")
            if key in self.removed:
                raise ValueError(f"unknown {self.kind} {key!r}: it was removed; take {self.removed[key]!r} instead")
            own |= dict.fromkeys(self.installed(), "")
        return look_up(self.kind, key, own)

    def cls(self, name: str) -> Any:
        """The class of this name; of another package it may be any callable.

        Raises:
            ValueError: no such name, or it cannot be imported.
        """
        place = self.place(name)
        if place in self.everything().values():
            module, _, attribute = place.partition(":")
            return getattr(importlib.import_module(module), attribute)
        (added,) = self.installed().get(name, (None,))
        found = added.load() if added else packages.load(place)
        if not callable(found):
            raise ValueError(f"{place} gives no {self.kind}: it is not a class or function, but {found!r}")
        return found

    def make(self, name: str, **parameters: Any) -> Any:
        """An instance by name; a field whose metadata says NESTED may be given in writing.

        Raises:
            ValueError: unknown name or parameter, or a value out of range.
        """
        self.refuse_text(name)
        return self._make(name, parameters)

    def refuse_text(self, name: Any) -> None:
        """Refuse a text with parameters where a name belongs.

        Raises:
            ValueError: names the function that takes texts, and how to write it by name.
        """
        try:
            base, parameters = self.read(name) if isinstance(name, str) and ":" in name else (name, {})
        except ValueError:  # no text either; what is wrong with it shows later
            return
        if parameters:
            parse, make = self.functions
            arguments = "".join(f", {key}={value!r}" for key, value in parameters.items())
            ways = [f"{parse}({name!r})"] * bool(parse) + [f"{make}({base!r}{arguments})"]
            raise ValueError(f"{self.kind} {name!r} is a text with parameters, not a name: write {' or '.join(ways)}")

    def _make(self, name: str, parameters: Mapping[str, Any]) -> Any:
        cls = self.cls(name)
        parameters = renamed(cls, parameters)
        check_parameters(name, cls, parameters)
        inner = {key: self.parse(parameters[key]) for key in self._nested(cls, parameters)}
        if self.place(name) in self.everything().values():
            return cls(**parameters | inner)
        check_truths(cls, parameters)
        try:
            made = cls(**parameters | inner)
        except ValueError:
            raise
        except (Exception, SystemExit) as error:  # whatever the author's code raises
            where = error_place(error)
            raise ValueError(f"{name} failed ({error_text(error)}){where}") from error
        if missing := [member for member in self.members if not hasattr(made, member)]:
            raise ValueError(f"{name} gives no {self.kind}: {type(made).__name__} has no `{missing[0]}`")
        return made

    def read(self, text: str) -> tuple[str, dict[str, Any]]:
        """The name in a text, and its parameters.

        Raises:
            ValueError: the text is not of the form NAME[:key=value,...].
        """
        name, colon, rest = text.partition(":")
        if colon and name in self.everything() and (parameter := verbatim(self.cls(name))):
            return name, {parameter: rest}
        return read(text)

    def parse(self, text: str) -> Any:
        """An instance from NAME[:key=value,...], or NAME:TEXT where a field is VERBATIM.

        Raises:
            ValueError: the text is not of that form, or names something unknown or out of range.
        """
        name, parameters = self.read(text)
        self.keep_words(name, parameters)
        return self._make(name, parameters)

    def expand(self, text: str) -> list[str]:
        """The texts of a grid, see `planners.core.text.expand`; what is written after a name as it stands is none.

        Raises:
            ValueError: a parenthesis without its other half.
        """
        name = text.partition(":")[0]
        if "|" not in text or (name in self.everything() and verbatim(self.cls(name))):
            return [text]
        return expand(text)

    def keep_words(self, name: str, parameters: dict[str, Any]) -> None:
        """Turn None back into "none" where a field takes text, such as the noise of this name."""
        cls = self.cls(name)
        for of in fields_of(cls):
            if of.name in parameters and parameters[of.name] is None and str in get_args(of.type):
                parameters[of.name] = "none"

    def text(self, instance: Any) -> str:
        """An instance in writing, with the parameters that are not its class's own; `parse` makes it again."""
        cls = type(instance)
        own = (name for name, place in self.everything().items() if _holds(place, cls))
        name = next(own, f"{cls.__module__}:{cls.__qualname__}")
        if parameter := verbatim(cls):
            return f"{name}:{getattr(instance, parameter)}"
        given = [
            f"{f.name}={self.value_text(f, getattr(instance, f.name))}"
            for f in fields_of(cls)
            if getattr(instance, f.name) != f.default
        ]
        return f"{name}:{','.join(given)}" if given else name

    def value_text(self, of: Field[Any], value: Any) -> str:
        """A field's value in writing, in parentheses if it is one with parameters of its own."""
        text = self.text(value) if of.metadata.get(NESTED) else str(value)
        return f"({text})" if ":" in text else text

    def modules(self, text: str) -> Iterator[str]:
        """The modules of other packages that a text names, also for what is nested in it."""
        name, parameters = self.read(text)
        place = self.place(name)
        if place not in self.everything().values():
            yield place.partition(":")[0]
        for key in self._nested(self.cls(name), parameters):
            yield from self.modules(parameters[key])

    def _nested(self, cls: Any, parameters: Mapping[str, Any]) -> list[str]:
        """The parameters that hold something of this registry in writing."""
        nested = [of.name for of in fields_of(cls) if of.metadata.get(NESTED)]
        return [name for name in nested if isinstance(parameters.get(name), str)]


def fields_of(cls: Any) -> list[Field[Any]]:
    """The fields of a dataclass in the order in which it takes them, keywords last; none of another class."""
    return sorted(fields(cls), key=lambda of: of.kw_only is True) if is_dataclass(cls) else []


def verbatim(cls: Any) -> str | None:
    """The name of a class's VERBATIM field, if it has one."""
    return next((of.name for of in fields_of(cls) if of.metadata.get(VERBATIM)), None)


def parameters_of(cls: Any) -> list[str] | None:
    """The names of a callable's keyword arguments; None if it takes any, or does not say."""
    try:
        found = inspect.signature(cls).parameters.values()
    except ValueError:
        return None
    return None if any(of.kind is of.VAR_KEYWORD for of in found) else [of.name for of in found]


def check_parameters(name: str, cls: Any, given: Iterable[str], positional: int = 0) -> None:
    """Refuse a parameter that a callable, written `name`, does not take, or takes as one of the first `positional`.

    Raises:
        ValueError: names the parameter, and those that there are.
    """
    known = parameters_of(cls)
    for parameter in given:
        if known is not None and parameter not in known[positional:]:
            raise unknown(f"parameter of {name}", parameter, known[positional:])


def check_truths(cls: Any, given: Mapping[str, Any]) -> None:
    """Refuse a parameter of a dataclass that is true or false by default and is given as anything else, such as "no".

    Raises:
        ValueError: names the parameter.
    """
    for one in fields(cls) if is_dataclass(cls) else ():
        if isinstance(one.default, bool) and not isinstance(given.get(one.name, False), bool):
            raise ValueError(f"{one.name}={given[one.name]!r}: must be true or false")


def _holds(place: str, cls: type[Any]) -> bool:
    """True if "module:Class" stands for this class, which the module may have from a file in its folder."""
    module, _, name = place.partition(":")
    return name == cls.__qualname__ and f"{cls.__module__}.".startswith(f"{module}.")
