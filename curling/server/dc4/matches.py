"""The matches of a server of Digital Curling 4, in bounded number."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from http import HTTPStatus
from uuid import UUID

from bonspiel.curling.protocols.console import count_ends
from bonspiel.curling.protocols.dc4_server import NewMatch, Player
from bonspiel.curling.records.match_data import Match
from bonspiel.curling.records.record import printable
from bonspiel.curling.server.dc4.games import match_of
from bonspiel.curling.server.dc4.match import Dc4Match
from bonspiel.curling.server.dc4.refusal import Refusal
from bonspiel.curling.server.dc4.stream import Dc4Stream
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.server.server_context import ServerContext

MOST_MATCHES = 200  # that are kept
MOST_VIEWERS = 100  # at once; streams of players need a password
MOST_SECONDS = 1e9  # of a clock; longer ones would only make numbers overflow
LEAVING_SECONDS = 10.0  # for the players' clients to close their streams after the match

model_of = lru_cache(maxsize=32)(Match.model)


class Dc4Matches:
    """All matches of a server.

    Args:
        context: its match holds the settings that clients do not choose.
        default: each player of the teams that bring none of their own.
        late_shots: see `Dc4Match`.
        most: number of matches to finish; None for no limit.
        mixed: the two players of such teams in mixed doubles; None: each is the `default`.

    Attributes:
        context: of the server.
        created: called with each new match.
        done: set when `most` matches are over.
    """

    def __init__(
        self,
        context: ServerContext,
        default: Player,
        late_shots: bool,
        most: int | None = None,
        mixed: Sequence[Player] | None = None,
    ) -> None:
        self.context, self.done = context, asyncio.Event()
        self.created: Callable[[Dc4Match], None] = lambda match: None
        self._late_shots, self._most = late_shots, most
        self._own = {"standard": [default] * 4, "mixed_doubles": mixed or [default] * 2}
        self._matches: dict[UUID, Dc4Match] = {}  # oldest first
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = 0

    def create(self, new: NewMatch, user: str) -> UUID:
        """Create a match; its id.

        Raises:
            Refusal: there is no such game, or no room for another match.
        """
        match = match_of(new, self.context.match)
        self._make_room()
        seconds = (min(max(limit, -MOST_SECONDS), MOST_SECONDS) for limit in (new.time_limit, new.extra_end_time_limit))
        times = ThinkingTimes(*(round(1000.0 * limit) for limit in seconds))
        context = replace(self.context, match=match, model=model_of(match), times=times)
        match_id = self._new_id()
        made = self._matches[match_id] = Dc4Match(match_id, new, context, self._own[match.game], self._late_shots)
        task = asyncio.create_task(self._count(made))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        limits = f"{count_ends(match.ends)}, {new.time_limit:g} s a team, {new.applied_rule}"
        self.context.report(f"match {match_id}: created by {printable(user)}, {limits}")
        self.created(made)
        return match_id

    @property
    def waiting(self) -> list[Dc4Match]:
        """The matches that have not begun, oldest first."""
        return [match for match in self._matches.values() if not (match.begun or match.over.is_set())]

    def find(self, match_id: UUID, otherwise: Refusal) -> Dc4Match:
        """A match by its id.

        Raises:
            Refusal: there is none; the given one.
        """
        match = self._matches.get(match_id)
        if match is None:
            raise otherwise
        return match

    def watch(self, match: Dc4Match) -> Dc4Stream:
        """Open a viewer's stream.

        Raises:
            Refusal: there are too many.
        """
        viewers = sum(stream.team is None for one in self._matches.values() for stream in one.streams)
        if viewers >= MOST_VIEWERS:
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_VIEWERS} viewers are already connected.")
        return match.listen(None)

    async def close(self) -> None:
        """Abandon all matches."""
        for match in self._matches.values():
            match.abandon("the server was stopped")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _count(self, match: Dc4Match) -> None:
        """Count a match that began once it is over, and its players have had time to leave."""
        await match.over.wait()
        if match.begun:
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVING_SECONDS):
                    while any(stream.team is not None for stream in match.streams):
                        await asyncio.sleep(0.05)
            self._over += 1
            if self._over == self._most:
                self.done.set()

    def _make_room(self) -> None:
        """Drop the oldest match that is over, or else the oldest that has not begun."""
        if len(self._matches) < MOST_MATCHES:
            return
        over = (one for one in self._matches.values() if one.over.is_set())
        dropped = next(over, None) or next(iter(self.waiting), None)
        if dropped is None:
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_MATCHES} matches are running already.")
        dropped.abandon("newer matches take its place")
        del self._matches[dropped.id]

    def _new_id(self) -> UUID:
        """A UUID of version 7."""
        number = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(self.context.ids.bytes(10))
        return UUID(int=number & ~(0xF000 << 64) & ~(0xC000 << 48) | 0x7000 << 64 | 0x8000 << 48)
