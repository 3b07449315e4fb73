"""A planner in a process of its own: one that fails, crashes or hangs costs a shot, not the match."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from contextlib import suppress
from dataclasses import replace
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from curling.client import worker
from curling.client.interrupts import ctrl_c_ignored
from curling.client.situation import Situation
from curling.client.worker import Choice, Pipe

if TYPE_CHECKING:
    from planners.base import Planner

PATIENCE = 300.0  # s for the planner's process to load, to compile and to plan for the first time
TRY = 0.01  # s of planning that compile and load what there is
AGAIN = 1.0  # s of planning after that, where a planner was started again
GRACE = 5.0  # s that a planner may be late before it is taken to hang; the move does not wait for it


class PlannerRefused(Exception):
    """The planner's text names no planner; the message is one line."""


class PlannerGone(Exception):
    """The planner's process died or does not answer; the text is one line."""


class PlannerSilent(PlannerGone):
    """It does not answer."""


class Thinker:
    """Asks a planner in another process for shots; to be used as an asynchronous context manager.

    Args:
        planner: NAME[:key=value,...] as `curling.players.parse` takes it, or a planner that can be pickled.
        seed: of the planner's random draws; None for other ones every time.
        patience: s until a planner that is started and gives no sign is given up.
        grace: s that a planner may be late without being started again.
    """

    def __init__(
        self, planner: str | Planner, seed: int | None = None, patience: float = PATIENCE, grace: float = GRACE
    ) -> None:
        """Nothing is started yet."""
        self.planner, self.seed, self.patience, self.grace = planner, seed, patience, grace
        self._process: BaseProcess | None = None
        self._pipe: Pipe | None = None
        self._recovery: asyncio.Task[None] | None = None
        self._usual: Situation | None = None  # what it is warmed up with

    async def __aenter__(self) -> Self:
        """Start the process; see `start`."""
        try:
            await self.start()
        except BaseException:
            self._kill()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """End the process."""
        if self._recovery is not None:
            self._recovery.cancel()
        self._kill()

    async def start(self) -> None:
        """Start the planner's process and wait until it has understood the planner's text.

        Raises:
            PlannerRefused: the text names no planner.
            PlannerGone: the process ended.
        """
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=worker.serve, args=(theirs, self.planner, self.seed), daemon=True, name="bonspiel planner"
        )
        with ctrl_c_ignored():
            process.start()
        theirs.close()
        self._process, self._pipe = process, ours
        refusal = await self._answer(self.patience)
        if refusal is not None:
            raise PlannerRefused(refusal)

    async def warm_up(self, situation: Situation, seconds: float) -> str | None:
        """Let the planner decide once, so that everything is compiled and loaded; what went wrong, if anything."""
        self._usual = situation
        try:
            await self._ask(situation, TRY, self.patience)
            choice = await self._ask(situation, seconds, self.patience)
        except PlannerGone as error:
            self._kill()
            return str(error)
        return choice.failure

    async def decide(self, situation: Situation, seconds: float, limit: float) -> Choice:
        """Ask for a shot.

        Args:
            situation: where to throw.
            seconds: that the planner may take.
            limit: s after which there is no waiting for the planner; one that hangs is started again in the background.

        Returns:
            The planner's choice, or one without an action that tells why.
        """
        start = time.monotonic()
        if not await self._is_ready(seconds / 2.0):
            return self._failed("the planner is not ready again", start)
        waited = time.monotonic() - start
        try:
            choice = await self._ask(situation, seconds - waited, limit - waited)
        except PlannerSilent as error:
            self._recover(self.grace)
            return self._failed(str(error), start)
        except PlannerGone as error:
            self._recover()
            return self._failed(str(error), start)
        return replace(choice, seconds=time.monotonic() - start)

    async def _is_ready(self, patience: float) -> bool:
        """Whether there is a planner to ask; one that is late or being started is given so many seconds."""
        if self._recovery is None and self._process is None:
            self._recover()
        if self._recovery is not None:
            await asyncio.wait({self._recovery}, timeout=patience)
            if not self._recovery.done():
                return False
            self._recovery = None
        return self._process is not None

    @staticmethod
    def _failed(why: str, start: float) -> Choice:
        return Choice(seconds=time.monotonic() - start, failure=why)

    def _recover(self, grace: float = 0.0) -> None:
        """In the background: wait for an answer that is late, and useless by now, or else start the planner again."""

        async def recovery() -> None:
            if grace > 0.0:
                with suppress(PlannerGone):
                    await self._answer(grace)
                    return
            self._kill()
            try:
                await self.start()
                if self._usual is not None:
                    await self.warm_up(self._usual, AGAIN)
            except (PlannerGone, PlannerRefused, OSError):
                self._kill()

        self._recovery = asyncio.create_task(recovery())

    async def _ask(self, situation: Situation, seconds: float, limit: float) -> Choice:
        if self._pipe is None:
            raise PlannerGone("the planner's process has ended")
        try:
            self._pipe.send((situation, seconds))
        except OSError as error:
            raise PlannerGone("the planner's process has ended") from error
        return await self._answer(limit)

    async def _answer(self, limit: float) -> Any:
        """What the process says next.

        Raises:
            PlannerSilent: nothing within `limit` seconds.
            PlannerGone: it ended.
        """
        assert self._pipe is not None and self._process is not None
        try:
            # a thread waits, since pipes and event loops do not go together on every system
            answered, answer = await asyncio.to_thread(_receive, self._pipe, limit)
        except (EOFError, OSError) as error:
            self._process.join(1.0)
            raise PlannerGone(f"the planner's process ended (exit code {self._process.exitcode})") from error
        if not answered:
            raise PlannerSilent(f"no answer within {limit:.3g} s")
        return answer

    def _kill(self) -> None:
        """End the process at once; the thread that waits for it wakes up by that, and closes the pipe as it goes."""
        process, self._process, self._pipe = self._process, None, None
        if process is not None:
            process.kill()
            process.join()
            process.close()


def _receive(pipe: Pipe, limit: float) -> tuple[bool, Any]:
    """Whether something came in time, and what."""
    return (True, pipe.recv()) if pipe.poll(max(limit, 0.0)) else (False, None)
