"""Serves pages of running matches to browsers, with server-sent events; each viewer has a thread."""

import ipaddress
import re
import socket
import sys
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Thread
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from curling.replay.live_matches import LiveMatches
from curling.replay.pages import index_page, live_page
from curling.server.record_feed import RecordFeed

PATIENCE = 20.0  # s that a viewer may take to send a request, or to receive the answer
VIEWERS = 64  # at once; each has a thread


class LiveServer(ThreadingHTTPServer):
    """Serves the matches of a feed until it is closed.

    Args:
        feed: to serve; call this in the publishing thread, or before anything is published.
        host: address to bind to.
        port: 0 is any free one.

    Attributes:
        url: of the list of matches.

    Raises:
        OSError: the port is in use, or the address is not one of this machine.
    """

    daemon_threads = True
    request_queue_size = VIEWERS

    def __init__(self, feed: RecordFeed, host: str = "127.0.0.1", port: int = 0) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _RequestHandler)
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{self.server_address[1]}/"
        self.matches, self.streams = LiveMatches(feed), BoundedSemaphore(VIEWERS)
        self._thread = Thread(target=self.serve_forever, args=(0.1,), name="watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all streams, and stop listening."""
        self.matches.close()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error in one line, unless the viewer has left."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print(f"watch: {client_address}: {error!r}", file=sys.stderr)


class _RequestHandler(BaseHTTPRequestHandler):
    """One request: / is the list of matches, /match/ID a match; /events and /events/ID are their messages."""

    server: LiveServer
    server_version, sys_version = "bonspiel", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Answer."""
        matches = self.server.matches
        if not _named_by_address(self.headers.get("Host", "")):
            # prevents DNS rebinding: another site whose name resolves to this address must not read these pages
            self.send_error(HTTPStatus.FORBIDDEN, "ask for this page by its address or as localhost")
            return
        place, _, match_id = unquote(self.path.partition("?")[0]).lstrip("/").partition("/")
        match = matches.find_match(match_id) if match_id else None
        if (place, match_id) == ("", ""):
            self._page(index_page())
        elif (place, match_id) == ("events", ""):
            self._stream(matches.list_messages())
        elif place == "match" and match is not None:
            self._page(live_page(match_id, f"/events/{quote(match_id, safe='')}"))
        elif place == "events" and match is not None:
            last = re.fullmatch(r"[0-9]{1,6}", self.headers.get("Last-Event-ID", ""))
            self._stream(matches.match_messages(match, int(last[0]) + 1 if last else 0))
        else:
            self.send_error(HTTPStatus.NOT_FOUND, "no such page, or the match is no longer kept")

    def _page(self, text: str) -> None:
        body = text.encode()
        self._head("text/html; charset=utf-8", len(body))
        self.wfile.write(body)

    def _stream(self, messages: Iterator[str]) -> None:
        if not self.server.streams.acquire(blocking=False):
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, f"{VIEWERS} viewers are already connected")
            return
        try:
            self._head("text/event-stream")
            for message in messages:
                self.wfile.write(message.encode())
        finally:
            self.server.streams.release()

    def _head(self, kind: str, length: int | None = None) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Print nothing; the console is for the matches."""


def _named_by_address(host: str) -> bool:
    """Whether a Host header is an IP address or localhost, not a name that others could choose."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or bool(ipaddress.ip_address(name))
    except ValueError:
        return False
