import asyncio
import signal

import pytest

from bonspiel.runs import interrupts


@pytest.fixture(autouse=True)
def untouched():
    """The handlers of a fresh process: a test of Ray leaves its own."""
    before = {number: signal.signal(number, handler) for number, handler in interrupts.UNTOUCHED.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_is_raised_at_once(number, status):
    returned = []
    with pytest.raises(KeyboardInterrupt) as raised, interrupts.safe():
        signal.raise_signal(number)
        returned.append("done")
    assert returned == [] and interrupts.status(raised.value) == status


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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
