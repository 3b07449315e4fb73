"""Ctrl-C while compiled code is called."""

import _thread
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType

LATER = 0.001  # s


@contextmanager
def safe() -> Iterator[None]:
    """Delay Ctrl-C while numba would crash by it; elsewhere it raises KeyboardInterrupt as usual.

    To hand a Generator to compiled code, numba calls `ctypes.cast`, and takes for granted that it returns
    (numba/core/boxing.py, `wire_in_fnptrs`).
    """
    main = threading.current_thread() is threading.main_thread()
    with _replaced(signal.default_int_handler, _interrupt) if main else nullcontext():
        yield


@contextmanager
def left_to_asyncio() -> Iterator[None]:
    """Let asyncio deal with Ctrl-C in its own way, for programs that call no compiled code: it cancels the main task.

    KeyboardInterrupt in the middle of the loop's own work may leave the loop waiting for ever.
    """
    with _replaced(_interrupt, signal.default_int_handler):
        yield


@contextmanager
def _replaced(before: Callable[..., None], handler: Callable[..., None]) -> Iterator[None]:
    if signal.getsignal(signal.SIGINT) is not before:
        yield
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    outer = frame
    while outer is not None and outer.f_code is not ctypes.cast.__code__:
        outer = outer.f_back
    if outer is None:
        raise KeyboardInterrupt
    # not by threading.Timer, whose start waits for its thread: on a busy machine until the signal is there
    _thread.start_new_thread(_send, (threading.get_ident(), number))


def _send(thread: int, number: int) -> None:
    time.sleep(LATER)
    signal.pthread_kill(thread, number)
