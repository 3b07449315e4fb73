"""A program that answers each line by a line, and that never outlives the process which started it."""

import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Generic, TypeVar

from bonspiel.planners.checks import require

LONGEST = 1 << 16  # bytes of a line; what is longer is cut, and then is no JSON
MOST_LINES = 64  # that wait to be read; a program that writes more has to wait itself
FAREWELL = 0.5  # s that a program has to end by itself when its input is closed

# a process that is killed can end nothing, and a program that computes does not see that its input is closed: a shell
# waits for the end of its own input, and then kills the group of processes $0
WATCH = 'read -r _; kill -s KILL -- "-$0"'

Lines = queue.Queue[bytes]


class ProcessFailure(Exception):
    """The program could not be started, ended, or did not keep to the protocol; the message is one line."""


class LineProcess:
    """A running program with its group of processes; `end` ends it, as does the end of this object or process.

    Its standard error is ours. Ctrl-C does not reach it.

    Args:
        command: the program and its arguments.

    Raises:
        ProcessFailure: it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
        except OSError as error:
            raise ProcessFailure(f"{command[0]} cannot be started ({error.strerror})") from error
        line = ["sh", "-c", WATCH, str(self._process.pid)]
        watcher = subprocess.Popen(line, stdin=pipe, stdout=nothing, stderr=nothing, start_new_session=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._lines = self._process.stdin, Lines(MOST_LINES)
        # a thread reads, since a pipe is not read with a time limit on every system
        reader = threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True)
        reader.start()
        self.end = weakref.finalize(self, _end, self._process, watcher, reader, self._lines)

    def ask(self, line: bytes, limit: float) -> bytes:
        """The line that the program answers within `limit` seconds.

        Raises:
            ProcessFailure: it ended, wrote a line unasked, or does not answer.
        """
        if not self._lines.empty():
            raise self._unexpected(self._lines.get())
        with suppress(BrokenPipeError):  # it has ended, which is also the end of its output
            self._input.write(line + b"\n")
            self._input.flush()
        try:
            answer = self._lines.get(timeout=limit)
        except queue.Empty:
            hint = "does it flush its output after every line?"
            raise ProcessFailure(f"no answer within {limit:.3g} s; {hint}") from None
        if not answer:
            raise self._unexpected(answer)
        return answer

    def _unexpected(self, line: bytes) -> ProcessFailure:
        """The failure behind a line that was not asked for, or behind the end of the output."""
        if line:
            return ProcessFailure(f"wrote {excerpt(line)} unasked")
        try:
            status = self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            return ProcessFailure("closed its output instead of an answer")
        how = f"exit status {status}" if status >= 0 else f"signal {-status}"
        return ProcessFailure(f"ended ({how}) instead of an answer")


Process = TypeVar("Process", bound=LineProcess)


class Program(Generic[Process]):
    """The process of a command, which is started when it is needed, and which one decision at a time uses.

    Args:
        start: starts the command.
        command: the program and its arguments.
        greet: waits until a new process is ready.
    """

    def __init__(
        self, start: Callable[[list[str]], Process], command: list[str], greet: Callable[[Process], None] | None = None
    ) -> None:
        self._start, self._command, self._greet = start, command, greet
        self._lock = threading.Lock()
        self._process: Process | None = None

    @contextmanager
    def running(self) -> Iterator[Process]:
        """The process, which any error in the block ends."""
        with self._lock:
            try:
                if self._process is None:
                    self._process = self._start(self._command)
                    if self._greet is not None:
                        self._greet(self._process)
                yield self._process
            except BaseException:
                process, self._process = self._process, None
                if process is not None:
                    process.end()
                raise


def words_of(kind: str, command: str) -> list[str]:
    """The program of a player written KIND:COMMAND and its arguments.

    Raises:
        ValueError: it is no text, has open quotes, is empty, or names no program that can be executed.
    """
    require(isinstance(command, str), "command", command, "text")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{kind}:{command}: {error}") from error
    require(bool(words), "command", command, f"a program and its arguments, written {kind}:COMMAND")
    if shutil.which(words[0]) is None:
        raise ValueError(f"{kind}:{command}: {words[0]!r} is no program that can be found and executed")
    return words


def excerpt(line: bytes) -> str:
    """The beginning of a line, in quotes."""
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= 80 else f"{text[:80]}...")


def _read(output: IO[bytes], lines: Lines) -> None:
    """Pass lines on until the output is closed, which an empty one says."""
    with output:
        while line := output.readline(LONGEST):
            lines.put(line)
    lines.put(b"")


def _end(
    process: subprocess.Popen[bytes], watcher: subprocess.Popen[bytes], reader: threading.Thread, lines: Lines
) -> None:
    """Close the program's input, which asks it to end, and soon kill what is left of its group."""
    assert process.stdin is not None and watcher.stdin is not None
    with suppress(OSError):  # what could not be written to it before
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(FAREWELL)
    with suppress(OSError):  # none is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    watcher.kill()
    watcher.wait()
    watcher.stdin.close()
    deadline = time.monotonic() + FAREWELL
    while reader.is_alive() and time.monotonic() < deadline:  # the reader may wait for room
        with suppress(queue.Empty):
            while True:
                lines.get_nowait()
        reader.join(0.001)
