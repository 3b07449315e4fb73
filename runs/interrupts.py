"""Ctrl-C, SIGTERM as a batch system sends it, SIGHUP as a closed terminal does: in coroutines too, and at the end."""

import os
import signal
import stat
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


class Terminated(KeyboardInterrupt):
    """SIGTERM; whatever cleans up after Ctrl-C cleans up after it as well."""


class HungUp(Terminated):
    """SIGHUP."""


RAISED: Mapping[int, type[KeyboardInterrupt]] = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
UNTOUCHED: Mapping[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
if hasattr(signal, "SIGHUP"):
    RAISED = {**RAISED, signal.SIGHUP: HungUp}
    UNTOUCHED = {**UNTOUCHED, signal.SIGHUP: signal.SIG_DFL}  # nohup ignores it


def status(error: KeyboardInterrupt) -> int:
    """The exit status of a program that the signal has ended, as shells have it: 128 and the signal's number."""
    return 128 + next((number for number, raised in RAISED.items() if raised is type(error)), signal.SIGINT)


@contextmanager
def safe() -> Iterator[None]:
    """Raise KeyboardInterrupt by Ctrl-C, Terminated by SIGTERM and HungUp by SIGHUP."""
    main = threading.current_thread() is threading.main_thread()
    with _replaced(UNTOUCHED, _interrupt) if main else nullcontext():
        yield


def end_at_once() -> None:
    """Let Ctrl-C end the process silently from now on, since its work is done."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Within `safe`, run a coroutine as `asyncio.run` does; a signal cancels it between two callbacks of the loop.

    KeyboardInterrupt in the middle of the loop's own work may leave the loop waiting for ever; asyncio's own handler,
    which cancels there, may break the callback it interrupts.
    """
    import asyncio  # late, so that --help is fast

    received: list[int] = []

    async def cancellable() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def cancel(number: int, frame: FrameType | None) -> None:
            received.append(number)
            _leave_terminal(number)
            loop.call_soon_threadsafe(task.cancel)

        with _replaced(dict.fromkeys(RAISED, _interrupt), cancel):
            return await main

    try:
        result = asyncio.run(cancellable())
    except asyncio.CancelledError:
        if not received:
            raise
    if received:
        raise RAISED[received[0]]
    return result


def _leave_terminal(number: int) -> None:
    """Write to nowhere in place of a terminal that was closed, which would refuse all output of cleaning up."""
    if RAISED[number] is HungUp:
        for descriptor in (1, 2):
            with suppress(OSError):  # closed
                if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
                    with open(os.devnull, "wb") as nowhere:
                        os.dup2(nowhere.fileno(), descriptor)


@contextmanager
def _replaced(before: Mapping[int, Any], handler: Callable[..., None]) -> Iterator[None]:
    """Handle signals by `handler` within this block, where their present handler is that in `before`."""
    ours = {number: expected for number, expected in before.items() if signal.getsignal(number) is expected}
    try:
        for number in ours:
            signal.signal(number, handler)
        yield
    finally:
        for number, expected in ours.items():
            signal.signal(number, expected)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _leave_terminal(number)
    raise RAISED[number]
