"""The process of a client in one game, with all processes that it starts and with its output in a file."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bonspiel.curling.arena import cores
from bonspiel.curling.arena.cores import Share
from bonspiel.curling.arena.last_words import last_words
from bonspiel.curling.records.record import printable

LEAVING = 2.0  # s to end by itself after the match
TERMINATION = 1.0  # s after SIGTERM until it is killed
# a shell, first in the group of the client, that kills the group when this process ends, in whatever way
WATCHER = "sh", "-c", "trap '' TERM; read -r _; kill -s KILL 0"
TAIL = 1 << 20  # bytes of the output, in which the reason of its end is looked for
LONGEST_LINE = 120  # characters of it that a reason quotes


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
