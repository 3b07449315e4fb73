"""Where the stones of all matches of a server move."""

import asyncio
import multiprocessing
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np

from curling.client.interrupts import ctrl_c_ignored
from curling.match_data import Throw
from curling.model import Curling
from curling.umpire import Outcome, outcome
from planners.base import Array

SLOW_ENGINES = ("box2d",)  # a shot of theirs takes so long that other matches would notice


class Ice:
    """Plays the throws of matches of one kind.

    Args:
        model: of the matches.
        engine: "analytic", at once and in this process, or "box2d", in worker processes.
        film: whether paths are wanted.
        workers: processes for an engine that takes its time.
    """

    def __init__(self, model: Curling, engine: str, film: bool, workers: int) -> None:
        """Load and compile all that a throw needs, so that no client ever waits for it."""
        self._model, self._engine, self._film, self._workers = model, engine, film, workers
        self._pool: ProcessPoolExecutor | None = None
        state, throw = model.initial_state(np.random.default_rng(0)), (*model.law.tee_draw, model.law.launch_spin)
        if engine in SLOW_ENGINES:
            self._pool = self._new_pool()
            try:
                for waiting in [self._submit(self._pool, state, throw) for _ in range(workers)]:
                    waiting.result()
            except BaseException:
                self.close()
                raise
        else:
            outcome(model, state, throw, engine, film)

    async def play(self, state: Array, thrown: Throw) -> Outcome:
        """What a throw from a state leads to.

        Raises:
            BrokenProcessPool: workers died twice over it.
        """
        pool = self._pool
        if pool is None:
            return outcome(self._model, state, thrown, self._engine, self._film)
        try:
            return await asyncio.wrap_future(self._submit(pool, state, thrown))
        except BrokenProcessPool:
            if pool is self._pool:  # else another match was first
                pool.shutdown(wait=False)
                self._pool = self._new_pool()
            assert self._pool is not None
            return await asyncio.wrap_future(self._submit(self._pool, state, thrown))

    def close(self) -> None:
        """Let the worker processes go."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _new_pool(self) -> ProcessPoolExecutor:
        # spawned: a fork of a process with threads may hang
        return ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), _ignore_interrupts)

    def _submit(self, pool: ProcessPoolExecutor, state: Array, thrown: Throw) -> Future[Outcome]:
        with ctrl_c_ignored():  # a worker may be started
            return pool.submit(outcome, self._model, state, thrown, self._engine, self._film)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the server also where workers do not inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
