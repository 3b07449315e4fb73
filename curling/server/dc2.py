"""A match by the protocol of Digital Curling 2; see `curling.protocols.dc2`."""

import asyncio
from collections.abc import Sequence
from typing import Any

from curling.protocols import ProtocolError, dc2
from curling.server.listener import Hall, listen
from curling.server.match import Referee
from curling.server.seat import Fault, Said, Seat
from curling.server.session import Session
from curling.server.venue import Venue

LOGIN_SECONDS = 60.0


async def doors(venue: Venue, hall: Hall, host: str, port: int) -> Sequence[asyncio.Server]:
    """Open the port; clients play each other in the order in which they log in."""

    def door() -> Seat:
        return Seat(b"\0", dc2.MAX_TEXT, venue.clock, lambda seat: hall.attend(_log_in(venue, hall, seat)))

    return (await listen(host, port, door),)


async def _log_in(venue: Venue, hall: Hall, seat: Seat) -> None:
    """Take a client as far as its login, and then to a match."""
    news: asyncio.Queue[Said] = asyncio.Queue()
    seat.hear = news.put_nowait
    try:
        seat.send(dc2.encode(dc2.Connected()))
        async with asyncio.timeout(LOGIN_SECONDS):
            login: dc2.Login = _decoded((await news.get()).text, dc2.Login)
        seat.send(dc2.encode(dc2.LoginOk()))
    except (Fault, ProtocolError, TimeoutError) as error:
        venue.say(f"client {seat.address}: {str(error) or f'no LOGIN within {LOGIN_SECONDS:g} s'}")
        seat.close()
    except asyncio.CancelledError:
        seat.close()
        raise
    else:
        seat.id = login.id
        hall.seat(seat, name=login.name)


class Session2(Session):
    """One match; the first team throws first in the first end."""

    sides = ("first", "second")

    def __init__(self, venue: Venue) -> None:
        """A session without clients."""
        super().__init__(venue)
        self._asked: set[int] = set()

    async def converse(self) -> None:
        """Play the match to its result."""
        await self.meet()
        referee = self.begin()
        self._tell_both(dc2.NewGame(str(self.names[0]), str(self.names[1])), *_position(referee, 0))
        while referee.result is None:
            self.send(referee.team, dc2.encode(dc2.Go(*referee.remaining)))
            await self._move(referee)
        self._tell_both(dc2.TotalScore(*referee.total))
        for team in (0, 1):
            drawn, won = referee.result.winner is None, referee.result.winner == team
            outcome = dc2.GameOver("DRAW" if drawn else "WIN" if won else "LOSE")
            self.send(team, dc2.encode(outcome), dc2.encode(dc2.Disconnect()))

    async def welcome(self) -> None:
        """Ask both clients whether they are ready as soon as they are there, or take an answer."""
        team, said = await self.hear()
        if said is None:
            for waiting in () if None in self.seats else {0, 1} - self._asked:
                self.send(waiting, dc2.encode(dc2.IsReady()))
                self._asked.add(waiting)
        elif team not in self._asked:
            raise self.wrong(team, "a message before ISREADY")
        elif self.ready[team]:
            raise self.wrong(team, "a message before the match began")
        else:
            self._message(team, said.text, dc2.ReadyOk)
            self.ready[team] = True

    def vacate(self, team: int) -> None:
        """See `Session.vacate`."""
        super().vacate(team)
        self._asked.discard(team)

    async def _move(self, referee: Referee) -> None:
        """Let the mover move, and tell both what that came to."""
        mover, end, first = referee.team, referee.end, 1 - referee.hammer
        answer = await self.answer(referee)
        if answer is None:
            referee.time_up()
            self._tell_both(dc2.Timeout(self.seat(mover).id))
            return
        said, seconds = answer
        move: dc2.BestShot | dc2.Concede = self._message(mover, said, dc2.BestShot, dc2.Concede)
        if isinstance(move, dc2.Concede):
            referee.concede()
            return
        aim = dc2.throw_to_sheet(move)
        thrown = referee.release(aim)
        referee.settle(aim, thrown, await self.venue.ice.play(referee.state, thrown), seconds)
        self._tell_both(dc2.RunShot(*dc2.throw_from_sheet(*thrown)), *_position(referee, first))
        if referee.end > end:
            team0, team1 = referee.scores[0][end], referee.scores[1][end]
            self._tell_both(dc2.Score((team0 or 0) - (team1 or 0)))

    def _tell_both(self, *messages: dc2.ServerMessage) -> None:
        text = b"".join(map(dc2.encode, messages))
        for team in (0, 1):
            self.send(team, text)

    def _message(self, team: int, text: bytes, *kinds: type[dc2.ClientMessage]) -> Any:
        """A client's message, which must be of one of these kinds."""
        try:
            return _decoded(text, *kinds)
        except ProtocolError as error:
            raise self.wrong(team, error) from None


def _decoded(text: bytes, *kinds: type[dc2.ClientMessage]) -> Any:
    """A client's message.

    Raises:
        ProtocolError: it is of none of these kinds.
    """
    message = dc2.decode_client(text)
    if not isinstance(message, kinds):
        due = " or ".join(kind.__name__.upper() for kind in kinds)
        raise ProtocolError(f"{type(message).__name__.upper()} where {due} was due")
    return message


def _position(referee: Referee, first: int) -> tuple[dc2.Position, dc2.SetState]:
    """Where the stones are and who is next, when team `first` threw first."""
    where = dc2.position_of(referee.stones, first)
    return where, dc2.SetState(referee.shot, referee.end, referee.match.ends, referee.team)
