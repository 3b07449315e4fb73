"""Signals that end a practice server."""

import asyncio
import signal
import threading
import time

import pytest

from bonspiel.curling.server.serve import signal_before, signals_caught


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals reach threads on POSIX alone")
async def test_a_signal_that_reaches_another_thread_is_met_soon():
    def strike():
        time.sleep(0.1)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    with signals_caught() as signals:
        threading.Thread(target=strike).start()
        assert await asyncio.wait_for(signal_before(asyncio.Event(), signals), 10.0) == signal.SIGINT
