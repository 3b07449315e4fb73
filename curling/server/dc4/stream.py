"""The stream of events to one listener of a match, with bounded memory."""

import asyncio
from collections.abc import AsyncIterator

MOST_WAITING = 64  # events, of about 2 kB, that are not sent yet; one that listens so slowly loses its stream
PING_SECONDS = 8.0  # without an event; the public client takes a stream for dead after 15 s
PING = b": ping\n\n"


class Dc4Stream:
    """A stream of events.

    Args:
        team: of the listener, 0 or 1; None for a viewer.
    """

    def __init__(self, team: int | None) -> None:
        self.team = team
        self._events: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, *events: bytes) -> None:
        """Send events, unless too many wait already."""
        if self._events.qsize() + len(events) > MOST_WAITING:
            self.end()
            return
        for event in events:
            self._events.put_nowait(event)

    def end(self) -> None:
        """Send nothing more, and drop what is not sent yet."""
        while not self._events.empty():
            self._events.get_nowait()
        self._events.put_nowait(None)

    async def messages(self) -> AsyncIterator[bytes]:
        """The events, with pings in silence."""
        while True:
            try:
                async with asyncio.timeout(PING_SECONDS):
                    event = await self._events.get()
            except TimeoutError:
                event = PING
            if event is None:
                return
            yield event
