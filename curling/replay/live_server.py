"""Serves pages of running matches: / is their list, /match/ID one of them; /events and /events/ID are their events."""

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from bonspiel.curling.replay.live_matches import LiveMatch, LiveMatches
from bonspiel.curling.replay.pages import index_page, live_page
from bonspiel.curling.server.pages.page_server import EventStream, PageServer, first_event
from bonspiel.curling.server.record_feed import RecordFeed


class LiveServer(PageServer):
    """Serves the matches of a feed until it is closed.

    Args:
        feed: to serve; call this in the publishing thread, or before anything is published.
        host: address to bind to.
        port: 0 is any free one.
        more: routes of other pages to serve.

    Raises:
        OSError: the port is in use, or the address is not one of this machine.
    """

    def __init__(
        self, feed: RecordFeed, host: str = "127.0.0.1", port: int = 0, more: Sequence[BaseRoute] = ()
    ) -> None:
        self._matches = LiveMatches()
        routes = [
            Route("/", self._list),
            Route("/events", self._list_events),
            Route("/match/{match_id:path}", self._match),
            Route("/events/{match_id:path}", self._match_events),
            *more,
        ]
        super().__init__(routes, host, port)
        for match_id, items in feed.matches():
            for item in items:
                self.call(self._matches.add, match_id, item)
        self._unsubscribe = feed.subscribe(partial(self.call, self._matches.add))

    def close(self) -> None:
        """End all streams, and stop listening."""
        self._unsubscribe()
        super().close()

    async def _list(self, _: Request) -> HTMLResponse:
        return HTMLResponse(index_page())

    async def _list_events(self, _: Request) -> EventStream:
        return EventStream(self._matches.list_messages())

    async def _match(self, request: Request) -> HTMLResponse:
        match_id, _ = self._found(request)
        return HTMLResponse(live_page(match_id, f"/events/{quote(match_id, safe='')}"))

    async def _match_events(self, request: Request) -> EventStream:
        return EventStream(self._matches.match_messages(self._found(request)[1], first_event(request)))

    def _found(self, request: Request) -> tuple[str, LiveMatch]:
        """The id of the match asked for, and the match."""
        match_id = request.path_params["match_id"]
        match = self._matches.find_match(match_id)
        if match is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "no such match, or it is no longer kept")
        return match_id, match
