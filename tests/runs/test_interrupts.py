import asyncio
import signal
import subprocess
import sys

import pytest

from runs import interrupts


def test_ctrl_c_is_raised_at_once():
    returned = []
    with pytest.raises(KeyboardInterrupt), interrupts.safe():
        signal.raise_signal(signal.SIGINT)
        returned.append("done")
    assert returned == []


# a program that was started in the background ignores SIGINT
RESTORED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
DELAYED = """
import ctypes, signal, threading
from runs import interrupts

def cast():
    signal.raise_signal(signal.SIGINT)
    print("cast")

ctypes.cast = cast
try:
    with interrupts.safe():
        cast()
        print("after")
        threading.Event().wait(60.0)
        print("never interrupted")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_waits_until_a_cast_has_returned():
    # in a process of its own, because threads and signals left by other tests would meddle
    result = subprocess.run([sys.executable, "-c", RESTORED + DELAYED], capture_output=True, text=True, timeout=120)
    assert result.stdout.split() == ["cast", "after", "interrupted"], result.stderr


def test_asyncio_deals_with_ctrl_c_itself_where_it_is_left_to_it():
    """The handler is asyncio's own: it returns, and the main task is cancelled where it waits."""
    passed = []

    async def match():
        signal.raise_signal(signal.SIGINT)
        passed.append("after the signal")
        try:
            await asyncio.sleep(60.0)
        except asyncio.CancelledError:
            passed.append("cancelled")
            raise

    with interrupts.safe():
        mine = signal.getsignal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), interrupts.left_to_asyncio():
            asyncio.run(match())
        assert signal.getsignal(signal.SIGINT) is mine
    assert passed == ["after the signal", "cancelled"]


def test_handlers_are_as_before():
    before = signal.getsignal(signal.SIGINT)
    with interrupts.safe():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.safe():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
