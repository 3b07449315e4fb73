"""Signals that reach every process of a terminal or of a batch job, and that the parent of workers handles for all."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType


@contextmanager
def held_back(*numbers: int) -> Iterator[None]:
    """Hold back signals until the block ends, and in processes that start in it until they call `leave_to_parent`."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # loky's processes need it, and its start lets signals through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_to_parent(*numbers: int) -> None:
    """Take no notice of these signals in this process from now on; its parent ends it."""
    for number in numbers:
        # programs that a worker starts inherit SIG_IGN: Ctrl-C is left to their worker, but SIGTERM shall end them
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else _nothing)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def _nothing(number: int, frame: FrameType | None) -> None:
    """Do nothing."""
