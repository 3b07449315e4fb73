"""Serves pages to browsers from a thread with an event loop of its own, protected from the pages of other sites."""

import asyncio
import ipaddress
import re
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import suppress
from http import HTTPMethod, HTTPStatus
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bonspiel.curling.server.asgi_server import listening_socket, serving

VIEWERS, PLAYERS = 64, 8  # streams of events at once, of those who watch and of those who play
PING = 10.0  # s between keep-alive messages, which also reveal viewers that have left
FAREWELL = 2.0  # s for streams to end in order when the server is closed
LAST_WORDS = 0.5  # s of silence with which a stream then ends: the last shot of a match may still be on its way
PROTECTION = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


class PageServer:
    """Serves pages until it is closed.

    Args:
        routes: of the pages; all run in the event loop of this server.
        host: address to bind to.
        port: 0 is any free one.

    Attributes:
        port: bound to.
        url: of the page at /.
        names: by which browsers may ask for pages, besides addresses and localhost.
        viewers: a permit for each that may still come.
        players: the same; who plays is not kept out by who watches.
        closed: whether streams have to end.

    Raises:
        OSError: the port is in use, or the address is not one of this machine.
    """

    def __init__(self, routes: Sequence[BaseRoute], host: str, port: int) -> None:
        listener = listening_socket(host, port)
        self.port = listener.getsockname()[1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"
        app = Starlette(routes=routes, middleware=[Middleware(_Protection)])
        app.router.redirect_slashes = False
        app.state.pages = self
        self.names = (host.lower(),)
        self.viewers, self.players = asyncio.Semaphore(VIEWERS), asyncio.Semaphore(PLAYERS)
        self.closed = asyncio.Event()
        runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = runner.get_loop()

        async def serve() -> None:
            async with serving(app, [listener], lambda line: print(line, file=sys.stderr)):
                await self.closed.wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout(FAREWELL):
                        for permit in [self.viewers] * VIEWERS + [self.players] * PLAYERS:
                            await permit.acquire()

        def run() -> None:
            with runner:
                runner.run(serve())

        self._thread = Thread(target=run, name="pages", daemon=True)
        self._thread.start()

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the event loop of the pages, soon; from any thread, in the order of the calls."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def complete(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        """Wait for work in the event loop of the pages; what takes longer is cancelled."""
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop).result()

    def close(self) -> None:
        """End all streams as soon as all their events are sent, and stop listening."""
        self.call(self.closed.set)
        self._thread.join()


class EventStream(StreamingResponse):
    """Server-sent events of a `PageServer` for one of its bounded number of viewers, or players; others are refused."""

    def __init__(self, messages: AsyncIterator[str], plays: bool = False) -> None:
        super().__init__(messages, headers={"Connection": "close"}, media_type="text/event-stream")
        self._messages, self._plays = messages, plays

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the server is closed, unless there are too many streams."""
        server: PageServer = scope["app"].state.pages
        permits = server.players if self._plays else server.viewers
        if permits.locked():
            many = f"{PLAYERS} players" if self._plays else f"{VIEWERS} viewers"
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, f"{many} are already connected")
        self.body_iterator = self._until_closed(server)
        async with permits:
            await super().__call__(scope, receive, send)

    async def _until_closed(self, server: PageServer) -> AsyncIterator[str]:
        closed = asyncio.ensure_future(server.closed.wait())
        coming = asyncio.ensure_future(anext(self._messages, None))
        try:
            while True:
                closing = closed.done()
                awaited, patience = ((coming,), LAST_WORDS) if closing else ((coming, closed), PING)
                await asyncio.wait(awaited, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    if (message := coming.result()) is None:
                        return
                    yield message
                    coming = asyncio.ensure_future(anext(self._messages, None))
                elif closing:
                    return
                elif not closed.done():
                    yield ": nothing new\n\n"
        finally:
            closed.cancel()
            coming.cancel()


def first_event(request: Request) -> int:
    """The number of the first event for a viewer: the one after the last that it has, if it comes again; else 0."""
    last = re.fullmatch(r"[0-9]{1,6}", request.headers.get("Last-Event-ID", ""))
    return int(last[0]) + 1 if last else 0


class _Protection:
    """Refuses requests that another site's page caused, and has browsers show no page within another site's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(PROTECTION)
            await send(message)

        names = scope["app"].state.pages.names
        refusal = foreign_request(scope["method"], Headers(scope=scope), needs_origin=True, names=names)
        answer = self._app if refusal is None else PlainTextResponse(refusal, HTTPStatus.FORBIDDEN)
        await answer(scope, receive, send_protected)


def foreign_request(method: str, headers: Headers, needs_origin: bool, names: Sequence[str] = ()) -> str | None:
    """The reason to refuse a request that another site's page may have caused, or None.

    Args:
        method: of the request.
        headers: of the request.
        needs_origin: whether all that change something must name the page that they come from; only browsers do.
        names: by which this server may be asked, besides its addresses and localhost.
    """
    host, origin = headers.get("Host", ""), headers.get("Origin")
    if not _is_own(host, names):
        # prevents DNS rebinding: another site whose name resolves to this address must not read these pages
        return "ask for this page by its address or as localhost"
    changes = method not in (HTTPMethod.GET, HTTPMethod.HEAD)
    if changes and origin != f"http://{host}" and (needs_origin or origin is not None):
        return "only a page of this server may change something here"
    return None


def _is_own(host: str, names: Sequence[str]) -> bool:
    """Return whether a Host header is an IP address, localhost or one of these names, which nobody else can choose."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name in ("localhost", *names) or bool(ipaddress.ip_address(name))
    except ValueError:
        return False
