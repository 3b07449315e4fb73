"""Ctrl-C while compiled code is called."""

import _thread
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any, TypeVar

LATER = 0.001  # s

T = TypeVar("T")


@contextmanager
def safe() -> Iterator[None]:
    """Delay Ctrl-C while numba would crash by it; elsewhere it raises KeyboardInterrupt as usual.

    To hand a Generator to compiled code, numba calls `ctypes.cast`, and takes for granted that it returns
    (numba/core/boxing.py, `wire_in_fnptrs`).
    """
    main = threading.current_thread() is threading.main_thread()
    with _replaced(signal.default_int_handler, _interrupt) if main else nullcontext():
        yield


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Within `safe`, run a coroutine as `asyncio.run` does; Ctrl-C cancels it between two callbacks of the loop.

    KeyboardInterrupt in the middle of the loop's own work may leave the loop waiting for ever; asyncio's own handler,
    which cancels there, may break the callback it interrupts.

    Raises:
        KeyboardInterrupt: by Ctrl-C, after the coroutine has cleaned up.
    """
    import asyncio  # late, so that --help is fast

    interrupted = False

    async def cancellable() -> T:
        nonlocal interrupted
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def cancel(number: int, frame: FrameType | None) -> None:
            nonlocal interrupted
            interrupted = True
            loop.call_soon_threadsafe(task.cancel)

        with _replaced(_interrupt, cancel):
            return await main

    try:
        result = asyncio.run(cancellable())
    except asyncio.CancelledError:
        if not interrupted:
            raise
    if interrupted:
        raise KeyboardInterrupt
    return result


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
