"""Registries by name: planners and environments are made, listed and written on a command line in the same way.

Text has the form NAME[:key=value,...]; it also labels the thing in results and charts. A value that is itself of this
form, such as the planner inside another, stands in parentheses where it has parameters: `presearch:inner=dpw,share=0.4`
or `presearch:inner=(dpw:leaf=rollout),share=0.4`.
"""

import ast
import difflib
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar, get_args

T = TypeVar("T")

NESTED = "nested"  # metadata of a field that holds something of the same registry


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
    """Dataclasses by name, imported when first asked for, so that nothing is compiled that is not used.

    Args:
        kind: of the entries, for error messages.
        classes: name -> "module:Class".
        aliases: other names -> name.
        extensions: classes that other packages have added, by the package's name; see `extend`.
    """

    kind: str
    classes: Mapping[str, str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    extensions: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def extend(self, package: str, classes: Mapping[str, str]) -> None:
        """Add the classes of another package, which then are made and parsed like any other."""
        self.extensions[package] = classes

    def names(self) -> list[str]:
        """The registry's own names, without extensions, in order of registration."""
        return list(self.classes)

    def everything(self) -> dict[str, str]:
        """All classes, name -> "module:Class": the registry's own and those of extensions."""
        return dict(self.classes) | {name: place for of in self.extensions.values() for name, place in of.items()}

    def cls(self, name: str) -> type[Any]:
        """The class of this name.

        Raises:
            ValueError: no such name.
        """
        key = self.aliases.get(name, name) if isinstance(name, str) else name
        module, _, attribute = look_up(self.kind, key, self.everything()).partition(":")
        loaded: type[Any] = getattr(importlib.import_module(module), attribute)
        return loaded

    def make(self, name: str, **parameters: Any) -> Any:
        """An instance by name; a field whose metadata says NESTED may be given in writing.

        Raises:
            ValueError: unknown name or parameter, or a value out of range.
        """
        cls = self.cls(name)
        known = [f.name for f in fields(cls)]
        for parameter in parameters:
            if parameter not in known:
                raise unknown(f"parameter of {name}", parameter, known)
        inner = [f.name for f in fields(cls) if f.metadata.get(NESTED) and isinstance(parameters.get(f.name), str)]
        return cls(**parameters | {name: self.parse(parameters[name]) for name in inner})

    def parse(self, text: str) -> Any:
        """An instance from NAME[:key=value,...].

        Raises:
            ValueError: the text is not of that form, or names something unknown or out of range.
        """
        name, _, rest = text.partition(":")
        parameters: dict[str, Any] = {}
        for item in filter(None, _split(rest)):
            key, equals, value = item.partition("=")
            if not (key and equals and value):
                raise ValueError(f"{text!r}: {item!r} is not key=value; write {name}:key=value,...")
            if key in parameters:
                raise ValueError(f"{text!r}: {key!r} is given twice")
            parameters[key] = parse_value(value)
        for of in fields(self.cls(name)):
            # a name that a field takes as text, such as the noise "none", is not the absence of a value
            if of.name in parameters and parameters[of.name] is None and str in get_args(of.type):
                parameters[of.name] = "none"
        return self.make(name, **parameters)

    def text(self, instance: Any) -> str:
        """An instance in writing, with the parameters that are not its class's own; `parse` makes it again."""
        cls = type(instance)
        name = next(name for name, place in self.everything().items() if _holds(place, cls))
        given = [
            f"{f.name}={self.value_text(f, getattr(instance, f.name))}"
            for f in fields(cls)
            if getattr(instance, f.name) != f.default
        ]
        return f"{name}:{','.join(given)}" if given else name

    def value_text(self, of: Field[Any], value: Any) -> str:
        """A field's value in writing, in parentheses if it is one with parameters of its own."""
        text = self.text(value) if of.metadata.get(NESTED) else str(value)
        return f"({text})" if ":" in text else text


def _holds(place: str, cls: type[Any]) -> bool:
    """Whether "module:Class" stands for this class, which the module may have from a file in its folder."""
    module, _, name = place.partition(":")
    return name == cls.__qualname__ and f"{cls.__module__}.".startswith(f"{module}.")


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no parentheses.

    Raises:
        ValueError: a parenthesis without its other half.
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth != 0:
        raise ValueError(f"{text!r}: a parenthesis without its other half")
    return parts


def parse_value(text: str) -> Any:
    """A number, `true`, `false`, `none`, numbers in parentheses, or else the text itself, without any around it."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text[1:-1] if text.startswith("(") and text.endswith(")") else text
