"""A planner in a process of its own: one that crashes is started again, and the game goes on."""

from collections.abc import Callable
from typing import Any, Self

from bonspiel.curling import players
from bonspiel.curling.child_process import ChildProcess, Pipe, PlannerGone, answer, questions
from bonspiel.planners.core.code.errors import error_text
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Planner


class SeparatePlanner:
    """Decides as another planner, which runs in a process of its own; a context manager.

    Args:
        planner: NAME[:key=value,...] as `curling.players.parse` takes it, or a planner that can be pickled.
        report: takes a line when the planner's process has ended and is started again.
    """

    def __init__(self, planner: str | Planner, report: Callable[[str], None]) -> None:
        self._planner, self._report = planner, report
        self._child = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """See `planners.planner.Planner`; the random numbers are those of the planner in this process.

        Raises:
            PlannerGone: the planner's process ended, and again when it was asked anew.
            RuntimeError: the planner failed, with its reason.
        """
        question = model, state, budget, rng, root_actions
        try:
            decision, rng.bit_generator.state = self._ask(question)
        except PlannerGone as gone:
            self._report(f"{gone}; it is started again, and the game goes on")
            self._child.kill()
            self._child = self._start()
            decision, rng.bit_generator.state = self._ask(question)
        return decision

    def _start(self) -> ChildProcess:
        return ChildProcess(_answer_all, self._planner, daemon=False)  # the planner may have workers

    def _ask(self, question: tuple[Any, ...]) -> tuple[Decision, Any]:
        self._child.send(question)
        found: str | tuple[Decision, Any] = self._child.receive()
        if isinstance(found, str):
            raise RuntimeError(found)
        return found


def _answer_all(pipe: Pipe, planner: str | Planner) -> None:
    """Answer questions by decisions with the state of the generator after them, or by the reason of a failure."""
    chosen = players.parse(planner) if isinstance(planner, str) else planner
    for model, state, budget, rng, root_actions in questions(pipe):
        try:
            found: Any = chosen.plan(model, state, budget, rng, root_actions), rng.bit_generator.state
        except Exception as error:
            found = error_text(error)
        answer(pipe, found)
