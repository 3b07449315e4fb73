"""The practice server of Digital Curling 4 for tests of its client, with faults that it would not make itself."""

from contextlib import AsyncExitStack
from typing import Self, TypeVar
from uuid import UUID

from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from bonspiel.curling.protocols.dc4_server import NewMatch, Player, content_of
from bonspiel.curling.server.asgi_server import listening_socket, serving
from bonspiel.curling.server.dc4.app import application
from bonspiel.curling.server.dc4.match import Dc4Match
from bonspiel.curling.server.dc4.matches import Dc4Matches
from bonspiel.curling.server.record_feed import RecordFeed
from tests.curling.server.hosting import context_of

USERS = {"user0": "pass0", "user1": "pass1", "user2": "pass2"}
NEW = {
    "game_mode": "standard",
    "tournament": {"tournament_name": "a tournament"},
    "simulator": {"simulator_name": "fcv1"},
    "applied_rule": "fgz_rule",
    "match_name": "a match",
}
MIXED = {"game_mode": "mixed_doubles", "applied_rule": "modified_fgz_rule"}

T = TypeVar("T")


class FaultyServer:
    """The server, on a port of this machine, any free one if it is 0.

    Attributes:
        matches: that it serves.
        faults: what becomes of the next throws, in order: a status refuses one, "hang up" loses it, "deaf" plays it and
            loses the answer; None plays it.
        setup_faults: the same for set-ups.
        bad_events: texts sent to listeners instead of states.
        refused: number of throws and set-ups that the server itself refused.
        connections: number of streams that were opened.
    """

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.faults: list[int | str | None] = []
        self.setup_faults: list[int | str | None] = []
        self.bad_events: list[str] = []
        self.refused = self.connections = 0
        self._feed = RecordFeed()
        self._leaving = AsyncExitStack()

    async def __aenter__(self) -> Self:
        context = context_of(feed=self._feed)
        self.matches = Dc4Matches(context, Player(4.0, 0.0, 0.0, "exact"), late_shots=False)
        self._app = application(self.matches, USERS)
        listener = listening_socket("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        await self._leaving.enter_async_context(serving(self, [listener], context.report))
        self._leaving.push_async_callback(self.matches.close)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Be gone."""
        await self._leaving.aclose()

    def open(
        self, ends: int = 1, seconds: float = 200.0, extra_seconds: float = 20.0, pattern: int | None = None
    ) -> str:
        """A new match, with a pattern of mixed doubles; its id."""
        limits = {"standard_end_count": ends, "time_limit": seconds, "extra_end_time_limit": extra_seconds}
        game = {} if pattern is None else MIXED | {"positioned_stones_pattern": pattern}
        return str(self.matches.create(content_of(NEW | limits | game, NewMatch), "user2"))

    def match(self, match_id: str) -> Dc4Match:
        """A match by its id."""
        return self.matches.find(UUID(match_id), LookupError(match_id))  # type: ignore[arg-type]

    def items(self, kind: type[T]) -> tuple[T, ...]:
        """The items of this kind in the record of the only match that has begun."""
        ((_, items),) = self._feed.matches()
        return tuple(item for item in items if isinstance(item, kind))

    def hang_up(self, match_id: str) -> None:
        """End all streams of a match."""
        for stream in self.match(match_id).streams:
            stream.end()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["path"].endswith("/stream"):
            await self._app(scope, receive, self._with_bad_events(send))
        elif scope["path"] == "/shots":
            await self._take(self.faults, scope, receive, send)
        elif scope["path"].endswith("/end-setup"):
            await self._take(self.setup_faults, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _with_bad_events(self, send: Send) -> Send:
        async def told(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start" and message["status"] == 200:
                self.connections += 1
                for text in self.bad_events:
                    body = f"event: latest_state_update\ndata: {text}\n\n".encode()
                    await send({"type": "http.response.body", "body": body, "more_body": True})

        return told

    async def _take(self, faults: list[int | str | None], scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            self.refused += message.get("status", 200) != 200
            if fault is None:
                await send(message)

        fault = faults.pop(0) if faults else None
        if isinstance(fault, int):
            await JSONResponse({"detail": "not today"}, fault)(scope, receive, send)
            return
        if fault != "hang up":
            await self._app(scope, receive, counted)
        if fault is not None:
            send.__self__.transport.abort()  # type: ignore[attr-defined]
