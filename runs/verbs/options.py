"""The one way in which verbs declare their options and arguments."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def run_of(text: str) -> Path | str:
    """The place of a run as `packed.read_any` takes it: a path, or an address as it is."""
    from bonspiel.runs.results.packed import is_address  # late: --help starts sooner

    return text if is_address(text) else Path(text)


KINDS: dict[str, Any] = {
    **dict.fromkeys(("N", "MS", "P", "PORT"), int),
    **dict.fromkeys(("S", "T", "SD", "F", "MB"), float),
    **dict.fromkeys(("FILE", "FOLDER", "MATCH", "OUT", "PROBLEM", "RECORD"), Path),
    "RUN": run_of,
}
"""The types of values by their names in the help, up to a point: FILE.html is a FILE."""


def option(
    command: argparse._ActionsContainer,
    name: str,
    values: str | Sequence[Any],
    text: str,
    default: Any = None,
    **given: Any,
) -> None:
    """Add an option with a value, or an argument.

    Args:
        command: the parser, or a group of its options.
        name: with dashes, or of an argument.
        values: those allowed, or a name for the value in the help, which tells the type (KINDS; others are text).
        text: the help, which is followed by the default unless it tells that itself.
        default: of the option.
        given: other arguments of `add_argument`, such as another type.
    """
    if isinstance(values, str):
        given = {"metavar": values, "type": KINDS.get(values.partition(".")[0])} | given
    else:
        given = {"choices": values} | given
    if default is not None:
        given["default"] = default
        shown = f"{default:g}" if isinstance(default, float) else str(default)
        text += f" (default: {shown})" * (default != [] and "(default" not in text)
    command.add_argument(name, help=text, **given)


def repeatable(command: argparse._ActionsContainer, name: str, value: str, text: str, **given: Any) -> None:
    """Add an option that may be given several times; its values are a list, and `value` their name in the help."""
    option(command, name, value, text, [], action="append", **given)


class Extended(argparse.Action):
    """An option whose value is a list: lists that are given one by one add up, and the first replaces the default."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, values: Any, name: Any = None) -> None:
        """Store or extend the list."""
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, values if before is self.default else [*before, *values])


def listed(
    command: argparse._ActionsContainer, name: str, value: str, text: str, default: Sequence[float] = ()
) -> None:
    """Add an option with numbers separated by commas, which may be given several times; its value is a list."""
    option(command, name, value, text, [*default], action=Extended, type=numbers)


def reader(read: Callable[[str], Any], allowed: str) -> Callable[[str], Any]:
    """A type of values that says what is allowed where `read` raises ValueError."""

    def value(text: str) -> Any:
        try:
            return read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} must be {allowed}") from None

    return value


numbers = reader(lambda text: [float(item) for item in text.split(",")], "numbers separated by commas, e.g. 100,1000")


def flag(command: argparse._ActionsContainer, name: str, text: str) -> None:
    """Add an option without a value."""
    command.add_argument(name, action="store_true", help=text)
