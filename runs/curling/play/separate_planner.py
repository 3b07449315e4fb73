"""A planner in a process of its own: one that crashes is started again, and the game goes on."""

import multiprocessing
import signal
import threading
from collections.abc import Callable
from typing import Any, Self

from bonspiel.curling import players
from bonspiel.curling.client.interrupts import ctrl_c_ignored
from bonspiel.curling.client.planning.planner_worker import Pipe, exit_with_parent
from bonspiel.planners.core.code.packages import error_text
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Planner


class PlannerCrashed(Exception):
    """The planner's process has ended; the message is one line."""


class SeparatePlanner:
    """Decides as another planner, which runs in a process of its own; a context manager.

    Args:
        planner: NAME[:key=value,...] as `curling.players.parse` takes it, or a planner that can be pickled.
        report: takes a line when the planner's process has ended and is started again.
    """

    def __init__(self, planner: str | Planner, report: Callable[[str], None]) -> None:
        self._planner, self._report = planner, report
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """See `planners.planner.Planner`; the random numbers are those of the planner in this process.

        Raises:
            PlannerCrashed: the planner's process ended, and again when it was asked anew.
            RuntimeError: the planner failed, with its reason.
        """
        question = model, state, budget, rng, root_actions
        try:
            decision, draws = self._ask(question)
        except PlannerCrashed as crash:
            self._report(f"{crash}; it is started again, and the game goes on")
            self._kill()
            self._start()
            decision, draws = self._ask(question)
        rng.bit_generator.state = draws
        return decision

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_answer_all, args=(theirs, self._planner), name="bonspiel planner")
        with ctrl_c_ignored():
            self._process.start()
        theirs.close()

    def _kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _ask(self, question: tuple[Any, ...]) -> tuple[Decision, Any]:
        try:
            self._pipe.send(question)
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            self._process.join()
            raise PlannerCrashed(f"the planner's process ended (exit code {self._process.exitcode})") from error
        if isinstance(answer, str):
            raise RuntimeError(answer)
        decision, draws = answer
        return decision, draws


def _answer_all(pipe: Pipe, planner: str | Planner) -> None:
    """Answer questions by decisions with the state of the generator after them, or by the reason of a failure."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes; the game handles it
    threading.Thread(target=exit_with_parent, daemon=True).start()
    chosen = players.parse(planner) if isinstance(planner, str) else planner
    while True:
        try:
            model, state, budget, rng, root_actions = pipe.recv()
        except EOFError:
            return
        try:
            answer: Any = chosen.plan(model, state, budget, rng, root_actions), rng.bit_generator.state
        except Exception as error:
            answer = error_text(error)
        pipe.send(answer)
