import asyncio
import ctypes
import signal
import threading

import pytest

from runs import interrupts


def test_ctrl_c_is_raised_at_once():
    returned = []
    with pytest.raises(KeyboardInterrupt), interrupts.safe():
        signal.raise_signal(signal.SIGINT)
        returned.append("done")
    assert returned == []


def test_ctrl_c_waits_until_a_cast_has_returned(monkeypatch):
    returned = []

    def cast():
        if threading.current_thread() is threading.main_thread():  # a thread left by another test may call it too
            signal.raise_signal(signal.SIGINT)
            returned.append("cast")

    monkeypatch.setattr(ctypes, "cast", cast)
    with pytest.raises(KeyboardInterrupt), interrupts.safe():
        cast()
        returned.append("after")
        threading.Event().wait(60.0)
        returned.append("never interrupted")
    assert returned == ["cast", "after"]


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
