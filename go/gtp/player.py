"""A player that is a program which speaks the Go Text Protocol, such as GNU Go."""

import math
import queue
import shlex
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from bonspiel.go.checks import check_move
from bonspiel.go.model import Go
from bonspiel.go.state import BEFORE_LAST, LAST, MOVER
from bonspiel.go.vertices import index_of, vertex_of
from bonspiel.planners.checks import steps_left
from bonspiel.planners.line_process import LineProcess, ProcessFailure, Program, excerpt, words_of
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits, check_plan
from bonspiel.planners.registry import VERBATIM
from bonspiel.runs.games.game import Resignation

GRACE = 300.0  # s that an answer may take beyond its budget
NAMES = {1.0: "black", -1.0: "white"}


class GTPProcess(LineProcess):
    """A running engine, with the game that was set up on it.

    Attributes:
        game: the model and the state of its board, if they are known.
    """

    game: tuple[Go, Array] | None = None

    def command(self, text: str, limit: float = GRACE) -> str:
        """The answer to a command, without the sign of success.

        Raises:
            ProcessFailure: it refused, ended, answered another command, or did not answer within `limit` seconds.
        """
        with suppress(BrokenPipeError):  # it has ended, which is also the end of its output
            self._input.write(f"{text}\n".encode())
            self._input.flush()
        deadline, lines = time.monotonic() + limit, list[str]()
        while not lines or lines[-1]:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise ProcessFailure(f"no answer to {text!r} within {limit:.3g} s") from None
            if not line:
                raise self._unexpected(line)
            shown = line.decode(errors="replace").strip()
            if lines or shown[:1] in ("=", "?"):  # engines write other lines before
                lines.append(shown)
        if lines[0][0] == "?":
            raise ProcessFailure(f"refused {text!r}: {excerpt(lines[0].encode())}")
        if lines[0][1:2].isdigit():  # commands have no number here, so this is the answer to another one
            raise ProcessFailure(f"answered {text!r} by {excerpt(lines[0].encode())}, with a number that was not sent")
        return " ".join(lines)[1:].strip()

    def set_up(self, model: Go, state: Array) -> None:
        """Bring the engine's board to a state, by the moves since the last one if these are known."""
        moves = None if self.game is None or self.game[0] != model else _moves_between(model, self.game[1], state)
        if moves is None:
            for text in (f"boardsize {model.size}", f"komi {model.komi:g}", "clear_board"):
                self.command(text)
            moves = _moves_between(model, model.initial_state(np.random.default_rng(0)), state)
        if moves is None:
            moves = [(float(state[index]), int(index)) for index in np.flatnonzero(state[: model.area])]
        for colour, index in moves:
            self.command(f"play {NAMES[colour]} {vertex_of(index, model.size)}")


def _moves_between(model: Go, before: Array, after: Array) -> list[tuple[float, int]] | None:
    """The moves, (colour, move), from one state to another, if these are its last two at most; else None."""
    last = [int(after[model.area + which]) for which in (BEFORE_LAST, LAST)]
    for count in range(3):
        state, moves = before, list[tuple[float, int]]()
        for index in last[2 - count :]:
            following = np.empty_like(state)
            model.step(state, np.array([float(max(index, 0))]), following, model.params, np.random.default_rng(0))
            moves.append((float(state[model.area + MOVER]), index))
            state = following
        if np.array_equal(state, after):
            return moves
    return None


@dataclass(frozen=True)
class GTPPlayer:
    """Asks a program for moves. The program starts at the first decision and ends with this object.

    It plays at its own strength, which `command` may set: a budget in seconds plus five minutes is only the time limit
    of an answer. After a failure the program is ended, and started again for the next decision.

    Args:
        command: the program and its arguments, quoted as for a shell, which does not take part.
    """

    command: str = field(default="", metadata={VERBATIM: True})

    traits: ClassVar[Traits] = Traits(takes_root_actions=False, reproducible=False, rolls_out=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be started."""
        words_of("gtp", self.command)

    def __reduce__(self) -> tuple[type["GTPPlayer"], tuple[str]]:
        """Another process starts the program for itself."""
        return GTPPlayer, (self.command,)

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        return None if isinstance(model, Go) else "Go only"

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose a move; see `planners.Planner.plan`.

        Raises:
            ProcessFailure: the program cannot be started, ended, does not answer or breaks the protocol.
            Resignation: it resigns.
            ValueError: its move is illegal.
        """
        state = check_plan(self, model, state, budget, rng, root_actions)
        steps_left(model, state)
        assert isinstance(model, Go)
        start = time.perf_counter()
        with self._program.running() as process:
            process.set_up(model, state)
            answer = process.command(
                f"genmove {NAMES[float(state[model.area + MOVER])]}", GRACE + (budget.seconds or 0.0)
            )
            if answer.lower() != "resign":
                return self._played(process, model, state, answer, rng, start)
        raise Resignation("resigned")

    def _played(self, process: GTPProcess, model: Go, state: Array, answer: str, rng: Rng, start: float) -> Decision:
        """The decision of an answer, after which the program knows the next state."""
        action = np.array([float(check_move(model, state, index_of(answer, model.size)))])
        after = np.empty_like(state)
        model.step(state, action, after, model.params, rng)
        process.game = model, after
        nothing = action[None], np.zeros(1, np.int64), np.array([math.nan])
        return Decision(action, math.nan, 0, time.perf_counter() - start, *nothing)

    @cached_property
    def _program(self) -> Program[GTPProcess]:
        return Program(GTPProcess, shlex.split(self.command))
