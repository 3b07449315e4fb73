"""A client that has no match yet."""

import asyncio
from collections.abc import Callable

from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.records.record import printable
from bonspiel.curling.server.client_connection import ClientConnection, ClientEvent


class Guest:
    """A client of a lobby, from its arrival to the match.

    Args:
        client: the connection.
        sides: names of the two teams, for the console.
        side: the team that it seems to get, 0 or 1.
        is_bound: whether this is the only team that it may play for.
        name: of the client; None until known.

    Attributes:
        ready: whether a match may begin.
    """

    def __init__(
        self, client: ClientConnection, sides: tuple[str, str], side: int, is_bound: bool, name: str | None
    ) -> None:
        self.client, self._sides, self.side, self.is_bound, self.name = client, sides, side, is_bound, name
        self.ready = False
        self._events: asyncio.Queue[ClientEvent] = asyncio.Queue()
        client.on_event = self._events.put_nowait

    @property
    def label(self) -> str:
        """The side and the name, for the console."""
        side = self._sides[self.side]
        return side if self.name is None else f"{side} {printable(self.name)}"

    def may_meet(self, other: "Guest") -> bool:
        """Return whether the two can play a match against each other."""
        return other is not self and not (self.is_bound and other.is_bound and self.side == other.side)

    async def answer(self, kind: str, seconds: float) -> bytes:
        """The client's next message, which must be of a kind.

        Raises:
            ProtocolError: it does not come in time.
            ClientFault: the client left or broke a limit.
        """
        self.client.resume()
        try:
            async with asyncio.timeout(seconds):
                event = await self._events.get()
        except TimeoutError:
            if self._events.empty():  # else it arrived in time, while matches delayed this one
                raise ProtocolError(f"no {kind} within {seconds:g} s") from None
            event = self._events.get_nowait()
        return event.text

    def watch(self, on_event: Callable[[ClientEvent], None]) -> None:
        """Pass on what the client does from now on."""
        self.client.on_event = on_event
        while not self._events.empty():
            on_event(self._events.get_nowait())
        self.client.resume()
