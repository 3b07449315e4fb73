"""A process of a planner that waits beside the one that plays, with everything loaded, to take over at once."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from bonspiel.curling.client.planning.worker_process import WorkerProcess
from bonspiel.curling.records.position import MatchPosition

if TYPE_CHECKING:
    from bonspiel.planners.planner import Planner

RESTART = 20.0  # s for a process to get ready, or twice what the first one took; nothing is compiled any more
PAUSE, LONGEST_PAUSE = 1.0, 30.0  # s before one that could not be started is tried again; doubled each time
FIRST_SECONDS = 0.01  # s of planning that trigger compilation
LOADING_SECONDS = 0.2  # s of planning after that, before a process takes over


class Standby:
    """Keeps one process in stock, from the first `prepare` on.

    Args:
        planner: as of `WorkerProcess`.
        seed: as of `WorkerProcess`.
        limit: s until a process that is not ready is ended, and tried anew.

    Attributes:
        position: to plan in, so that the code is loaded; None loads nothing.
        runs_a_program: whether the planner is a program of the user's, of which there should be one at a time: it is
            started by `load` when the process has taken over, and not before.
    """

    def __init__(self, planner: str | Planner, seed: int | None, limit: float = RESTART) -> None:
        self._planner, self._seed, self.limit, self._least = planner, seed, limit, limit
        self.position: MatchPosition | None = None
        self.runs_a_program = isinstance(planner, str) and planner.startswith("process:")
        self._next: asyncio.Task[WorkerProcess] | None = None

    def prepare(self) -> None:
        """Start a process, unless there is one that has not died."""
        if self._next is not None and self._next.done() and not self._next.result().is_alive:
            self._next.result().kill()
            self._next = None
        if self._next is None:
            self._next = asyncio.create_task(self._started())

    def check(self) -> None:
        """Start another process instead of one that has died."""
        if self._next is not None:
            self.prepare()

    def take(self) -> WorkerProcess | None:
        """The process, if it is ready; another one is prepared."""
        self.prepare()
        assert self._next is not None
        if not self._next.done():
            return None
        worker, self._next = self._next.result(), None
        self.prepare()
        return worker

    async def wait(self, seconds: float) -> None:
        """Wait until the process is ready, at most for so long."""
        if self._next is not None:
            await asyncio.wait({self._next}, timeout=max(seconds, 0.0))

    async def close(self) -> None:
        """End the process."""
        if self._next is not None:
            self._next.cancel()
            await asyncio.gather(self._next, return_exceptions=True)
            if not self._next.cancelled():
                self._next.result().kill()

    async def load(self, worker: WorkerProcess) -> None:
        """Let a process load its code and start its program, by planning.

        Raises:
            PlannerGone: it ended, or took too long.
        """
        if self.position is not None:
            is_quiet = not self.runs_a_program  # the process that plays has said the same
            await worker.ask(self.position, FIRST_SECONDS, self.limit, is_quiet)
            await worker.ask(self.position, LOADING_SECONDS, self.limit, is_quiet)

    async def _started(self) -> WorkerProcess:
        """A process that is ready; one that does not get so far in time is ended, and tried again."""
        pause = PAUSE
        while True:
            worker: WorkerProcess | None = None
            start = time.monotonic()
            try:
                worker = WorkerProcess(self._planner, self._seed)
                async with asyncio.timeout(self.limit):
                    await worker.ready(self.limit)
                    if not self.runs_a_program:
                        await self.load(worker)
                    elif self.position is not None:
                        await worker.ask(self.position, 0.0, self.limit)
                if self.position is not None:  # what the first process took may have been compiling
                    self.limit = min(self.limit, max(self._least, 2.0 * (time.monotonic() - start)))
                return worker
            except BaseException as error:
                if worker is not None:
                    worker.kill()
                if not isinstance(error, Exception):
                    raise
            await asyncio.sleep(pause)
            pause = min(2.0 * pause, LONGEST_PAUSE)
