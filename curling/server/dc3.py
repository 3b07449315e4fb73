"""A match by the protocol of Digital Curling 3, as the reference server plays it; see `curling.protocols.dc3`."""

import asyncio
import math
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

from curling.protocols import ProtocolError, dc3
from curling.server.dc3_messages import game_of, shot_of, trajectory_of, update_of
from curling.server.listener import Hall, listen
from curling.server.match import Referee
from curling.server.seat import Seat
from curling.server.session import Session
from curling.server.venue import Venue
from curling.state import row_of
from curling.umpire import Outcome
from planners.base import Array

GREETING_SECONDS = 5.0  # for a client to answer the server's greeting
VERSION = dc3.Version(1, 0)

Answer = TypeVar("Answer", dc3.DcOk, dc3.ReadyOk, dc3.Move)


async def doors(venue: Venue, hall: Hall, host: str, port: int) -> Sequence[asyncio.Server]:
    """Open the two ports; one above the first one is team 1's."""

    def door(team: int) -> Seat:
        return Seat(b"\n", dc3.MAX_CLIENT_LINE, venue.clock, lambda seat: hall.seat(seat, team))

    first = await listen(host, port, lambda: door(0))
    try:
        return first, await listen(host, port and port + 1, lambda: door(1))
    except OSError:
        first.close()
        raise


class Session3(Session):
    """One match.

    Args:
        venue: what the server plays.
        steps: of the reference simulator between two frames of the trajectories; None if none are sent.
    """

    def __init__(self, venue: Venue, steps: int | None) -> None:
        """A session without clients."""
        super().__init__(venue)
        self._steps = steps
        self._game = game_of(venue.match, venue.times)
        self._greeting = dc3.encode(
            dc3.Dc(
                VERSION,
                str(uuid.UUID(bytes=venue.ids.bytes(16), version=4)),
                datetime.now(UTC).isoformat(timespec="seconds"),
            )
        )
        self._due = [math.inf, math.inf]  # when each must have answered that, by the event loop's clock

    async def converse(self) -> None:
        """Play the match to its result."""
        await self.meet()
        referee = self.begin()
        self._tell_both(dc3.NewGame(dc3.PerTeam(str(self.names[0]), str(self.names[1]))))
        self._tell_both(update_of(referee, None))
        while referee.result is None:
            last = await self._move(referee)
            self._tell_both(update_of(referee, last))
        self._tell_both(dc3.GameOver())

    async def welcome(self) -> None:
        """Take a client one message further in the greeting, each at its own pace."""
        now = asyncio.get_running_loop().time
        soonest = min(self._due)
        try:
            team, said = await self.hear(None if soonest == math.inf else max(soonest - now(), 0.0))
        except TimeoutError:
            raise self.wrong(self._due.index(soonest), f"no dc_ok within {GREETING_SECONDS:g} s") from None
        if said is None:
            self._due[team] = now() + GREETING_SECONDS
            self.send(team, self._greeting)
        elif self.names[team] is None:
            self.names[team] = self._message(team, said.text, dc3.DcOk).name
            self._due[team] = math.inf
            self.send(team, dc3.encode(dc3.IsReady("team1" if team else "team0", self._game)))
        elif not self.ready[team]:
            self._message(team, said.text, dc3.ReadyOk)
            self.ready[team] = True
        else:
            raise self.wrong(team, "a message before the match began")

    def vacate(self, team: int) -> None:
        """See `Session.vacate`."""
        super().vacate(team)
        self._due[team] = math.inf

    async def _move(self, referee: Referee) -> dc3.LastMove:
        """Let the mover move; what that came to."""
        start, mover = referee.board, referee.team
        answer = await self.answer(referee)
        if answer is None:
            referee.time_up()
            return self._last(dc3.Concede(), start)
        message, seconds = answer
        move = self._message(mover, message, dc3.Move).move
        if isinstance(move, dc3.Concede):
            referee.concede()
            return self._last(move, start)
        aim = move.velocity.x, move.velocity.y, 1.0 if move.rotation == "ccw" else -1.0
        thrown = referee.release(aim)
        after = await self.venue.ice.play(referee.state, thrown)
        start = referee.board
        start[row_of(referee.state)] = 0.0  # where stones are released
        referee.settle(aim, thrown, after, seconds)
        return self._last(shot_of(thrown), start, after)

    def _tell_both(self, message: dc3.ServerMessage) -> None:
        line = dc3.encode(message)
        for team in (0, 1):
            self.send(team, line)

    def _last(self, move: dc3.Shot | dc3.Concede, start: Array, after: Outcome | None = None) -> dc3.LastMove:
        foul = after is not None and after.foul
        if self._steps is None:
            return dc3.LastMove(move, foul)
        return dc3.LastMove(move, foul, trajectory_of(start, after, self._steps))

    def _message(self, team: int, line: bytes, expected: type[Answer]) -> Answer:
        """A client's message, which must be of this kind."""
        try:
            message = dc3.decode_client(line)
        except ProtocolError as error:
            raise self.wrong(team, error) from None
        if not isinstance(message, expected):
            came, due = (kind.__struct_config__.tag for kind in (type(message), expected))
            raise self.wrong(team, f"{came} where {due} was due")
        return message
