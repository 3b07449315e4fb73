"""The process of a client in one game, with all processes that it starts and with its output in a file."""

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bonspiel.curling.arena import cores
from bonspiel.curling.arena.cores import Share
from bonspiel.curling.records.record import printable

LEAVING = 2.0  # s to end by itself after the match
TERMINATION = 1.0  # s after SIGTERM until it is killed
# a shell, first in the group of the client, that kills the group when this process ends, in whatever way
WATCHER = "sh", "-c", "trap '' TERM; read -r _; kill -s KILL 0"
TAIL = 1 << 20  # bytes of the output, in which the reason of its end is looked for
LONGEST_LINE = 120  # characters of it that a reason quotes
RECENT = 50  # last lines in which errors are looked for: a program that went on for longer had caught them
HEADER = "Traceback (most recent call last):"
IGNORED = "Exception ignored"  # raised where Python cannot end by it, often while it ends already
GROUP = re.compile(r"^[ ]*(?:[|+][ -]?)+(?:Exception Group )?")  # before the lines of an exception group
ERROR = re.compile(
    r"(?:Uncaught |Unhandled exception\W+|Exception in thread \".*\" |Caused by: )?[\w.$:]*(?:Error|Exception|Fault)\b"
    r"|panic: |thread '.*' panicked|(?i:fatal)\b|terminate called|\s*what\(\):|.*Assertion .*failed|.*\(\w*Error\)$"
    r"|.*\b(?:FATAL|CRITICAL)\b"
)


class ClientProcess:
    """A running client in a process group of its own, which never outlives this process; `end` ends it.

    Attributes:
        output: the file with its standard output and standard error.
    """

    def __init__(self, process: asyncio.subprocess.Process, watcher: "subprocess.Popen[bytes]", output: Path) -> None:
        self._process, self._watcher, self.output = process, watcher, output

    @classmethod
    async def start(
        cls, words: Sequence[str], environment: dict[str, str], share: Share, output: Path
    ) -> "ClientProcess":
        """Start a program.

        Args:
            words: the program and its arguments.
            environment: variables that it gets beside those of this process.
            share: the cores that it may use.
            output: the file for its output.

        Raises:
            OSError: it cannot be started.
        """
        given = os.environ | cores.environment(share) | environment
        nothing = subprocess.DEVNULL
        # before the program, which so is never without it
        watcher = subprocess.Popen(WATCHER, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, process_group=0)
        try:
            with output.open("wb") as file, cores.confined(share):
                process = await asyncio.create_subprocess_exec(
                    *words, stdin=nothing, stdout=file, stderr=file, env=given, process_group=watcher.pid
                )
        except BaseException:
            _end_group(watcher)
            raise
        return cls(process, watcher, output)

    @property
    def has_ended(self) -> bool:
        """Return whether the program has ended; processes that it started may go on."""
        return self._process.returncode is not None

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until the program ends, at most for so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()

    @property
    def ending(self) -> str:
        """The end of the program and its `last_words`, in brackets; nothing while it runs."""
        status = self._process.returncode
        if status is None:
            return ""
        how = f"exit status {status}" if status >= 0 else f"signal {-status}, {signal.strsignal(-status)}"
        with self.output.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            words = last_words(file.read().decode(errors="replace"))
        last = f"; its last output: {printable(words, LONGEST_LINE)}" if words else ""
        return f" ({how}{last})"

    async def end(self, *, in_vain: bool = False) -> None:
        """Let the program end by itself for a while, unless it waits in vain; then end all processes of its group."""
        try:
            await self.wait(0.0 if in_vain else LEAVING)
            if not self.has_ended:
                with suppress(OSError):  # none is left
                    os.killpg(self._watcher.pid, signal.SIGTERM)
                await self.wait(TERMINATION)
        finally:
            _end_group(self._watcher)
        await self.wait()


def _end_group(watcher: "subprocess.Popen[bytes]") -> None:
    """Kill a watcher and its group."""
    assert watcher.stdin is not None
    with suppress(OSError):  # none is left
        os.killpg(watcher.pid, signal.SIGKILL)
    watcher.wait()
    watcher.stdin.close()


def last_words(output: str) -> str:
    """The line that says best why a program ended; empty without output."""
    lines = [line for line in (GROUP.sub("", line).rstrip() for line in output.split("\n")) if line]
    tracebacks = dict(_tracebacks(lines))
    for number in range(len(lines) - 1, max(len(lines) - RECENT, 0) - 1, -1):
        message = lines[number].strip()
        if message.startswith(IGNORED) or (number > 0 and lines[number - 1].startswith(IGNORED)):
            continue
        if number in tracebacks:
            if tracebacks[number]:
                return tracebacks[number]
        elif ERROR.match(lines[number]):
            return " ".join([message, *lines[number + 1 : number + 2]]) if message.endswith(":") else message
    return lines[-1].strip() if lines else ""


def _tracebacks(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The number of each line below a traceback and the exception in it, which is empty where Python ignored it.

    The lines of a traceback may all have the indentation or the prefix of its header; one that is cut off names none.
    """
    for header, line in enumerate(lines):
        if line.endswith(HEADER):
            prefix = line.removesuffix(HEADER)
            below = range(header + 1, len(lines))
            end = next((number for number in below if not lines[number].removeprefix(prefix).startswith(" ")), None)
            if end is not None:
                ignored = header > 0 and lines[header - 1].startswith(IGNORED)
                yield end, "" if ignored else lines[end].removeprefix(prefix).strip()
