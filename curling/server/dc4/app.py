"""Serves matches of Digital Curling 4 over HTTP; see `curling.protocols.dc4`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bonspiel.curling.match.setup_value import CHOICES
from bonspiel.curling.protocols.dc4_server import NewMatch, Shot, TeamConfig
from bonspiel.curling.server.asgi_server import listening_socket, serving
from bonspiel.curling.server.dc4 import messages as dc4_messages
from bonspiel.curling.server.dc4.match import Dc4Match
from bonspiel.curling.server.dc4.matches import Dc4Matches
from bonspiel.curling.server.dc4.refusal import MATCH_NOT_FOUND, NO_SEAT, Refusal, unauthorized
from bonspiel.curling.server.dc4.requests import JSON, checked, json_of, match_id_of, parameter, user_of
from bonspiel.curling.server.dc4.stream import Dc4Stream
from bonspiel.curling.server.lobby import listen_address, port_error
from bonspiel.curling.server.pages.page_server import foreign_request
from bonspiel.curling.server.serve import signal_before, signals_caught


async def serve_dc4(
    matches: Dc4Matches, users: Mapping[str, str], host: str, port: int, names: Sequence[str] = ()
) -> int | None:
    """Serve matches until the requested number is over or a signal arrives; open streams are cut off.

    Args:
        matches: of the server.
        users: their passwords by name.
        host: address to bind to.
        port: 0 is any free one.
        names: in small letters, by which clients may ask, besides addresses, localhost and `host`.

    Returns:
        The signal that ended the server, or None.

    Raises:
        PortError: the port is in use.
    """
    context = matches.context
    with signals_caught() as signals:
        try:
            listener = listening_socket(host, port)
        except OSError as error:
            raise port_error(host, port, error) from error
        where = listen_address(listener)
        try:
            async with serving(application(matches, users, (host.lower(), *names)), [listener], context.report):
                context.report(f"listening on {where}: {context.summary}")
                return await signal_before(matches.done, signals)
        finally:
            await matches.close()


def application(matches: Dc4Matches, users: Mapping[str, str], names: Sequence[str] = ()) -> Starlette:
    """The application that serves these matches to these users, whose passwords are given by name.

    `names` are those by which clients may ask, besides addresses and localhost.
    """
    answers = _Answers(matches, users)
    routes = [
        Route("/shots", answers.throw, methods=["POST"]),
        Route("/matches", answers.create, methods=["POST"]),
        Route("/store-team-config", answers.join, methods=["POST"]),
        Route("/matches/{match_id}/end-setup", answers.set_up_end, methods=["POST"]),
        Route("/matches/{match_id}/stream", answers.stream),
        Route("/matches/{match_id}/viewer", answers.viewer),
        Route("/matches/{match_id}", answers.describe),
        Route("/matches/{match_id}/score", answers.score),
        Route("/matches/{match_id}/stone-coordinate/latest", answers.stones),
    ]
    handlers: dict[Any, Callable[[Request, Any], Awaitable[Response]]] = {
        Refusal: _refused,
        HTTPException: _not_served,
        Exception: _failed,
    }
    app = Starlette(routes=routes, exception_handlers=handlers, middleware=[Middleware(_OwnRequests, names=names)])
    app.router.redirect_slashes = False  # else /shots/ would be answered by a 307
    return app


class _Answers:
    """The answers to requests; all raise `Refusal`."""

    def __init__(self, matches: Dc4Matches, users: Mapping[str, str]) -> None:
        self._matches, self._users = matches, users

    async def create(self, request: Request) -> Response:
        body, user = await json_of(request), self._user(request)
        return _json(str(self._matches.create(checked(body, NewMatch), user)))

    async def join(self, request: Request) -> Response:
        body, user = await json_of(request), self._user(request)
        match_id, wanted = match_id_of(request), parameter(request, "expected_match_team_name", dc4_messages.TEAMS)
        config = checked(body, TeamConfig)
        match = self._matches.find(match_id, unauthorized(NO_SEAT))
        return _json(dc4_messages.TEAMS[match.join(user, int(wanted == "team1"), config)])

    async def throw(self, request: Request) -> Response:
        body, arrived = await json_of(request), self._matches.context.clock()
        user, match_id, shot = self._user(request), match_id_of(request), checked(body, Shot)
        match = self._matches.find(match_id, Refusal(HTTPStatus.NOT_FOUND, "Match or state not found."))
        await match.throw(user, shot, arrived)
        return _json(None)

    async def set_up_end(self, request: Request) -> Response:
        user, match_id = self._user(request), match_id_of(request)
        choice = parameter(request, "request", CHOICES)
        self._matches.find(match_id, unauthorized(NO_SEAT)).set_up_end(user, choice)
        return _json(None)

    async def stream(self, request: Request) -> Response:
        user = self._user(request)
        match = self._matches.find(match_id_of(request), unauthorized(NO_SEAT))
        return _Events(match, match.listen(user))

    async def viewer(self, request: Request) -> Response:
        match = self._match(request)
        return _Events(match, self._matches.watch(match))

    async def describe(self, request: Request) -> Response:
        match = self._match(request)
        return _json(dc4_messages.description(str(match.id), match.new, match.seats.names, match.newest))

    async def score(self, request: Request) -> Response:
        return _json(self._match(request).newest.score)

    async def stones(self, request: Request) -> Response:
        return _json(self._match(request).newest.stone_coordinate)

    def _user(self, request: Request) -> str:
        return user_of(request, self._users)

    def _match(self, request: Request) -> Dc4Match:
        return self._matches.find(match_id_of(request), Refusal(HTTPStatus.NOT_FOUND, MATCH_NOT_FOUND))


class _OwnRequests:
    """Refuses requests that another site's page caused: anybody's page knows the default passwords."""

    def __init__(self, app: ASGIApp, names: Sequence[str]) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = foreign_request(scope["method"], Headers(scope=scope), needs_origin=False, names=self._names)
        answer = self._app if refusal is None else _json({"detail": refusal}, HTTPStatus.FORBIDDEN)
        await answer(scope, receive, send)


class _Events(StreamingResponse):
    """A stream of a match, which leaves it in the end."""

    def __init__(self, match: Dc4Match, stream: Dc4Stream) -> None:
        super().__init__(stream.messages(), headers={"Cache-Control": "no-cache"}, media_type="text/event-stream")
        self._match, self._stream = match, stream

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:
            self._match.leave(self._stream)


def _json(content: Any, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(content), status, headers, media_type=JSON)


async def _refused(request: Request, refusal: Refusal) -> Response:
    headers = {"WWW-Authenticate": "Basic"} if refusal.status == HTTPStatus.UNAUTHORIZED else None
    return _json({"detail": refusal.detail}, refusal.status, headers)


async def _not_served(request: Request, error: HTTPException) -> Response:
    return _json({"detail": error.detail}, error.status_code, error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    return _json({"detail": "Internal Server Error"}, HTTPStatus.INTERNAL_SERVER_ERROR)
