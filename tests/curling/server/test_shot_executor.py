"""Worker processes of a slow engine: one that dies costs no match."""

import asyncio
import os
import signal

import numpy as np

from bonspiel.curling.model import Curling
from bonspiel.curling.server.shot_executor import ShotExecutor


def test_a_worker_that_dies_costs_no_shot():
    model = Curling(ends=1, reward="win")
    state, throw = model.initial_state(np.random.default_rng(0)), (*model.law.tee_draw, model.law.launch_spin)
    executor = ShotExecutor(model, "box2d", False, 1)

    async def shots(count):
        return await asyncio.gather(*(executor.execute(model, state, throw) for _ in range(count)))

    try:
        (whole,) = asyncio.run(shots(1))
        for worker in list(executor._pool._processes):
            os.kill(worker, signal.SIGKILL)
        for found in asyncio.run(shots(3)):  # several matches at once
            assert np.array_equal(found.stones, whole.stones, equal_nan=True)
    finally:
        executor.close()
