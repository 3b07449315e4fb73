"""The written form of planners and environments: NAME[:key=value,...], as on a command line.

A name is one of a registry, or "module:attribute" for anything that can be imported. A value that is itself of this
form, such as the planner inside another, stands in parentheses where it has parameters: `presearch:inner=dpw,share=0.4`
or `presearch:inner=(dpw:leaf=rollout),share=0.4`.
"""

import ast
import re
from collections.abc import Collection
from itertools import product
from typing import Any


def read(text: str, repeatable: Collection[str] = ()) -> tuple[str, dict[str, Any]]:
    """The name in a text, and its parameters.

    Args:
        text: NAME[:key=value,...].
        repeatable: keys that may be given more than once; their values are lists.

    Raises:
        ValueError: the text is not of that form.
    """
    *names, last = _split(text, ":")
    if names and "=" in last:
        items = list(filter(None, _split(last, ",")))
    else:
        names, items = [*names, last], []
    name, parameters = ":".join(names), dict[str, Any]()
    for item in items:
        key, equals, value = item.partition("=")
        if not (key and equals and value):
            raise ValueError(f"{text!r}: {item!r} is not key=value; write {name}:key=value,...")
        if key in repeatable:
            parameters.setdefault(key, []).append(parse_value(value))
        elif key in parameters:
            raise ValueError(f"{text!r}: {key!r} is given twice")
        else:
            parameters[key] = parse_value(value)
    return name, parameters


def expand(text: str) -> list[str]:
    """The texts of a grid, in which values of a parameter stand between bars: `dpw:exploration=0.1|1`.

    Raises:
        ValueError: a parenthesis without its other half.
    """
    *names, last = _split(text, ":")
    if "|" not in text or not names:
        return [text]
    choices = []
    for item in _split(last, ","):
        key, equals, value = item.partition("=")
        choices.append([f"{key}{equals}{one}" for part in _split(value, "|") for one in _within(part)])
    return [":".join([*names, ",".join(items)]) for items in product(*choices)]


def _within(value: str) -> list[str]:
    """The texts of a value, which may have a grid in its parentheses."""
    inner = value.startswith("(") and value.endswith(")")
    return [f"({text})" for text in expand(value[1:-1])] if inner else [value]


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand in no parentheses.

    Raises:
        ValueError: a parenthesis without its other half.
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if character == separator and depth == 0:
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


def without_address(text: str) -> str:
    """The `repr` of an object, alike in every process, without the place in memory that Python shows by default."""
    return re.sub(r" at 0x[0-9A-Fa-f]+(?=>)", "", text)
