"""Compiles what planners need before the first game: a rival, or its library, would not wait for that."""

import sys
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from bonspiel.curling.arena.clients import Client
from bonspiel.curling.client.planning.patience import Patience
from bonspiel.curling.client.planning.standby import FIRST_SECONDS, LOADING_SECONDS
from bonspiel.curling.client.planning.worker_process import PlannerRefused, WorkerProcess
from bonspiel.curling.game import CurlingGame
from bonspiel.curling.records.position import MatchPosition
from bonspiel.planners.child_process import PlannerGone
from bonspiel.runs import interrupts

COMPILING = 900.0  # s for a planner to become ready, whose first use may compile its code on a busy machine


def warm_up(game: CurlingGame, clients: Sequence[Client]) -> None:
    """Let the planners among the clients plan once, one after the other, with lines on standard error.

    Programs of the user's are not started, and failures are left to the games, which tell of them.
    """
    position = MatchPosition.of(game.model, game.initial_state(np.random.default_rng(0)))
    for client in clients:
        if client.planner is not None and not client.planner.startswith("process:"):
            _report(f"warming up {client.name}, before the first game")
            interrupts.run_async(_plan(client.planner, position))


async def _plan(planner: str, position: MatchPosition) -> None:
    worker = WorkerProcess(planner, seed=0)
    try:
        with suppress(PlannerGone, PlannerRefused):
            await Patience(_report).others(_answers(worker, position), f"{planner}, which may have to compile")
    finally:
        worker.kill()


async def _answers(worker: WorkerProcess, position: MatchPosition) -> None:
    await worker.ready(COMPILING)
    for seconds in (FIRST_SECONDS, LOADING_SECONDS):
        await worker.ask(position, seconds, COMPILING, is_quiet=True)


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
