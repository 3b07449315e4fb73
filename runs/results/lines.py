"""Files of JSON lines that keep results, so that a command that was stopped can continue.

The first line, and one for every time that the command was resumed, is an object: the identity of its sources.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import locked

Add = Callable[[Any], None]


@contextmanager
def kept(path: Path, noun: str, identity: Mapping[str, Any], resume: bool, take: Add) -> Iterator[Add]:
    """Open a file in a folder of its own, which is locked; yields a function that adds an entry at its end.

    Args:
        path: the file.
        noun: its content in a few words, for messages.
        identity: facts that its entries depend on.
        resume: whether to continue an existing file.
        take: called with every existing entry; may raise ValueError, TypeError or IndexError for a bad one.

    Raises:
        UsageError: the folder cannot be used, or its entries depend on something else.
    """
    if path.exists() and not resume:
        raise UsageError(f"{path.parent} holds {noun} already; add --resume to continue it, or choose another --out")
    with locked(path.parent):
        if path.exists():
            _read(path, identity, take)
        with path.open("a", encoding="utf-8") as file:

            def add(entry: Any) -> None:
                file.write(json.dumps(entry) + "\n")
                file.flush()

            add(identity)
            yield add


def _read(path: Path, identity: Mapping[str, Any], take: Add) -> None:
    """Take the entries of a file; a last line that was cut off while it was written is removed from it."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        with path.open("rb+") as file:
            file.truncate(len(whole))
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            entry = json.loads(line)
            if isinstance(entry, dict):
                _check(path, entry, identity)
            else:
                take(entry)
        except (ValueError, TypeError, IndexError) as error:
            raise UsageError(
                f"{path}: line {number} is damaged ({error}); restore it, or choose another --out"
            ) from error


def _check(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name, meaning in before.items():
        if now.get(name, meaning) != meaning:
            raise UsageError(
                f"{path} was begun with {name} {meaning}, not {now[name]}, and such results do not mix: "
                f"choose another --out, or {name} {meaning}"
            )
