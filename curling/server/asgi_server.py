"""Serves an ASGI application in a running event loop, with bounds on connections, requests and waiting.

uvicorn's own server would catch signals, and wait at its end for streams that never end.
"""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import NamedTuple, cast

import h11
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from bonspiel.curling.protocols.tcp import AT_ONCE, BACKLOG, has_room, queue_connections
from bonspiel.planners.core.code.errors import error_text

KEEP_ALIVE = 20  # s between two requests; more than the 15 of aiohttp's clients, as who closes first loses no request
LINGER = 1.0  # s to read on after a refusal: closing at once would destroy an answer that was not read yet


class Limits(NamedTuple):
    """Bounds of a server.

    Attributes:
        connections: at once; requests of as many more are answered with 503, and the rest closed, as are those beyond
            the number of files that the system allows.
        head: bytes of a request without its body; else 400.
        body: bytes of a request's body; else 413.
        request_seconds: from the first byte of a request to its last; else 408.
        unread_seconds: that a client may leave answers unread; then its connection is closed.
    """

    connections: int = 400
    head: int = 16 << 10
    body: int = 64 << 10
    request_seconds: float = 4.0
    unread_seconds: float = 20.0


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at an address and a port, 0 for any free one.

    Raises:
        OSError: the port is in use or not permitted, or the address is not one of this machine.
    """
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, backlog=BACKLOG, dualstack_ipv6=is_dual)
    except OSError as error:  # whose text has the address, which those who tell the error name too
        raise OSError(error.errno, os.strerror(error.errno or 0)) from error


@asynccontextmanager
async def serving(
    app: ASGIApp, sockets: Sequence[socket.socket], report: Callable[[str], None], limits: Limits | None = None
) -> AsyncIterator[None]:
    """Serve an application on listening sockets; in the end everything is closed at once, open streams too.

    Args:
        app: of Starlette, which answers an `HTTPException` that `receive` raises.
        sockets: see `listening_socket`; closed in the end.
        report: takes a line about each error within the application.
        limits: the defaults if None.
    """
    bounds = limits or Limits()
    config = Config(
        _Guard(app, report, bounds.body),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        limit_concurrency=bounds.connections + 1,
        h11_max_incomplete_event_size=bounds.head,
    )
    config.load()
    state, loop = ServerState(), asyncio.get_running_loop()
    listeners = [
        await loop.create_server(lambda: BoundedProtocol(config, state, bounds), sock=one, backlog=AT_ONCE)
        for one in sockets
    ]
    for one in sockets:
        queue_connections(one)
    try:
        yield
    finally:
        for listener in listeners:
            listener.close()
        for connection in tuple(state.connections):
            cast(BoundedProtocol, connection).transport.abort()
        tasks = tuple(state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class BoundedProtocol(H11Protocol):
    """uvicorn's connection to one client, which refuses and closes it where it is too slow or sends no HTTP."""

    def __init__(self, config: Config, state: ServerState, limits: Limits) -> None:
        super().__init__(config, state, {})
        self._limits = limits
        self._request_due: asyncio.TimerHandle | None = None
        self._read_due: asyncio.TimerHandle | None = None
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, unless there are too many even to refuse it."""
        super().connection_made(transport)
        if len(self.connections) > 2 * self._limits.connections or not has_room(transport.get_extra_info("socket")):
            transport.abort()
        else:
            self._watch_request()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(error)
        self._stop_request_timer()
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        """Read requests."""
        if self._refused:
            return
        if self._between_requests():
            self._stop_request_timer()  # the time of a request begins with its first byte
        super().data_received(data)

    def handle_events(self) -> None:
        """Act on what has been read."""
        super().handle_events()
        self._watch_request()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        self._refuse(HTTPStatus.BAD_REQUEST, f"{msg} (or its head is longer than {self._limits.head} bytes)")

    def pause_writing(self) -> None:
        """Give the client some time to read."""
        super().pause_writing()
        self._read_due = self._read_due or self.loop.call_later(self._limits.unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        if self._read_due is not None:
            self._read_due.cancel()
            self._read_due = None

    def _between_requests(self) -> bool:
        return self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]

    def _watch_request(self) -> None:
        """Let the time of an incomplete request run."""
        if self._refused or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_request_timer()
        elif self._request_due is None:
            self._request_due = self.loop.call_later(self._limits.request_seconds, self._request_late)

    def _stop_request_timer(self) -> None:
        if self._request_due is not None:
            self._request_due.cancel()
            self._request_due = None

    def _request_late(self) -> None:
        if self._between_requests():
            self.transport.close()
        else:
            seconds = self._limits.request_seconds
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"the request was not complete after {seconds:g} s")

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        """Answer, if there is no answer yet, and close the connection."""
        self._refused = True
        self._stop_request_timer()
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        body = json.dumps({"detail": detail})
        head = f"HTTP/1.1 {status.value} {status.phrase}", "Content-Type: application/json", "Connection: close"
        self.transport.write("\r\n".join((*head, f"Content-Length: {len(body)}", "", body)).encode())
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(LINGER, self.transport.abort)


class _Guard:
    """Bounds the bodies of requests to an application, and reports its errors in one line."""

    def __init__(self, app: ASGIApp, report: Callable[[str], None], longest: int) -> None:
        self._app, self._report, self._longest = app, report, longest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        declared, received = int(length), 0

        async def receive_some() -> Message:
            nonlocal received
            message = {} if declared > self._longest else await receive()
            received += len(message.get("body", b""))
            if max(declared, received) > self._longest:
                detail = f"the body is longer than {self._longest} bytes"
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
            return message

        try:
            await self._app(scope, receive_some, send)
        except ClientDisconnect:
            pass
        except Exception as error:  # a defect must not end the server
            self._report(f"the server failed: {error_text(error)}")
