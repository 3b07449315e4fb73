"""All messages of a match, one JSON object per line, in the form that transcripts of the servers have."""

import json
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from curling.client.console import complain

FROM_SERVER, TO_SERVER, NOTE = "server->client", "client->server", "note"
LONGEST_RAW = 1000  # characters kept of what is no message


class MessageLog:
    """Writes one line for every message, at once, so that a log is complete up to the moment when its client ended.

    Lines are {"t": seconds since the start, "dir": "server->client", "client->server" or "note", "msg": ...}, with
    "raw" instead of "msg" for what is no message of the protocol. A log that can no longer be written costs no match.

    Args:
        path: file to write; its folder is made if need be.
        new: whether a file that is there already is left alone.

    Raises:
        FileExistsError: it is there already.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, new: bool = False) -> None:
        """Open the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("x" if new else "w", encoding="utf-8", newline="\n")
        self._start = time.monotonic()

    def __enter__(self) -> Self:
        """Write until the block ends."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Note what went wrong, if anything did, and close the file."""
        if isinstance(error, Exception):
            self.note(str(error))
        self._file.close()

    def json(self, direction: str, line: bytes) -> None:
        """Keep a message that is valid JSON."""
        self._write(direction, "msg", msgspec.json.format(line, indent=-1).decode("utf-8", "replace"))

    def text(self, direction: str, text: Any) -> None:
        """Keep a message that is a text of its own form, or a note."""
        self._write(direction, "msg", json.dumps(text))

    def raw(self, direction: str, line: bytes) -> None:
        """Keep what is no message, as far as it is not too long."""
        self._write(direction, "raw", json.dumps(line[:LONGEST_RAW].decode("utf-8", "replace")))

    def note(self, text: str) -> None:
        """Keep a remark of the client's own."""
        self.text(NOTE, text)

    def _write(self, direction: str, key: str, value: str) -> None:
        if self._file.closed:
            return
        seconds = time.monotonic() - self._start
        try:
            self._file.write(f'{{"t": {seconds:.4f}, "dir": "{direction}", "{key}": {value}}}\n')
            self._file.flush()
        except OSError as error:
            complain(f"no more is logged, {self.path} cannot be written ({error.strerror})")
            self._give_up()

    def _give_up(self) -> None:
        try:
            self._file.close()
        except OSError:  # what could not be written is tried once more
            pass


def new_log(folder: Path, protocol: str) -> MessageLog:
    """A log in a file of its own, named by protocol and time.

    Raises:
        OSError: it cannot be written.
    """
    name = f"{protocol}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, 1000):
        with suppress(FileExistsError):  # another client began in this second, maybe at this very moment
            return MessageLog(folder / (f"{name}.jsonl" if number == 1 else f"{name}-{number}.jsonl"), new=True)
    raise FileExistsError(f"{folder} has a thousand logs of this second")
