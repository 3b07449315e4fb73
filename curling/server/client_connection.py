"""The server's connection to one client: complete messages in, bytes out, with bounded memory in both directions."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, NamedTuple, cast

from bonspiel.curling.protocols.tcp import has_room, keep_alive

MOST_UNSENT = 4 << 20  # bytes sent that the client has not read
IDLE = 30  # s of silence before probes; a dead client is detected within a minute, even where no clock runs
DRAIN_SECONDS = 10.0  # for a client to read everything before it must answer


class Fault(NamedTuple):
    """What a client did wrong.

    Attributes:
        kind: "left": it left. "limit": it broke a limit of the connection. "turn": it sent a message in the other
            team's turn. "protocol": it sent a message that the protocol does not allow, or none in time.
        text: the same for people: the end of a line that begins with the client.
    """

    kind: Literal["left", "limit", "turn", "protocol"]
    text: str

    def line(self, client: str) -> str:
        """The line about a client."""
        return f"{client}: {self.text}" if self.kind == "protocol" else f"{client} {self.text}"


LEFT = Fault("left", "left")
UNREAD = Fault("limit", "does not read the messages sent to it")


class ClientFault(Exception):
    """A client's fault, which ends its match without a result; the text is one line.

    Attributes:
        fault: the fault.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


class ClientEvent(NamedTuple):
    """A client sent a message or, if there is no message, left or broke a limit."""

    message: bytes | None  # without its end mark
    when: float  # s, by the server's clock
    fault: Fault = LEFT  # the client's, if there is no message

    @property
    def text(self) -> bytes:
        """The message.

        Raises:
            ClientFault: there is no message.
        """
        if self.message is None:
            raise ClientFault(self.fault)
        return self.message


class ClientConnection(asyncio.Protocol):
    """The server's side of a connection.

    After each message that it passes to `on_event`, it stops reading until `resume`, so that a client cannot fill the
    server's memory.

    Args:
        end: byte that ends a message.
        longest: bytes of the longest message.
        clock: s.
        connected: called with this object once it is connected; must set `on_event`.

    Attributes:
        on_event: called with each `ClientEvent`.
        address: of the client.
        id: of the client's login, in protocols with a login.
        closed: whether the connection is closed.
    """

    def __init__(
        self, end: bytes, longest: int, clock: Callable[[], float], connected: Callable[["ClientConnection"], object]
    ) -> None:
        self._end, self._longest, self._clock, self._connected = end, longest, clock, connected
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._paused = self._ignoring = self.closed = False
        self._drained = asyncio.Event()
        self._lost = asyncio.Event()
        self.on_event: Callable[[ClientEvent], None] = lambda event: None
        self.address, self.id = "?", ""

    @property
    def lost(self) -> bool:
        """Return whether the connection is gone."""
        return self._lost.is_set()

    @property
    def has_room(self) -> bool:
        """Return whether the server may open many more files beside this new connection."""
        return self._transport is None or has_room(self._transport.get_extra_info("socket"))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=0)
        self._drained.set()
        peer = transport.get_extra_info("peername")
        self.address = f"{peer[0]}:{peer[1]}" if peer else "?"
        keep_alive(transport.get_extra_info("socket"), IDLE)
        self._connected(self)

    def data_received(self, data: bytes) -> None:
        """Collect messages."""
        if not (self.closed or self._ignoring):
            self._buffer += data
            self._emit_message()

    def eof_received(self) -> bool:
        """Treat a client that stops sending as one that left, as the reference server does; unread data is lost."""
        if self._transport is not None:
            self._transport.abort()
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """Report that the client left, unless the server closed the connection."""
        self._lost.set()
        self._drained.set()
        if not self.closed:
            self.closed = True
            self.on_event(ClientEvent(None, self._clock()))

    def pause_writing(self) -> None:
        """Note that data waits to be sent."""
        self._drained.clear()

    def resume_writing(self) -> None:
        """Note that all data is sent."""
        self._drained.set()

    def resume(self) -> None:
        """Read on, up to the next message."""
        self._paused = False
        if not self.closed and self._transport is not None:
            self._transport.resume_reading()
            self._emit_message()

    def send(self, text: bytes) -> None:
        """Send messages with their end marks; ignored if the client has left.

        Raises:
            ClientFault: the client has not read for too long.
        """
        if self.closed or self._transport is None:
            return
        self._transport.write(text)
        if self._transport.get_write_buffer_size() > MOST_UNSENT:
            raise ClientFault(UNREAD)

    async def wait_drained(self) -> float:
        """Wait until all data is sent; the time then, s by the server's clock.

        Raises:
            ClientFault: this takes too long.
        """
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._drained.wait()
        except TimeoutError:
            raise ClientFault(UNREAD) from None
        return self._clock()

    async def wait_lost(self, seconds: float) -> None:
        """Wait at most this long for the client to leave, and ignore its messages."""
        self._ignoring = True
        self._buffer.clear()
        self.resume()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._lost.wait()

    def close(self) -> None:
        """Close the connection at once; unsent data is lost."""
        self.closed = True
        self._buffer.clear()
        if self._transport is not None:
            self._transport.abort()

    def _emit_message(self) -> None:
        """Pass on one complete message and stop reading, unless reading is paused already."""
        if self._paused or self._transport is None:
            return
        at = self._buffer.find(self._end)
        if at < 0 and len(self._buffer) <= self._longest:
            return
        self._paused = True
        self._transport.pause_reading()
        now = self._clock()
        if at < 0 or at > self._longest:
            self._buffer.clear()
            fault = Fault("limit", f"sent a message of more than {self._longest} bytes")
            self.on_event(ClientEvent(None, now, fault))
            return
        message = bytes(self._buffer[:at])
        del self._buffer[: at + 1]
        self.on_event(ClientEvent(message, now))
