"""The long check in a process of its own: a planner that hangs, or ends its process, does so there alone."""

import base64
import json
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from joblib.externals.loky.backend.reduction import dumps

from bonspiel.planners.contract.decisions import BrokenContract
from bonspiel.planners.line_process import LineProcess, ProcessFailure
from bonspiel.planners.model import Model
from bonspiel.planners.planner import Planner

PATIENCE = 45.0  # s for a decision, beside the time in which numba compiles, and for the process to start
INTERVAL = 0.2  # s until it answers how far it is
START = "import sys; sys.path[:] = {path!r}; from bonspiel.planners.contract.apart import main; main()"
READY = b"ready\n"

Made = Callable[[], tuple[Planner, Model]]
"""Makes the planner and the model."""


def check_contract(
    name: str, made: Made, seed: int, *, is_ours: bool = False, is_brief: bool = False, patience: float = PATIENCE
) -> None:
    """Check a planner as `ContractCheck` does, in a process of its own if it can be sent to one and is not ours.

    The process imports nothing of the program that calls this, so that a script needs no `if __name__ == "__main__"`.

    Args:
        name: of the planner in messages.
        made: makes the planner and the model.
        seed: see `ContractCheck`.
        is_ours: whether nothing of it is of another package.
        is_brief: see `ContractCheck`.
        patience: seconds after which a decision is given up.

    Raises:
        BrokenContract: names the planner, and what it did.
    """
    process = None if is_ours else _started(made, (name, seed, is_brief))
    if process is None:
        _check(name, made(), seed, is_brief)
        return
    decision = "the first decision"
    try:
        while True:
            found = json.loads(process.ask(b"", patience))
            decision = found["decision"]
            if found["wrong"]:
                raise BrokenContract(found["wrong"])
            if found["is_over"]:
                return
            if found["seconds"] > patience:
                raise BrokenContract.of(name, f"{decision}: is not made within {patience:g} s")
    except ProcessFailure as failure:
        raise BrokenContract.of(name, f"{decision}: its process {failure}") from failure
    finally:
        process.end()


def _started(made: Made, given: tuple[Any, ...]) -> LineProcess | None:
    """The process with the planner; None where it cannot have it, such as a class that is defined in a function."""
    try:
        content = base64.b64encode(dumps((made, *given)))
        process = LineProcess([sys.executable, "-c", START.format(path=sys.path)])
    except Exception:  # whatever an object raises that is pickled
        return None
    try:
        if process.ask(content, PATIENCE) == READY:
            return process
    except ProcessFailure:
        pass
    process.end()
    return None


def _check(name: str, of: tuple[Planner, Model], seed: int, is_brief: bool, *begins: Callable[[str], None]) -> None:
    from bonspiel.planners.contract.checks import ContractCheck  # which imports the compiler

    ContractCheck(*of, seed, name, is_brief, *begins).run()


class Watch:
    """The decision under way in the main thread, and the seconds since it began in which nothing was compiled."""

    def __init__(self) -> None:
        self.decision, self._began = "the first decision", time.monotonic()

    def begins(self, decision: str) -> None:
        """Begin a decision."""
        self.decision, self._began = decision, time.monotonic()

    def seconds(self) -> float:
        """Seconds since it began, or since something was last seen to be compiled."""
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        while frame is not None:
            if str(frame.f_globals.get("__name__")).startswith("numba."):
                self._began = time.monotonic()
                break
            frame = frame.f_back
        return time.monotonic() - self._began


def main() -> None:
    """Check the planner of the first line, and answer the others by how far the check is, until the input is closed."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # whatever the planner reads and prints
        os.dup2(nothing, stream)
    try:
        made, name, seed, is_brief = pickle.loads(base64.b64decode(questions.readline()))
        of = made()
    except BaseException:
        answers.write(b"cannot\n")
        os._exit(1)
    answers.write(READY)
    watch, is_over, wrong = Watch(), threading.Event(), list[str]()

    def answer_all() -> None:
        with suppress(OSError):
            while questions.readline():
                over = is_over.wait(INTERVAL)
                facts = {
                    "decision": watch.decision,
                    "seconds": watch.seconds(),
                    "is_over": over,
                    "wrong": "".join(wrong),
                }
                answers.write(json.dumps(facts).encode() + b"\n")
        os._exit(0)

    answering = threading.Thread(target=answer_all)
    answering.start()
    try:
        _check(name, of, seed, is_brief, watch.begins)
    except BrokenContract as error:
        wrong.append(str(error))
    except BaseException as error:
        wrong.append(str(BrokenContract.of(name, f"{type(error).__name__}: {error}")))
    is_over.set()
    answering.join()
