"""One process that runs a client's planner: started, asked and ended."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

from bonspiel.curling.child_process import SPAWN, ChildProcess, Pipe
from bonspiel.curling.client.planning.best_so_far import BestSoFar
from bonspiel.curling.client.planning.planner_worker import ShotChoice, run_worker
from bonspiel.curling.records.position import MatchPosition

if TYPE_CHECKING:
    from bonspiel.planners.planner import Planner


class PlannerRefused(Exception):
    """The text names no planner; the message is one line."""


class WorkerProcess(ChildProcess):
    """The planner's process, for an event loop, with the best shot so far in shared memory.

    Args:
        planner: NAME[:key=value,...] as `curling.players.parse` takes it, or a planner that can be pickled.
        seed: of the planner's random generator; None for a new one.

    Attributes:
        is_waited_for: whether somebody waits for a message, and so learns of the end.
    """

    def __init__(self, planner: str | Planner, seed: int | None) -> None:
        self._best, self._move, self.is_waited_for = BestSoFar(SPAWN), 0, False
        super().__init__(run_worker, planner, seed, self._best)

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
        self.send((self._move, position, seconds, is_quiet))
        return await self.answer(limit)

    async def answer(self, limit: float) -> Any:
        """The next message of the process.

        Raises:
            PlannerSilent: no message within `limit` seconds.
            PlannerGone: the process ended.
        """
        self.is_waited_for = True
        try:
            with self.asking():
                # a thread waits, since not every system's event loop can wait for pipes
                return await asyncio.to_thread(_receive, self._pipe, limit)
        finally:
            self.is_waited_for = False

    def best_so_far(self, failure: str | None) -> ShotChoice:
        """The best shot published for the last position, or none, after a failure."""
        shot = self._best.read(self._move)
        if shot is None:
            return ShotChoice(failure=failure)
        chance = shot.chance if math.isfinite(shot.chance) else None
        return ShotChoice(shot[:3], chance, simulations=int(shot.simulations), failure=failure)


def _receive(pipe: Pipe, limit: float) -> Any:
    if not pipe.poll(max(limit, 0.0)):
        raise TimeoutError(f"no answer within {limit:.3g} s")
    return pipe.recv()
