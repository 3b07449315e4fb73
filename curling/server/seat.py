"""One client's connection: whole messages in, bytes out, both within bounds whatever the client does."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, cast

from curling.protocols.tcp import keep_alive

MOST_UNSENT = 4 << 20  # bytes that a client has not taken yet
IDLE = 30  # s of silence; a client whose machine is gone is missed within a minute, even where no clock runs
DRAIN_SECONDS = 10.0  # for a client to take what it is about to answer


class Fault(Exception):
    """What ends a match without a result; the text is one line."""


class Said(NamedTuple):
    """Something that a client did: it sent a message, or (no message) cannot be listened to any more.

    Attributes:
        message: without its end mark.
        when: by the server's clock, s.
        fault: what it did, if there is no message.
    """

    message: bytes | None
    when: float
    fault: str = "left"

    @property
    def text(self) -> bytes:
        """The message.

        Raises:
            Fault: there is none.
        """
        if self.message is None:
            raise Fault(self.fault)
        return self.message


class Seat(asyncio.Protocol):
    """The server's side of a connection.

    One message at a time is handed to `hear`; the next one only after `listen`, and until then the client is made to
    wait, so that nothing grows with what it sends.

    Args:
        end: byte that ends a message.
        longest: message, in bytes.
        clock: s.
        arrived: called with the seat once it is connected; it sets `hear`.

    Attributes:
        hear: called with what the client does.
        address: of the client.
        id: that it has logged in with, where clients do.
        gone: whether the connection is over.
    """

    def __init__(
        self, end: bytes, longest: int, clock: Callable[[], float], arrived: Callable[["Seat"], object]
    ) -> None:
        """A seat that nobody has taken yet."""
        self._end, self._longest, self._clock, self._arrived = end, longest, clock, arrived
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._busy = self._deaf = self.gone = False
        self._empty = asyncio.Event()
        self._left = asyncio.Event()
        self.hear: Callable[[Said], None] = lambda said: None
        self.address, self.id = "?", ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=0)
        self._empty.set()
        peer = transport.get_extra_info("peername")
        self.address = f"{peer[0]}:{peer[1]}" if peer else "?"
        keep_alive(transport.get_extra_info("socket"), IDLE)
        self._arrived(self)

    def data_received(self, data: bytes) -> None:
        """Collect messages."""
        if not (self.gone or self._deaf):
            self._buffer += data
            self._hand_over()

    def eof_received(self) -> bool:
        """A client that stops talking has left, as the reference server sees it; what it has not read is lost."""
        if self._transport is not None:
            self._transport.abort()
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """The client left, or was sent away."""
        self._left.set()
        self._empty.set()
        if not self.gone:
            self.gone = True
            self.hear(Said(None, self._clock()))

    def pause_writing(self) -> None:
        """The system takes no more."""
        self._empty.clear()

    def resume_writing(self) -> None:
        """The system has taken everything."""
        self._empty.set()

    def listen(self) -> None:
        """Hand over the next message when it is there."""
        self._busy = False
        if not self.gone and self._transport is not None:
            self._transport.resume_reading()
            self._hand_over()

    def send(self, *messages: bytes) -> None:
        """Send messages, end marks included; nothing happens if the client has left.

        Raises:
            Fault: it has not read for too long.
        """
        if self.gone or self._transport is None:
            return
        self._transport.write(b"".join(messages))
        if self._transport.get_write_buffer_size() > MOST_UNSENT:
            raise Fault("does not read what it is sent")

    async def taken(self) -> float:
        """When the system had taken all that was sent, s by the server's clock.

        Raises:
            Fault: it takes too long.
        """
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._empty.wait()
        except TimeoutError:
            raise Fault("does not read what it is sent") from None
        return self._clock()

    async def left(self, seconds: float) -> None:
        """Wait until the client has left, at most so long; what it sends is not looked at any more."""
        self._deaf = True
        self._buffer.clear()
        self.listen()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._left.wait()

    def close(self) -> None:
        """End the connection at once; what was not sent is lost."""
        self.gone = True
        self._buffer.clear()
        if self._transport is not None:
            self._transport.abort()

    def _hand_over(self) -> None:
        """Hand over one message if there is one, and read on only if there is none."""
        if self._busy or self._transport is None:
            return
        at = self._buffer.find(self._end)
        if at < 0 and len(self._buffer) <= self._longest:
            return
        self._busy = True
        self._transport.pause_reading()
        now = self._clock()
        if at < 0 or at > self._longest:
            self._buffer.clear()
            self.hear(Said(None, now, f"sent a message of more than {self._longest} bytes"))
            return
        message = bytes(self._buffer[:at])
        del self._buffer[: at + 1]
        self.hear(Said(message, now))
