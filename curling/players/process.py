"""A player that is a program of its own, in any language, and answers positions by shots in lines of JSON.

docs/curling/process-player.md describes the messages.
"""

import math
import shlex
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct

from bonspiel.curling.match.state import team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position import MatchPosition
from bonspiel.planners.checks import check_action, require, steps_left
from bonspiel.planners.line_process import LineProcess, ProcessFailure, Program, excerpt, words_of
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits, check_plan
from bonspiel.planners.registry import VERBATIM

PROTOCOL = 1
PATIENCE = 300.0  # s for a program to start, which may compile, and to answer the greeting
SILENCE = 10.0  # s of them after which a line says what is waited for
GRACE = 10.0  # s that an answer may come after its budget; that it was late is on record
SLOWEST = 0.1  # s of a simulation, for budgets in simulations
PIPE = 0.01  # s from a question to its answer that the program does not see itself, at most
SEEDS = 2**53  # up to which all readers of JSON keep whole numbers

Answer = TypeVar("Answer", bound=Struct)
Natural = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0.0)]


class Hello(Struct, tag="hello", forbid_unknown_fields=True):
    """The program is ready."""

    protocol: int


class Shot(Struct, tag="shot", forbid_unknown_fields=True):
    """The program's choice; see docs/curling/process-player.md."""

    vx: float
    vy: float
    rotation: float
    value: float | None = None
    simulations: Natural | None = None
    seconds: Seconds | None = None


class Failure(Struct, tag="error", forbid_unknown_fields=True):
    """The program cannot answer."""

    message: str


@dataclass(frozen=True)
class ProcessPlayer:
    """Asks a program, which is started at the first decision and ends with this object, for shots.

    A decision's `seconds` are the program's own, if it states them and they account for the time that it took to
    answer. After a failure the program is ended; the next decision starts it again.

    Args:
        command: the program and its arguments, quoted as for a shell, which does not take part.
    """

    command: str = field(default="", metadata={VERBATIM: True})

    traits: ClassVar[Traits] = Traits(
        takes_root_actions=False,
        budget_multiple=math.inf,
        rolls_out=False,
        times_itself=True,  # as its program counts
    )

    def __post_init__(self) -> None:
        """Refuse what cannot be started."""
        words_of("process", self.command)

    def __reduce__(self) -> tuple[type["ProcessPlayer"], tuple[str]]:
        """Another process starts the program for itself."""
        return ProcessPlayer, (self.command,)

    def unsupported(self, model: Model) -> str | None:
        """The reason why a model cannot be searched, or None; see `planners.Planner`."""
        return None if isinstance(model, Curling) else "curling only"

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose a shot; see `planners.Planner.plan`.

        Raises:
            ProcessFailure: the program cannot be started, ended, does not answer, or breaks the protocol.
        """
        state = check_plan(self, model, state, budget, rng, root_actions)
        steps_left(model, state)
        assert isinstance(model, Curling)
        question = msgspec.json.encode(position(model, state, budget, int(rng.integers(SEEDS))))
        expected = budget.seconds or SLOWEST * (budget.simulations or 0)
        with self._program.running() as process:
            start = time.perf_counter()
            line = process.ask(question, expected + GRACE)
            seconds = time.perf_counter() - start
            shot = decoded(line, Shot)
            require(shot.rotation in (1.0, -1.0), "rotation", shot.rotation, "1 or -1")
            action = check_action(model, model.aim(shot.vx, shot.vy, shot.rotation))
            value = math.nan if shot.value is None else _return(shot.value, model, int(team_of(state)))
        if shot.seconds is not None and 0.0 <= seconds - shot.seconds <= PIPE:
            seconds = shot.seconds
        simulations = shot.simulations or 0
        root = action[None], np.array([simulations], np.int64), np.array([value])
        return Decision(action, value, simulations, seconds, *root)

    @cached_property
    def _program(self) -> Program[LineProcess]:
        return Program(LineProcess, shlex.split(self.command), Greeting(self.command))


def position(model: Curling, state: Array, budget: Budget, seed: int) -> dict[str, Any]:
    """The message that asks for a shot."""
    limit = {"seconds": budget.seconds} if budget.seconds else {"simulations": budget.simulations}
    return {"type": "position", **MatchPosition.of(model, state).to_json(), "budget": limit, "seed": seed}


def decoded(line: bytes, kind: type[Answer]) -> Answer:
    """The answer of this kind that a line holds.

    Raises:
        ProcessFailure: it is another one, or none.
    """
    try:
        answer: Hello | Shot | Failure = msgspec.json.decode(line, type=Hello | Shot | Failure)
    except (ValueError, RecursionError) as error:
        raise ProcessFailure(f"answered {excerpt(line)}: {error}") from error
    if isinstance(answer, Failure):
        raise ProcessFailure(f"failed: {' '.join(answer.message.split())}")
    if not isinstance(answer, kind):
        raise ProcessFailure(f"answered {excerpt(line)}: not of the type {kind.__struct_config__.tag!r}")
    return answer


def _return(value: float, model: Curling, team: int) -> float:
    """The return for the thrower of what the program expects its team to get."""
    if model.reward == "points":
        return value
    require(0.0 <= value <= 1.0, "value", value, "from 0 to 1")
    return value - team  # rewards are team 0's: team 1 expects between -1 and 0


class Greeting:
    """Waits for new processes of a program to be ready; one that kept it waiting in vain is not waited for again.

    Args:
        command: of the program.
    """

    def __init__(self, command: str) -> None:
        self._command = command
        self._in_vain: ProcessFailure | None = None

    def __call__(self, process: LineProcess) -> None:
        """Greet a process.

        Raises:
            ProcessFailure: it does not answer, or does not speak this protocol.
        """
        if self._in_vain is not None:
            raise self._in_vain
        start = time.monotonic()
        news = f"process:{self._command} has not answered the greeting yet; after {PATIENCE:g} s its games are lost"
        notice = threading.Timer(SILENCE, print, (news,), {"file": sys.stderr, "flush": True})
        notice.daemon = True
        notice.start()
        try:
            hello = decoded(process.ask(msgspec.json.encode({"type": "hello", "protocol": PROTOCOL}), PATIENCE), Hello)
        except ProcessFailure as failure:
            if time.monotonic() - start >= PATIENCE:
                self._in_vain = failure
            raise
        finally:
            notice.cancel()
        if hello.protocol != PROTOCOL:
            raise ProcessFailure(f"speaks protocol {hello.protocol}; this version of bonspiel speaks {PROTOCOL}")
