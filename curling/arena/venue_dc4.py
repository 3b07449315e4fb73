"""A server for one match of Digital Curling 4; it needs the packages of the extra dc4."""

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from bonspiel.curling.arena.venue import HOST, TEAMS, Venue
from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.protocols.dc4_server import NewMatch, Player, TeamConfig, content_of
from bonspiel.curling.records.record import printable
from bonspiel.curling.server.asgi_server import listening_socket, serving
from bonspiel.curling.server.dc4.app import application
from bonspiel.curling.server.dc4.games import MIXED_RULE, STANDARD_RULES
from bonspiel.curling.server.dc4.matches import Dc4Matches
from bonspiel.curling.server.dc4.refusal import MATCH_NOT_FOUND, Refusal
from bonspiel.curling.server.dc4.requests import user_of
from bonspiel.curling.server.lobby import port_error
from bonspiel.curling.server.server_context import ServerContext

USERS = "user0", "user1"  # of the two teams
LONGEST = 120  # characters of a refusal


class Dc4Venue(Venue):
    """A server of Digital Curling 4 with a port of its own, and one match, in which both seats are reserved."""

    def __init__(self, context: ServerContext, shots: int | None = None) -> None:
        super().__init__(context, shots)
        self._passwords = {user: secrets.token_hex(9) for user in USERS}
        noise, law = noise_of(context.match.noise), context.model.law
        self._player = Player(law.max_speed, noise.speed, noise.angle, "arena")
        self._matches = Dc4Matches(self.context, self._player, late_shots=False)
        match_id = self._matches.create(_new_match(context), "the arena")
        self._match = self._matches.find(match_id, Refusal(404, MATCH_NOT_FOUND))
        self._match.seats.reserve(USERS)
        self._port = 0
        self._application = application(self._matches, self._passwords)
        self._refusals: dict[str, str] = {}

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """See `Venue.opened`."""
        try:
            listener = listening_socket(HOST, 0)
        except OSError as error:
            raise port_error(HOST, 0, error) from error
        self._port = listener.getsockname()[1]
        try:
            async with serving(self._answer, [listener], self.context.report):
                yield
        finally:
            await self._matches.close()

    @asynccontextmanager
    async def seated(self, team: int) -> AsyncIterator[None]:
        """See `Venue.seated`."""
        self._match.join(USERS[team], team, TeamConfig(True, "nobody", self._player, self._player))
        self._match.listen(USERS[team])
        yield

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and keep the refusal of one by a player."""
        refused = 0

        async def sent(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                refused = message["status"] if message["status"] >= HTTPStatus.BAD_REQUEST else 0
            elif refused:
                with suppress(Refusal):
                    text = f"{scope['method']} {scope['path']}: {refused} {message.get('body', b'').decode()}"
                    self._refusals[user_of(Request(scope), self._passwords)] = printable(text, LONGEST)
            await send(message)

        await self._application(scope, receive, sent)

    def complaint(self, team: int) -> str | None:
        """See `Venue.complaint`."""
        return self.refusal(team)

    def refusal(self, team: int) -> str | None:
        """See `Venue.refusal`."""
        return self._refusals.get(USERS[team])

    def values(self, team: int) -> Mapping[str, str]:
        """See `Venue.values`."""
        user = USERS[team]
        server = {"host": HOST, "port": str(self._port), "match": str(self._match.id), "team": TEAMS[team]}
        return server | {"user": user, "password": self._passwords[user]}

    def is_connected(self, team: int) -> bool:
        """See `Venue.is_connected`."""
        return any(stream.team == team for stream in self._match.streams)

    def is_ready(self, team: int) -> bool:
        """See `Venue.is_ready`."""
        return self.is_connected(team) and bool(self._match.seats.players[team])


def _new_match(context: ServerContext) -> NewMatch:
    """The match as a client would create it."""
    match, rules = context.match, {ours: theirs for theirs, ours in STANDARD_RULES.items()}
    asked = {
        "game_mode": match.game,
        "tournament": {"tournament_name": "arena"},
        "simulator": {"simulator_name": "fcv1"},
        "applied_rule": MIXED_RULE if match.is_mixed else rules[str(match.rule)],
        "time_limit": context.times.match / 1000.0,
        "extra_end_time_limit": context.times.extra_end / 1000.0,
        "standard_end_count": match.ends,
        "match_name": "arena",
        "positioned_stones_pattern": match.pattern if match.is_mixed else None,
    }
    return content_of(asked, NewMatch)
