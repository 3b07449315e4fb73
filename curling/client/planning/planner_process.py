"""A planner in a separate process: one that fails, crashes or hangs costs a better shot, not the match.

A second process waits beside it, with everything loaded, and takes over at once when the first one ends.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bonspiel.curling.child_process import PlannerGone, PlannerSilent
from bonspiel.curling.client.planning.planner_worker import ShotChoice, first_answer
from bonspiel.curling.client.planning.setup_choice import FALLBACK, SetupChoice
from bonspiel.curling.client.planning.standby import FIRST_SECONDS, RESTART, Standby
from bonspiel.curling.client.planning.worker_process import WorkerProcess
from bonspiel.curling.protocols.console import print_error
from bonspiel.curling.records.position import MatchPosition

if TYPE_CHECKING:
    from bonspiel.planners.planner import Planner

PATIENCE = 300.0  # s for the first process to start, to compile and to plan for the first time
SETUP_PATIENCE = 10.0  # s for the choice of a set-up, which takes milliseconds and for which no clock runs
GRACE = 5.0  # s that an overdue planner may still take before it is replaced; the move does not wait for it
LOOK = 0.1  # s between two looks at the processes
OWN_SECONDS = 0.1  # s that this process may take for a rule-based shot, 3 ms as a rule, even if the move is due


class PlannerProcess:
    """Asks a planner in another process for shots; an asynchronous context manager.

    Args:
        planner: NAME[:key=value,...] as `curling.players.parse` takes it, or a planner that can be pickled.
        seed: of the planner's random generator; None for a new one.
        patience: s until a starting planner that does not answer is given up.
        grace: s that a planner may be overdue before it is restarted.
        restart: s until a planner that is started again, and is not ready, is ended, and tried anew.
    """

    def __init__(
        self,
        planner: str | Planner,
        seed: int | None = None,
        patience: float = PATIENCE,
        grace: float = GRACE,
        restart: float = RESTART,
    ) -> None:
        self.planner, self.seed, self.patience, self.grace = planner, seed, patience, grace
        self._worker: WorkerProcess | None = None
        self._standby = Standby(planner, seed, restart)
        self._busy: asyncio.Task[None] | None = None  # until it is done the worker cannot be asked
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Start the process and wait until it has parsed the planner's text.

        Raises:
            PlannerRefused: the text names no planner.
            PlannerGone: the process ended.
        """
        start = time.monotonic()
        self._worker = WorkerProcess(self.planner, self.seed)
        try:
            await self._worker.ready(self.patience)
        except BaseException:
            self._worker.kill()
            raise
        self._learn_restart(time.monotonic() - start)
        self._watch = asyncio.create_task(self._watch_processes())
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [task for task in (self._watch, self._busy) if task is not None]
        for task in tasks:
            task.cancel()
        if self._worker is not None:
            self._worker.kill()  # which ends what the tasks wait for
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._standby.close()

    async def warm_up(self, position: MatchPosition, seconds: float) -> str | None:
        """Let the planner choose once, so that everything is compiled and loaded; the failure, if any.

        The process that waits is ready then too, and this one for a rule-based shot.
        """
        self._standby.position, start = position, time.monotonic()
        worker = await self._ready_worker(self._standby.limit)
        if worker is None:
            return "the planner's process has ended"
        try:
            await worker.ask(position, FIRST_SECONDS, self.patience)
            self._learn_restart(time.monotonic() - start)
            self._standby.prepare()  # while this one plans on; nothing is compiled any more
            choice: ShotChoice = await worker.ask(position, seconds, self.patience)
        except PlannerSilent as error:  # it may still compile, which takes the next one, and this process, as long
            self._standby.limit = self.patience
            self._replace(worker)
            return str(error)
        except PlannerGone as error:
            self._replace(worker)
            await self.rule_based(position, self._standby.limit, None)
            return str(error)
        await self.rule_based(position, self._standby.limit, None)
        await self._standby.wait(self._standby.limit)
        return choice.failure

    async def choose(self, position: MatchPosition, seconds: float, limit: float) -> ShotChoice:
        """The planner's choice after `seconds` of planning, 0 for the best of a few candidates.

        If it fails, its best shot so far with the reason, or a rule-based one if there is none. The planner is not
        waited for longer than `limit` seconds; one that hangs is replaced in the background.
        """
        start, choice = time.monotonic(), ShotChoice(failure="the planner is not ready again")
        for _ in range(2):  # a process may end before it sees the position
            waited = time.monotonic() - start
            worker = await self._ready_worker((limit - waited) / 2.0)
            if worker is None:
                break
            waited = time.monotonic() - start
            try:
                choice = await worker.ask(position, max(seconds - waited, 0.0), limit - waited)
                if choice.action is None:
                    choice = worker.best_so_far(choice.failure)
                break
            except PlannerGone as error:
                choice = worker.best_so_far(str(error))
                self._give_up(worker, error)
                if choice.action is not None or isinstance(error, PlannerSilent):
                    break
                print_error(f"{error}; another one takes over")
        if choice.action is None:
            left = max(limit - (time.monotonic() - start), OWN_SECONDS)
            choice = await self.rule_based(position, left, choice.failure)
        return replace(choice, seconds=time.monotonic() - start)

    async def rule_based(self, position: MatchPosition, limit: float, failure: str | None) -> ShotChoice:
        """The best of the rule-based candidates, found by this process; no shot if that takes too long or fails."""
        with suppress(TimeoutError):
            rng = np.random.default_rng(self.seed)
            found = await asyncio.wait_for(asyncio.to_thread(first_answer, position, rng, lambda _: None), limit)
            return replace(found, failure=failure, is_own=True)
        return ShotChoice(failure=failure)

    async def choose_setup(self, position: MatchPosition) -> SetupChoice:
        """The best set-up of the end; the hammer, with the reason, if the process fails."""
        failure = "the planner is not ready again"
        worker = await self._ready_worker(SETUP_PATIENCE)
        if worker is not None:
            try:
                choice: SetupChoice = await worker.ask(position, 0.0, SETUP_PATIENCE)
                return choice
            except PlannerGone as error:
                failure = str(error)
                self._give_up(worker, error)
        return SetupChoice(FALLBACK, failure=failure)

    async def _ready_worker(self, patience: float) -> WorkerProcess | None:
        """The process that can be asked; an overdue or starting one is waited for."""
        end = time.monotonic() + patience
        self._look()
        if self._worker is None:
            await self._standby.wait(patience)
            self._look()
        while (busy := self._busy) is not None:
            await asyncio.wait({busy}, timeout=max(end - time.monotonic(), 0.0))
            if not busy.done():
                return None
            if self._busy is busy:
                self._busy = None
        return self._worker

    async def _watch_processes(self) -> None:
        """Replace a process that ends while nobody asks it, in the opponent's turn too."""
        while True:
            self._look()
            await asyncio.sleep(LOOK)

    def _look(self) -> None:
        """Let the waiting process take over from one that has ended."""
        worker = self._worker
        if worker is not None and not worker.is_waited_for and not worker.is_alive:
            print_error(f"{worker.end}; another one takes over")
            self._replace(worker)
        self._standby.check()
        if self._worker is None:
            self._worker = self._standby.take()
            if self._worker is not None and self._standby.runs_a_program:
                self._busy = asyncio.create_task(self._load(self._worker))

    def _give_up(self, worker: WorkerProcess, error: PlannerGone) -> None:
        """Replace a process that has ended at once, and one that is overdue after its grace."""

        async def wait_for_late_answer() -> None:
            try:
                await worker.answer(self.grace)
            except PlannerGone:
                self._replace(worker)

        if isinstance(error, PlannerSilent) and self.grace > 0.0:
            self._busy = asyncio.create_task(wait_for_late_answer())
        else:
            self._replace(worker)

    async def _load(self, worker: WorkerProcess) -> None:
        """Let a process that has taken over start a program of the user's before the next move."""
        try:
            await self._standby.load(worker)
        except PlannerGone:
            self._replace(worker)

    def _replace(self, worker: WorkerProcess) -> None:
        worker.kill()
        if self._worker is worker:
            self._worker = None
        self._look()

    def _learn_restart(self, seconds: float) -> None:
        """Give a restart at least twice the time that the first start took."""
        self._standby.limit = min(max(self._standby.limit, 2.0 * seconds), self.patience)

    @property
    def _process(self) -> Any:
        return None if self._worker is None else self._worker.process
