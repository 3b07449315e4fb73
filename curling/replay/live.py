"""Matches in a browser while they are played: pages and server-sent events, by threads of their own."""

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

from curling.replay.gallery import Gallery
from curling.replay.page import index_page, live_page
from curling.server.record_feed import RecordFeed

PATIENCE = 20.0  # s that a viewer may take to send a request, or to take what it asked for
VIEWERS = 64  # at once; each has a thread


class Watch(ThreadingHTTPServer):
    """Shows the matches of a feed until it is closed.

    Args:
        feed: to watch; make this in the thread that publishes, or before it does.
        host: address to bind to.
        port: 0 is any free one.

    Attributes:
        url: of the list of matches.

    Raises:
        OSError: the port is taken, or the address is none of this machine's.
    """

    daemon_threads = True
    request_queue_size = VIEWERS

    def __init__(self, feed: RecordFeed, host: str = "127.0.0.1", port: int = 0) -> None:
        """Begin to listen."""
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Viewer)
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.server_address[1]}/"
        self.gallery, self.places = Gallery(feed), BoundedSemaphore(VIEWERS)
        self._thread = Thread(target=self.serve_forever, args=(0.1,), name="watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send all viewers home, and stop listening."""
        self.gallery.close()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say in one line what failed; a viewer that has gone is no failure."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print(f"watch: {client_address}: {error!r}", file=sys.stderr)


class _Viewer(BaseHTTPRequestHandler):
    """One request: / is the list of matches, /match/ID a match; /events and /events/ID are what happens in them."""

    server: Watch
    server_version, sys_version = "bonspiel", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Answer."""
        gallery = self.server.gallery
        if not _named_by_address(self.headers.get("Host", "")):
            # another site whose name resolves to this address must not read what is shown here
            self.send_error(HTTPStatus.FORBIDDEN, "ask for this page by its address or as localhost")
            return
        place, _, match_id = unquote(self.path.partition("?")[0]).lstrip("/").partition("/")
        match = gallery.find(match_id) if match_id else None
        if (place, match_id) == ("", ""):
            self._page(index_page())
        elif (place, match_id) == ("events", ""):
            self._stream(gallery.of_all())
        elif place == "match" and match is not None:
            self._page(live_page(match_id, f"/events/{quote(match_id, safe='')}"))
        elif place == "events" and match is not None:
            last = re.fullmatch(r"[0-9]{1,6}", self.headers.get("Last-Event-ID", ""))
            self._stream(gallery.of_match(match, int(last[0]) + 1 if last else 0))
        else:
            self.send_error(HTTPStatus.NOT_FOUND, "no such page, or a match that is long over")

    def _page(self, text: str) -> None:
        body = text.encode()
        self._head("text/html; charset=utf-8", len(body))
        self.wfile.write(body)

    def _stream(self, messages: Iterator[str]) -> None:
        if not self.server.places.acquire(blocking=False):
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, f"{VIEWERS} viewers watch already")
            return
        try:
            self._head("text/event-stream")
            for message in messages:
                self.wfile.write(message.encode())
        finally:
            self.server.places.release()

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
        """Say nothing; the server's lines are about matches."""


def _named_by_address(host: str) -> bool:
    """Whether a Host header names an address or this machine, and no name that others could have chosen."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or bool(ipaddress.ip_address(name))
    except ValueError:
        return False
