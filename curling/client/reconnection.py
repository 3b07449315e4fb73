"""Waits for a server that is not up yet, and connects again to one that goes before the match has begun."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from curling.client.exit_status import ConnectionLost, NoSuchHost
from curling.client.match_player import MatchPlayer

RETRY = 0.5  # s between two attempts


async def play_when_up(attempt: Callable[[], Awaitable[None]], player: MatchPlayer, wait: float) -> None:
    """Attempt to play a match, again and again until it has begun.

    Args:
        attempt: connects, and plays the match with the player.
        player: knows whether the match has begun, and takes a line when the wait begins.
        wait: s after the first attempt that failed; a connection that lasted for longer starts them anew.

    Raises:
        ConnectionLost: the match had begun, or the server did not come up in time.
    """
    end = None
    while True:
        start = time.monotonic()
        try:
            await attempt()
            return
        except ConnectionLost as error:
            lost = time.monotonic()
            if player.begun or isinstance(error, NoSuchHost):
                raise
            if end is None or lost - start > wait:
                end = lost + wait
                if wait > 0.0:
                    player.log.write_note(str(error))
                    player.report(f"{error}; connecting again for {wait:g} s")
            if lost + RETRY > end:
                raise
        await asyncio.sleep(RETRY)
