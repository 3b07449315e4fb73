"""Simulates the shots of all matches of a server."""

import asyncio
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np

from bonspiel.curling.child_process import SPAWN
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.records.umpire import Outcome, outcome
from bonspiel.planners.core import signals
from bonspiel.planners.model import Array

SLOW_ENGINES = ("box2d",)  # their shots take so long that they would delay other matches


class ShotExecutor:
    """Simulates shots; everything is loaded and compiled first, so that no client waits for that.

    Args:
        model: to load and compile for.
        engine: "analytic", in this process, or "box2d", in worker processes.
        paths: whether outcomes include the paths of the stones.
        workers: number of processes for a slow engine.
    """

    def __init__(self, model: Curling, engine: str, paths: bool, workers: int) -> None:
        self._engine, self._paths, self._workers = engine, paths, workers
        self._pool: ProcessPoolExecutor | None = None
        state, throw = model.initial_state(np.random.default_rng(0)), (*model.law.tee_draw, model.law.launch_spin)
        if engine in SLOW_ENGINES:
            self._pool = self._new_pool()
            try:
                for future in [self._submit(self._pool, model, state, throw) for _ in range(workers)]:
                    future.result()
            except BaseException:
                self.close()
                raise
        else:
            outcome(model, state, throw, engine, paths)

    async def execute(self, model: Curling, state: Array, thrown: Throw) -> Outcome:
        """The outcome of a throw in a state of a match of this model.

        Raises:
            BrokenProcessPool: workers died twice.
        """
        pool = self._pool
        if pool is None:
            return outcome(model, state, thrown, self._engine, self._paths)
        try:
            return await asyncio.wrap_future(self._submit(pool, model, state, thrown))
        except BrokenProcessPool:
            if pool is self._pool:  # else another match has replaced it
                pool.shutdown(wait=False)
                self._pool = self._new_pool()
            assert self._pool is not None
            return await asyncio.wrap_future(self._submit(self._pool, model, state, thrown))

    def close(self) -> None:
        """End the worker processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, SPAWN, signals.leave_to_parent, (signal.SIGINT,))

    def _submit(self, pool: ProcessPoolExecutor, model: Curling, state: Array, thrown: Throw) -> Future[Outcome]:
        with signals.held_back(signal.SIGINT):  # this may start a worker
            return pool.submit(outcome, model, state, thrown, self._engine, self._paths)
