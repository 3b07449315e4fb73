"""One process that runs a planner: started, asked and ended."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
from typing import TYPE_CHECKING, Any

from bonspiel.curling.client.interrupts import ctrl_c_ignored
from bonspiel.curling.client.planning.best_so_far import BestSoFar
from bonspiel.curling.client.planning.planner_worker import Pipe, ShotChoice, run_worker
from bonspiel.curling.match.position import MatchPosition

if TYPE_CHECKING:
    from bonspiel.planners.planner import Planner


class PlannerRefused(Exception):
    """The text names no planner; the message is one line."""


class PlannerGone(Exception):
    """The planner's process has ended or does not answer; the message is one line."""


class PlannerSilent(PlannerGone):
    """The planner's process does not answer."""


class WorkerProcess:
    """A process that is starting or running; `kill` ends it.

    Args:
        planner: NAME[:key=value,...] as `curling.players.parse` takes it, or a planner that can be pickled.
        seed: of the planner's random generator; None for a new one.

    Attributes:
        process: None after `kill`.
        is_waited_for: whether somebody waits for a message, and so learns of the end.
    """

    def __init__(self, planner: str | Planner, seed: int | None) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe: Pipe
        self._pipe, theirs = context.Pipe()
        self._best, self._move = BestSoFar(context), 0
        arguments = theirs, planner, seed, self._best
        self.process: Any = context.Process(target=run_worker, args=arguments, daemon=True, name="bonspiel planner")
        self.is_waited_for = False
        with ctrl_c_ignored():
            self.process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        """Return whether the process still runs."""
        return self.process is not None and bool(self.process.is_alive())

    @property
    def end(self) -> str:
        """Why there is no more answer: its end, with the exit code if that is known."""
        if self.process is None:
            return "the planner's process has ended"
        self.process.join(1.0)
        return f"the planner's process ended (exit code {self.process.exitcode})"

    async def ready(self, limit: float) -> None:
        """Wait until it has parsed the planner's text.

        Raises:
            PlannerRefused: the text names no planner.
            PlannerGone: see `answer`.
        """
        refusal = await self.answer(limit)
        if refusal is not None:
            raise PlannerRefused(refusal)

    async def ask(self, position: MatchPosition, seconds: float, limit: float, is_quiet: bool = False) -> Any:
        """The answer to a position, of `seconds` of planning; what a quiet one prints is dropped.

        Raises:
            PlannerGone: see `answer`.
        """
        self._move += 1
        try:
            self._pipe.send((self._move, position, seconds, is_quiet))
        except OSError as error:
            raise PlannerGone(self.end) from error
        return await self.answer(limit)

    async def answer(self, limit: float) -> Any:
        """The next message of the process.

        Raises:
            PlannerSilent: no message within `limit` seconds.
            PlannerGone: the process ended.
        """
        self.is_waited_for = True
        try:
            # a thread waits, since not every system's event loop can wait for pipes
            answered, answer = await asyncio.to_thread(_receive, self._pipe, limit)
        except (EOFError, OSError) as error:
            raise PlannerGone(self.end) from error
        finally:
            self.is_waited_for = False
        if not answered:
            raise PlannerSilent(f"no answer within {limit:.3g} s")
        return answer

    def best_so_far(self, failure: str | None) -> ShotChoice:
        """The best shot published for the last position, or none, after a failure."""
        shot = self._best.read(self._move)
        if shot is None:
            return ShotChoice(failure=failure)
        chance = shot.chance if math.isfinite(shot.chance) else None
        return ShotChoice(shot[:3], chance, simulations=int(shot.simulations), failure=failure)

    def kill(self) -> None:
        """End the process at once; this also wakes the thread that waits for its pipe."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.join()
            process.close()


def _receive(pipe: Pipe, limit: float) -> tuple[bool, Any]:
    """(True, message) or, after `limit` seconds, (False, None)."""
    return (True, pipe.recv()) if pipe.poll(max(limit, 0.0)) else (False, None)
