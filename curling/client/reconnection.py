"""Waits for a server that is not up yet, and connects again to one that goes before the match has begun."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from bonspiel.curling.client.exit_status import ConnectionLost, NoSuchHost
from bonspiel.curling.client.match_player import MatchPlayer
from bonspiel.curling.client.planning.patience import Patience

RETRY = 0.5  # s between two attempts


async def play_when_up(attempt: Callable[[], Awaitable[None]], player: MatchPlayer, wait: float) -> None:
    """Attempt to play a match, again and again until it has begun.

    Args:
        attempt: connects, and plays the match with the player.
        player: knows whether the match has begun, and takes a line when the wait begins.
        wait: s for the server to come up and to answer, all attempts together; a server that answered, and then stayed
            for longer, starts them anew.

    Raises:
        ConnectionLost: the match had begun, or the server did not come up or answer in time.
    """
    reported, player.patience = False, Patience(player.report, wait)
    while True:
        start = time.monotonic()
        try:
            await attempt()
            return
        except ConnectionLost as error:
            if player.begun or isinstance(error, NoSuchHost):
                raise
            if player.patience.answered and time.monotonic() - start > wait:
                reported, player.patience = False, Patience(player.report, wait)
            if wait == 0.0 or player.patience.left < RETRY:
                raise
            if not reported:
                reported = True
                player.log.write_note(str(error))
                player.report(f"{error}; connecting again for {round(player.patience.left, 1):g} s")
        await asyncio.sleep(RETRY)
        player.patience.left -= RETRY
