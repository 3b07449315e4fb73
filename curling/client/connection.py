"""Messages exchanged with a server over TCP, or over standard input and output."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from bonspiel.curling.client.exit_status import ConnectionLost, NoSuchHost, no_connection
from bonspiel.curling.client.message_log import FROM_SERVER, TO_SERVER, MessageLog
from bonspiel.curling.protocols import ProtocolError, check_kind
from bonspiel.curling.protocols.tcp import keep_alive

INPUT, OUTPUT = 0, 1  # file descriptors
IDLE = 10  # s of silence before probes; a dead server is detected within 40 s

M = TypeVar("M")
T = TypeVar("T")


class MessageFormat(NamedTuple):
    """The functions of a protocol, the bytes that end a message, the longest message in bytes, and how to log one."""

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    end: bytes
    longest: int
    log: Callable[[MessageLog, str, bytes], None]


@dataclass
class Connection:
    """Sends, receives and logs messages.

    Attributes:
        address: of the server, for people.
        delay: time that connecting took, s.
        received: when the last message arrived, in `time.monotonic` seconds.
    """

    reader: asyncio.StreamReader
    write: Callable[[bytes], Awaitable[None]]
    wire: MessageFormat
    log: MessageLog
    address: str
    delay: float = 0.0
    received: float = field(default_factory=time.monotonic, init=False)
    _next: asyncio.Task[tuple[bytes, float]] | None = field(default=None, init=False)

    async def receive(self) -> Any:
        """The next message; waits without a time limit.

        Raises:
            ConnectionLost: the server has closed the connection.
            ProtocolError: an invalid message.
        """
        pending, self._next = self._next or asyncio.create_task(self._read()), None
        text, self.received = await pending
        try:
            message = self.wire.decode(text)
        except ProtocolError:
            self.log.write_raw(FROM_SERVER, text)
            raise
        self.wire.log(self.log, FROM_SERVER, text)
        return message

    async def request(self, message: Any, kind: type[M]) -> tuple[M, float]:
        """Send a message; the answer, of this kind, and the time until it arrived, s."""
        sent = time.monotonic()
        await self.send(message)
        return await self.expect(kind), self.received - sent

    async def expect(self, kind: type[M]) -> M:
        """The next message, which must be of this kind.

        Raises:
            ConnectionLost: the server has closed the connection.
            ProtocolError: an invalid message, or one of another kind.
        """
        return check_kind(await self.receive(), kind)

    async def send(self, message: Any) -> None:
        """Send a message.

        Raises:
            ConnectionLost: the server has closed the connection.
        """
        text = self.wire.encode(message)
        try:
            await self.write(text)
        except OSError as error:
            raise ConnectionLost(f"the server has closed the connection ({error.strerror or error})") from error
        self.wire.log(self.log, TO_SERVER, text)

    async def run_while_open(self, work: Awaitable[T]) -> T:
        """Run some work, and cancel it if the server closes the connection meanwhile.

        Raises:
            ConnectionLost: the server has closed the connection.
        """
        task, self._next = asyncio.ensure_future(work), self._next or asyncio.create_task(self._read())
        try:
            await asyncio.wait({task, self._next}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self._next.result()  # an early message is left for `receive`
            return await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self, writer: asyncio.StreamWriter) -> None:
        """Stop reading, and close the stream."""
        if self._next is not None:
            self._next.cancel()
            await asyncio.gather(self._next, return_exceptions=True)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def _read(self) -> tuple[bytes, float]:
        try:
            text = await self.reader.readuntil(self.wire.end)
        except asyncio.IncompleteReadError as error:
            middle = " in the middle of a message" if error.partial else ""
            raise ConnectionLost(f"the server has closed the connection{middle}") from None
        except asyncio.LimitOverrunError:
            raise ProtocolError(f"a message of more than {self.wire.longest:,} bytes") from None
        except OSError as error:
            raise ConnectionLost(f"the connection to the server broke ({error.strerror or error})") from error
        return text.removesuffix(self.wire.end), time.monotonic()


@asynccontextmanager
async def tcp_connection(host: str, port: int, wire: MessageFormat, log: MessageLog) -> AsyncIterator[Connection]:
    """Connect to a server, by its name or address, over TCP; `log` takes every message.

    Raises:
        NoSuchHost: no machine can have this name.
        ConnectionLost: the server is unreachable.
    """
    start = time.monotonic()
    try:
        reader, writer = await asyncio.open_connection(host, port, limit=wire.longest)
    except OSError as error:
        raise no_connection(host, port, error.strerror or error) from error
    except UnicodeError as error:
        raise NoSuchHost(f"no connection to {host} port {port} (not the name of a machine)") from error
    delay = time.monotonic() - start
    keep_alive(writer.get_extra_info("socket"), IDLE)

    async def write(text: bytes) -> None:
        writer.write(text)
        await writer.drain()

    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    connection = Connection(reader, write, wire, log, address, delay)
    try:
        yield connection
    finally:
        await connection.close(writer)


@asynccontextmanager
async def stdio_connection(wire: MessageFormat, log: MessageLog) -> AsyncIterator[Connection]:
    """As `tcp_connection`, at this process's standard input and output, which nothing else may use."""
    # a thread reads, since event loops cannot wait for every kind of standard input; the socket pair blocks it while
    # the client does not read
    inner, outer = socket.socketpair()

    def read() -> None:
        with outer, suppress(OSError):  # the client has ended
            while text := os.read(INPUT, 1 << 16):
                outer.sendall(text)

    async def write(text: bytes) -> None:
        while text:
            text = text[os.write(OUTPUT, text) :]

    threading.Thread(target=read, daemon=True).start()
    reader, writer = await asyncio.open_connection(sock=inner, limit=wire.longest)
    connection = Connection(reader, write, wire, log, "standard input and output")
    try:
        yield connection
    finally:
        await connection.close(writer)
