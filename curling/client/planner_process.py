"""A planner in a separate process: one that fails, crashes or hangs costs a better shot, not the match."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import time
from contextlib import suppress
from dataclasses import replace
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, Self

from curling.client.best_so_far import BestSoFar
from curling.client.interrupts import ctrl_c_ignored
from curling.client.planner_worker import Pipe, ShotChoice, run_worker
from curling.client.position import ClientPosition
from curling.client.setup_choice import FALLBACK, SetupChoice

if TYPE_CHECKING:
    from planners.base import Planner

PATIENCE = 300.0  # s for the process to start, to compile and to plan for the first time
FIRST_SECONDS = 0.01  # s of planning that trigger compilation
RESTART_SECONDS = 1.0  # s of planning after that, when a planner was restarted
SETUP_PATIENCE = 10.0  # s for the choice of a set-up, which takes milliseconds and for which no clock runs
GRACE = 5.0  # s that an overdue planner may still take before it is restarted; the move does not wait for it


class PlannerRefused(Exception):
    """The text names no planner; the message is one line."""


class PlannerGone(Exception):
    """The planner's process has ended or does not answer; the message is one line."""


class PlannerSilent(PlannerGone):
    """The planner's process does not answer."""


class PlannerProcess:
    """Asks a planner in another process for shots; an asynchronous context manager.

    Args:
        planner: NAME[:key=value,...] as `curling.players.parse` takes it, or a planner that can be pickled.
        seed: of the planner's random generator; None for a new one.
        patience: s until a starting planner that does not answer is given up.
        grace: s that a planner may be overdue before it is restarted.
    """

    def __init__(
        self, planner: str | Planner, seed: int | None = None, patience: float = PATIENCE, grace: float = GRACE
    ) -> None:
        self.planner, self.seed, self.patience, self.grace = planner, seed, patience, grace
        self._process: BaseProcess | None = None
        self._pipe: Pipe | None = None
        self._best: BestSoFar | None = None
        self._move = 0  # its number
        self._recovery: asyncio.Task[None] | None = None
        self._warm_up_position: ClientPosition | None = None

    async def __aenter__(self) -> Self:
        """Start the process and wait until it has parsed the planner's text.

        Raises:
            PlannerRefused: the text names no planner.
            PlannerGone: the process ended.
        """
        try:
            await self._start()
        except BaseException:
            self._kill()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._recovery is not None:
            self._recovery.cancel()
        self._kill()

    async def warm_up(self, position: ClientPosition, seconds: float) -> str | None:
        """Let the planner choose once, so that everything is compiled and loaded; the failure, if any."""
        self._warm_up_position = position
        try:
            await self._ask(position, FIRST_SECONDS, self.patience)
            choice = await self._ask(position, seconds, self.patience)
        except PlannerGone as error:
            self._kill()
            return str(error)
        return choice.failure

    async def choose(self, position: ClientPosition, seconds: float, limit: float) -> ShotChoice:
        """The planner's choice after `seconds` of planning, 0 for the best of a few candidates.

        If it fails, its best shot so far with the reason, or no shot if there is none. The planner is not waited for
        longer than `limit` seconds; one that hangs is restarted in the background.
        """
        start = time.monotonic()
        choice = ShotChoice(failure="the planner is not ready again")
        if await self._is_ready(limit / 2.0):
            waited = time.monotonic() - start
            try:
                choice = await self._ask(position, max(seconds - waited, 0.0), limit - waited)
                if choice.action is None:
                    choice = self._best_so_far(choice.failure)
            except PlannerGone as error:
                choice = self._best_so_far(str(error))
                self._recover(self.grace if isinstance(error, PlannerSilent) else 0.0)
        return replace(choice, seconds=time.monotonic() - start)

    async def choose_setup(self, position: ClientPosition) -> SetupChoice:
        """The best set-up of the end; the hammer, with the reason, if the process fails."""
        failure = "the planner is not ready again"
        if await self._is_ready(SETUP_PATIENCE):
            try:
                choice: SetupChoice = await self._ask(position, 0.0, SETUP_PATIENCE)
                return choice
            except PlannerGone as error:
                failure = str(error)
                self._recover(self.grace if isinstance(error, PlannerSilent) else 0.0)
        return SetupChoice(FALLBACK, failure=failure)

    async def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._best = BestSoFar(context)
        arguments = theirs, self.planner, self.seed, self._best
        process = context.Process(target=run_worker, args=arguments, daemon=True, name="bonspiel planner")
        with ctrl_c_ignored():
            process.start()
        theirs.close()
        self._process, self._pipe = process, ours
        refusal = await self._answer(self.patience)
        if refusal is not None:
            raise PlannerRefused(refusal)

    async def _is_ready(self, patience: float) -> bool:
        """Whether the planner can be asked; an overdue or starting one is waited for."""
        if self._recovery is None and self._process is None:
            self._recover()
        if self._recovery is not None:
            await asyncio.wait({self._recovery}, timeout=patience)
            if not self._recovery.done():
                return False
            self._recovery = None
        return self._process is not None

    def _recover(self, grace: float = 0.0) -> None:
        """In the background: wait for an overdue answer and discard it, or else restart the planner."""

        async def recovery() -> None:
            if grace > 0.0:
                with suppress(PlannerGone):
                    await self._answer(grace)
                    return
            self._kill()
            try:
                await self._start()
                if self._warm_up_position is not None:
                    await self.warm_up(self._warm_up_position, RESTART_SECONDS)
            except (PlannerGone, PlannerRefused, OSError):
                self._kill()

        self._recovery = asyncio.create_task(recovery())

    async def _ask(self, position: ClientPosition, seconds: float, limit: float) -> Any:
        if self._pipe is None:
            raise PlannerGone("the planner's process has ended")
        self._move += 1
        try:
            self._pipe.send((self._move, position, seconds))
        except OSError as error:
            raise PlannerGone("the planner's process has ended") from error
        return await self._answer(limit)

    async def _answer(self, limit: float) -> Any:
        """The next message of the process.

        Raises:
            PlannerSilent: no message within `limit` seconds.
            PlannerGone: the process ended.
        """
        assert self._pipe is not None and self._process is not None
        try:
            # a thread waits, since not every system's event loop can wait for pipes
            answered, answer = await asyncio.to_thread(_receive, self._pipe, limit)
        except (EOFError, OSError) as error:
            self._process.join(1.0)
            raise PlannerGone(f"the planner's process ended (exit code {self._process.exitcode})") from error
        if not answered:
            raise PlannerSilent(f"no answer within {limit:.3g} s")
        return answer

    def _best_so_far(self, failure: str | None) -> ShotChoice:
        """The best shot published for this move, or none, after a failure."""
        shot = None if self._best is None else self._best.read(self._move)
        if shot is None:
            return ShotChoice(failure=failure)
        chance = shot.chance if math.isfinite(shot.chance) else None
        return ShotChoice(shot[:3], chance, int(shot.simulations), failure=failure)

    def _kill(self) -> None:
        """End the process at once; this also wakes the thread that waits for its pipe, which then closes the pipe."""
        process, self._process, self._pipe = self._process, None, None
        if process is not None:
            process.kill()
            process.join()
            process.close()


def _receive(pipe: Pipe, limit: float) -> tuple[bool, Any]:
    """(True, message) or, after `limit` seconds, (False, None)."""
    return (True, pipe.recv()) if pipe.poll(max(limit, 0.0)) else (False, None)
