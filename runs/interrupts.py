"""Ctrl-C while compiled code is called."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

LATER = 0.001  # s


@contextmanager
def safe() -> Iterator[None]:
    """Delay Ctrl-C while numba would crash by it; elsewhere it raises KeyboardInterrupt as usual.

    To hand a Generator to compiled code, numba calls `ctypes.cast`, and takes for granted that it returns
    (numba/core/boxing.py, `wire_in_fnptrs`).
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def left_to_asyncio() -> Iterator[None]:
    """Let asyncio deal with Ctrl-C in its own way, for programs that call no compiled code: it cancels the main task.

    KeyboardInterrupt in the middle of the loop's own work may leave the loop waiting for ever.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not _interrupt:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if frame is None or frame.f_code is not ctypes.cast.__code__:
        raise KeyboardInterrupt
    threading.Timer(LATER, signal.pthread_kill, [threading.get_ident(), number]).start()
