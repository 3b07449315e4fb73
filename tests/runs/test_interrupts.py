import asyncio
import os
import signal
import subprocess
import sys

import pytest

from bonspiel.runs import interrupts

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
if hasattr(signal, "SIGHUP"):
    SIGNALS.append((signal.SIGHUP, 129))

IN_A_TERMINAL = """
import fcntl, os, sys, termios, time
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from bonspiel.runs import interrupts
try:
    with interrupts.safe():
        print("ready", flush=True)
        time.sleep(60.0)
except KeyboardInterrupt as error:
    print("cleaned up", flush=True)
    sys.exit(interrupts.status(error))
"""


@pytest.fixture(autouse=True)
def untouched():
    """The handlers of a fresh process: a test of Ray leaves its own."""
    before = {number: signal.signal(number, handler) for number, handler in interrupts.UNTOUCHED.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_signal_is_raised_at_once(number, status):
    returned = []
    with pytest.raises(KeyboardInterrupt) as raised, interrupts.safe():
        signal.raise_signal(number)
        returned.append("done")
    assert returned == [] and interrupts.status(raised.value) == status


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_signal_cancels_a_coroutine_between_two_callbacks_of_the_loop(number, status):
    passed = []

    async def match():
        waiting = asyncio.get_running_loop().create_future()

        def connected():
            signal.raise_signal(number)
            waiting.set_result(None)  # InvalidStateError if the signal had cancelled it here
            passed.append("connected")

        asyncio.get_running_loop().call_soon(connected)
        try:
            await waiting
            passed.append("not cancelled")
        finally:
            await asyncio.sleep(0.0)
            passed.append("cleaned up")

    with interrupts.safe():
        mine = signal.getsignal(number)
        with pytest.raises(KeyboardInterrupt) as raised:
            interrupts.run_async(match())
        assert signal.getsignal(number) is mine
    assert passed == ["connected", "cleaned up"] and interrupts.status(raised.value) == status


def test_a_coroutine_that_cancels_itself_was_not_interrupted():
    async def match():
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError), interrupts.safe():
        interrupts.run_async(match())


@pytest.mark.parametrize("number", interrupts.RAISED)
def test_handlers_are_as_before(number):
    before = signal.getsignal(number)
    with interrupts.safe():
        assert signal.getsignal(number) is not before
    assert signal.getsignal(number) is before
    signal.signal(number, signal.SIG_IGN)
    try:
        with interrupts.safe():
            assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)


def test_a_closed_terminal_takes_no_more_output():
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", IN_A_TERMINAL], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    assert os.read(ours, 100).split() == [b"ready"]
    os.close(ours)
    assert process.wait(30.0) == 129
