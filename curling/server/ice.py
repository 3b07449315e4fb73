"""Where the stones of all matches of a server move."""

import asyncio
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from curling.game import Throw
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
        self._model, self._engine, self._film = model, engine, film
        self._pool: ProcessPoolExecutor | None = None
        state, throw = model.initial_state(np.random.default_rng(0)), (*model.law.tee_draw, model.law.launch_spin)
        if engine in SLOW_ENGINES:
            # spawned: a fork of a process with threads may hang
            self._pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _ignore_interrupts)
            for waiting in [self._pool.submit(outcome, model, state, throw, engine, film) for _ in range(workers)]:
                waiting.result()
        else:
            outcome(model, state, throw, engine, film)

    async def play(self, state: Array, thrown: Throw) -> Outcome:
        """What a throw from a state leads to."""
        arguments = self._model, state, thrown, self._engine, self._film
        if self._pool is None:
            return outcome(*arguments)
        return await asyncio.get_running_loop().run_in_executor(self._pool, outcome, *arguments)

    def close(self) -> None:
        """Let the worker processes go."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which the terminal sends to workers too, to the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
