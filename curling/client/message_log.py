"""The log of a match: all messages, one JSON object per line, in the format of the recorded transcripts."""

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from bonspiel.curling.protocols.console import print_error

FROM_SERVER, TO_SERVER, NOTE, ESTIMATE = "server->client", "client->server", "note", "estimate"
LONGEST_RAW = 1000  # characters kept of an invalid message


class MessageLog:
    """Writes and flushes one line per message, so that a log is complete up to the moment its client ended.

    Lines are {"t": seconds since the start, "dir": "server->client", "client->server", "estimate" or "note", "msg":
    ...}, with "raw" instead of "msg" for invalid messages. An error of writing ends the log, not the match.

    The folder of the file is created; a `new` log does not overwrite an existing file.

    Raises:
        FileExistsError: the file exists, and `new` is set.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, new: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("x" if new else "w", encoding="utf-8", newline="\n")
        self._start = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, where: object) -> None:
        if isinstance(error, Exception):
            self.write_note(str(error))
        self._file.close()

    def write_json(self, direction: str, line: bytes) -> None:
        """Log a message that is valid JSON."""
        self._write(direction, "msg", msgspec.json.format(line, indent=-1).decode("utf-8", "replace"))

    def write_value(self, direction: str, value: Any) -> None:
        """Log a message given as a string or another value that JSON can hold."""
        self._write(direction, "msg", json.dumps(value))

    def write_raw(self, direction: str, line: bytes) -> None:
        """Log the beginning of an invalid message."""
        self._write(direction, "raw", json.dumps(line[:LONGEST_RAW].decode("utf-8", "replace")))

    def write_estimate(self, chance: float | None, simulations: int) -> None:
        """Log the own probability to win that was expected of the last move, None without one, and the simulations."""
        self.write_value(ESTIMATE, {"chance": chance, "simulations": simulations})

    def write_note(self, text: str) -> None:
        """Log a remark of the client."""
        self.write_value(NOTE, text)

    def _write(self, direction: str, key: str, value: str) -> None:
        if self._file.closed:
            return
        seconds = time.monotonic() - self._start
        try:
            self._file.write(f'{{"t": {seconds:.4f}, "dir": "{direction}", "{key}": {value}}}\n')
            self._file.flush()
        except OSError as error:
            print_error(f"the log ends here, {self.path} cannot be written ({error.strerror})")
            with suppress(OSError):  # closing tries to write the rest again
                self._file.close()


def new_log(folder: Path, protocol: str) -> MessageLog:
    """A log in a new file, named by protocol and time.

    Raises:
        OSError: it cannot be written.
    """
    name = f"{protocol}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, 1000):
        with suppress(FileExistsError):  # another client started in the same second
            return MessageLog(folder / (f"{name}.jsonl" if number == 1 else f"{name}-{number}.jsonl"), new=True)
    raise FileExistsError(f"{folder} already has 999 logs of this second")
