"""A Python process that holds a planner: where it crashes or hangs, the process that asks it goes on."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection, parent_process
from typing import Any

from bonspiel.planners.core import signals

Pipe = connection.Connection
SPAWN = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang


class PlannerGone(Exception):
    """The planner's process has ended or does not answer; the message is one line."""


class PlannerSilent(PlannerGone):
    """The planner's process does not answer."""


class ChildProcess:
    """A process that is starting or running; `kill` ends it, as does the end of its parent. Ctrl-C does not reach it.

    Args:
        work: called in the process with its end of the pipe and the arguments; takes messages by `questions` and
            answers them by `answer`.
        arguments: that can be pickled.
        daemon: whether Python may end without `kill`; such a process can start no workers of its own.

    Attributes:
        process: None after `kill`.
    """

    def __init__(self, work: Callable[..., None], *arguments: Any, daemon: bool = True) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        given = (work, theirs, *arguments)
        self.process: Any = SPAWN.Process(target=_begin, args=given, daemon=daemon, name="bonspiel planner")
        with signals.held_back(signal.SIGINT):
            self.process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        """Return whether the process still runs."""
        return self.process is not None and bool(self.process.is_alive())

    @property
    def end(self) -> str:
        """The end of the process as the reason of a missing answer, with the exit code if that is known."""
        if self.process is None:
            return "the planner's process has ended"
        self.process.join(1.0)
        return f"the planner's process ended (exit code {self.process.exitcode})"

    def send(self, message: Any) -> None:
        """Send a message, which can be pickled.

        Raises:
            PlannerGone: the process ended.
        """
        with self.asking():
            self._pipe.send(message)

    def receive(self) -> Any:
        """The next message of the process, however long it takes.

        Raises:
            PlannerGone: the process ended.
        """
        with self.asking():
            return self._pipe.recv()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Turn errors of the pipe into those of the planner.

        Raises:
            PlannerSilent: by TimeoutError.
            PlannerGone: the process ended.
        """
        try:
            yield
        except TimeoutError as error:
            raise PlannerSilent(str(error)) from error
        except (EOFError, OSError) as error:
            raise PlannerGone(self.end) from error

    def kill(self) -> None:
        """End the process at once; this also wakes a thread that waits for its pipe."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.join()
            process.close()


def questions(pipe: Pipe) -> Iterator[Any]:
    """The messages to a process, until the other end of its pipe is closed."""
    with suppress(EOFError, OSError):
        while True:
            yield pipe.recv()


def answer(pipe: Pipe, message: Any) -> None:
    """Send a message to the parent, unless it has closed its end of the pipe."""
    with suppress(OSError):
        pipe.send(message)


def _begin(work: Callable[..., None], pipe: Pipe, *arguments: Any) -> None:
    signals.leave_to_parent(signal.SIGINT)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    work(pipe, *arguments)


def _exit_with_parent() -> None:
    """End this process with its parent, even while a planner loops for ever and never reads the pipe."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
