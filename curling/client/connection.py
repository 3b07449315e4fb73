"""A conversation of messages with a server over TCP, or over standard input and output."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from curling.client.log import FROM_SERVER, TO_SERVER, MessageLog
from curling.client.status import ConnectionLost, no_connection
from curling.protocols import ProtocolError
from curling.protocols.tcp import keep_alive

INPUT, OUTPUT = 0, 1  # file descriptors
IDLE = 10  # s of silence; a dead server is noticed within 40 s

M = TypeVar("M")
T = TypeVar("T")


class Wire(NamedTuple):
    """How messages are written: functions of a protocol, what ends a message, and the longest one, bytes."""

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    end: bytes
    longest: int
    log: Callable[[MessageLog, str, bytes], None]


class Connection:
    """Sends and receives whole messages, and logs them.

    Args:
        reader: of what the server sends.
        write: sends bytes.
        wire: the protocol.
        log: takes every message.

    Attributes:
        received: when the last message came, as `time.monotonic` says.
    """

    def __init__(
        self, reader: asyncio.StreamReader, write: Callable[[bytes], Awaitable[None]], wire: Wire, log: MessageLog
    ) -> None:
        """Begin."""
        self._reader, self._write, self._wire, self._log = reader, write, wire, log
        self._ahead: asyncio.Task[tuple[bytes, float]] | None = None
        self.received = time.monotonic()

    async def receive(self) -> Any:
        """The next message; a server may take its time.

        Raises:
            ConnectionLost: there is none.
            ProtocolError: it is not of the protocol.
        """
        ahead, self._ahead = self._look_ahead(), None
        text, self.received = await ahead
        try:
            message = self._wire.decode(text)
        except ProtocolError:
            self._log.raw(FROM_SERVER, text)
            raise
        self._wire.log(self._log, FROM_SERVER, text)
        return message

    async def ask(self, message: Any, kind: type[M]) -> tuple[M, float]:
        """Send a message: the answer, as `expect` takes it, and how long it took, s."""
        asked = time.monotonic()
        await self.send(message)
        return await self.expect(kind), self.received - asked

    async def expect(self, kind: type[M]) -> M:
        """The next message, which must be of this kind.

        Raises:
            ConnectionLost: there is none.
            ProtocolError: it is another one.
        """
        message = await self.receive()
        if not isinstance(message, kind):
            raise ProtocolError(f"{type(message).__name__} came where {kind.__name__} was due")
        return message

    async def send(self, message: Any) -> None:
        """Send a message.

        Raises:
            ConnectionLost: the server is gone.
        """
        text = self._wire.encode(message)
        try:
            await self._write(text)
        except OSError as error:
            raise ConnectionLost(f"the server has closed the connection ({error.strerror or error})") from error
        self._wire.log(self._log, TO_SERVER, text)

    async def during(self, work: Awaitable[T]) -> T:
        """What some work comes to, unless the server closes the connection meanwhile.

        Raises:
            ConnectionLost: it did; the work is cancelled.
        """
        task, self._ahead = asyncio.ensure_future(work), self._look_ahead()
        try:
            await asyncio.wait({task, self._ahead}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self._ahead.result()  # a message that came too early is left for `receive`
            return await task
        finally:
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def close(self) -> None:
        """Stop reading."""
        if self._ahead is not None:
            self._ahead.cancel()
            with suppress(asyncio.CancelledError, ConnectionLost, ProtocolError):
                await self._ahead

    def _look_ahead(self) -> asyncio.Task[tuple[bytes, float]]:
        return self._ahead or asyncio.create_task(self._read())

    async def _read(self) -> tuple[bytes, float]:
        try:
            text = await self._reader.readuntil(self._wire.end)
        except asyncio.IncompleteReadError as error:
            middle = " in the middle of a message" if error.partial else ""
            raise ConnectionLost(f"the server has closed the connection{middle}") from None
        except asyncio.LimitOverrunError:
            raise ProtocolError(f"a message of more than {self._wire.longest:,} bytes") from None
        except OSError as error:
            raise ConnectionLost(f"the connection to the server broke ({error.strerror or error})") from error
        return text.removesuffix(self._wire.end), time.monotonic()


class Tcp:
    """A connection over TCP, as an asynchronous context manager.

    Args:
        host: name or address.
        port: of the server.
        wire: the protocol.
        log: takes every message.

    Attributes:
        seconds: that it took to connect.
        place: of the server, in words.
    """

    def __init__(self, host: str, port: int, wire: Wire, log: MessageLog) -> None:
        """Nothing is connected yet."""
        self.host, self.port, self.wire, self.log = host, port, wire, log
        self.place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.seconds = 0.0

    async def __aenter__(self) -> Connection:
        """Connect.

        Raises:
            ConnectionLost: nothing listens there.
        """
        start = time.monotonic()
        try:
            reader, self._writer = await asyncio.open_connection(self.host, self.port, limit=self.wire.longest)
        except (OSError, UnicodeError) as error:  # the latter are names that no machine can have
            reason = "not the name of a machine" if isinstance(error, UnicodeError) else error.strerror or error
            raise no_connection(self.host, self.port, reason) from error
        self.seconds = time.monotonic() - start
        keep_alive(self._writer.get_extra_info("socket"), IDLE)

        async def write(text: bytes) -> None:
            self._writer.write(text)
            await self._writer.drain()

        self._connection = Connection(reader, write, self.wire, self.log)
        return self._connection

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        await self._connection.close()
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


class Standard:
    """A connection over this process's standard input and output, which nobody else may use; as `Tcp`.

    Args:
        wire: the protocol.
        log: takes every message.
    """

    seconds, place = 0.0, "standard input and output"

    def __init__(self, wire: Wire, log: MessageLog) -> None:
        """Nothing is read yet."""
        self.wire, self.log = wire, log

    async def __aenter__(self) -> Connection:
        """Begin to read."""
        # a thread, since event loops cannot wait for every kind of standard input; the sockets make it wait in turn
        # while the client does not read
        inner, outer = socket.socketpair()

        def read() -> None:
            with outer, suppress(OSError):  # the client has ended
                while text := os.read(INPUT, 1 << 16):
                    outer.sendall(text)

        threading.Thread(target=read, daemon=True).start()
        reader, self._writer = await asyncio.open_connection(sock=inner, limit=self.wire.longest)
        self._connection = Connection(reader, _write_out, self.wire, self.log)
        return self._connection

    async def __aexit__(self, *_: object) -> None:
        """Stop reading."""
        await self._connection.close()
        self._writer.close()
        await self._writer.wait_closed()


async def _write_out(text: bytes) -> None:
    while text:
        text = text[os.write(OUTPUT, text) :]
