"""Work that is done once: a file of JSON lines keeps its results, so that a command that was stopped can continue.

The first line, and one for every time that the command was resumed, is an object: the identity of its sources.
"""

import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, ClassVar, Generic, TypeVar

from bonspiel.runs import provenance
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import locked

Group = TypeVar("Group")
Key = TypeVar("Key")
Result = TypeVar("Result")


class Work(ABC, Generic[Group, Key, Result]):
    """The results of some work by group and key. Only in the block of `kept` they go to a file.

    Attributes:
        found: the results.
        file: the file's name.
        noun: its content in a few words, for messages.
    """

    file: ClassVar[str]
    noun: ClassVar[str]

    def __init__(self) -> None:
        self.found: defaultdict[Group, dict[Key, Result]] = defaultdict(dict)
        self._file: IO[str] | None = None

    @abstractmethod
    def entry(self, group: Group, results: Mapping[Key, Result]) -> list[Any]:
        """The line of the file for results of a group."""

    @abstractmethod
    def results(self, entry: Any) -> tuple[Group, Mapping[Key, Result]]:
        """The results of a group in a line of the file; may raise ValueError, TypeError or IndexError for a bad one."""

    def add(self, group: Group, results: Mapping[Key, Result]) -> None:
        """Add results of a group, which were missing, at the end of the file."""
        self.found[group].update(results)
        self._write(self.entry(group, results))

    @contextmanager
    def kept(self, folder: Path, resume: bool, modules: tuple[str, ...], **facts: Any) -> Iterator[None]:
        """Take the results in the file of a folder, and add new ones there; the folder is locked.

        Results of other `facts`, sources, packages or `modules` of other packages are refused.
        """
        path, identity = folder / self.file, {**dict(provenance.identity(modules)), **facts}
        if path.exists() and not resume:
            raise UsageError(
                f"{folder} holds {self.noun} already; add --resume to continue it, or choose another --out"
            )
        with locked(folder):
            if path.exists():
                self._read(path, identity)
            with path.open("a", encoding="utf-8") as self._file:
                try:
                    self._write(identity)
                    yield
                finally:
                    self._file = None

    def _write(self, entry: Any) -> None:
        if self._file is not None:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()

    def _read(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Take the results of a file; a last line that was cut off while it was written is removed from it."""
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
                    group, results = self.results(entry)
                    self.found[group].update(results)
            except (ValueError, TypeError, IndexError) as error:
                raise UsageError(
                    f"{path}: line {number} is damaged ({error}); restore it, or choose another --out"
                ) from error


def _check(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    name = provenance.changed(before, now)
    if name is not None:
        raise UsageError(
            f"{path} was begun with {name} {before[name]}, not {now[name]}, and such results do not mix: "
            f"choose another --out, or {name} {before[name]}"
        )
