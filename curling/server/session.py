"""What the sessions of all protocols have in common: two clients, one referee, and one end to all of it."""

import asyncio
from abc import ABC, abstractmethod

from curling.protocols import ProtocolError
from curling.server.match import Referee
from curling.server.seat import Fault, Said, Seat
from curling.server.venue import Ledger, Venue

LEAVING_SECONDS = 10.0  # for clients to close their connections when the match is over
LONGEST_NAME = 40  # characters on the console


class ClientFault(Fault):
    """What one of the two clients did; the text names it."""

    def __init__(self, team: int, text: str) -> None:
        """A fault of this team's client."""
        super().__init__(text)
        self.team = team


class Session(ABC):
    """One match between two clients, from the first one's arrival on.

    Whatever goes wrong ends this match and no other: both connections close, and the record says why.

    Args:
        venue: what the server plays.

    Attributes:
        number: of the match; 0 until it begins.
        seats: of the two clients; None where one is yet to come.
        names: that they have given; None until then.
        ready: whether they have said that the match may begin.
        referee: None until the match begins.
    """

    sides = ("team0", "team1")

    def __init__(self, venue: Venue) -> None:
        """A session without clients."""
        self.venue = venue
        self.number = 0
        self.seats: list[Seat | None] = [None, None]
        self.names: list[str | None] = [None, None]
        self.ready = [False, False]
        self.referee: Referee | None = None
        self._ledger: Ledger | None = None
        self._inbox: asyncio.Queue[tuple[int, Seat, Said | None]] = asyncio.Queue()

    @abstractmethod
    async def converse(self) -> None:
        """Play the match to its result.

        Raises:
            Fault: a client did what the protocol does not allow, or left.
        """

    @abstractmethod
    async def welcome(self) -> None:
        """Take a client one message further towards being ready.

        Raises:
            ClientFault: see `converse`.
        """

    def waits_for(self, team: int | None) -> bool:
        """Whether a client may come for this team, None for either; not where the other one has gone already."""
        free = None in self.seats if team is None else self.seats[team] is None
        return free and not any(seat.gone for seat in self.seats if seat is not None)

    def take(self, team: int, seat: Seat, name: str | None = None) -> None:
        """Let a client play for a team."""
        self.seats[team], self.names[team] = seat, name
        if None in self.seats:
            self.venue.say(f"{seat.address} waits as {self.who(team)}")
        seat.hear = lambda said: self._inbox.put_nowait((team, seat, said))
        self._inbox.put_nowait((team, seat, None))
        if seat.gone:
            seat.hear(Said(None, self.venue.clock()))
        seat.listen()

    async def run(self) -> None:
        """Play the match, tell the console how it went, and see both clients off."""
        try:
            await self.converse()
        except Fault as fault:
            self._abandon(str(fault))
        except asyncio.CancelledError:
            self._abandon("the server was stopped")
            raise
        except Exception as error:  # a defect of the server, which must not cost the other matches
            self._abandon(f"the server failed: {type(error).__name__}: {' '.join(str(error).split())}")
        else:
            self._tell_result()
            await asyncio.gather(*(seat.left(LEAVING_SECONDS) for seat in self.seats if seat is not None))
        finally:
            self._close()

    def begin(self) -> Referee:
        """Call the referee: both clients are ready."""
        self.number = next(self.venue.numbers)
        players = str(self.names[0]), str(self.names[1])
        self.referee, self._ledger = self.venue.referee(self.number, players)
        ends = self.venue.match.ends
        self.say(f"{self.who(0)} against {self.who(1)}, {ends} {'end' if ends == 1 else 'ends'}")
        return self.referee

    async def meet(self) -> None:
        """Wait until both clients are ready; one that leaves or errs before is replaced if the other one is there."""
        while not all(self.ready):
            try:
                await self.welcome()
            except ClientFault as fault:
                if self.seats[1 - fault.team] is None:
                    raise
                self.venue.say(f"client {self.seat(fault.team).address}: {fault}")
                self.vacate(fault.team)

    def vacate(self, team: int) -> None:
        """Send a client away, so that another one can come."""
        self.seat(team).close()
        self.seats[team] = self.names[team] = None
        self.ready[team] = False

    async def hear(self, seconds: float | None = None) -> tuple[int, Said | None]:
        """Who did what next; None is the arrival of a client.

        Args:
            seconds: to wait at most.

        Raises:
            TimeoutError: nobody did anything.
            ClientFault: a client left, or cannot be listened to.
        """
        try:
            async with asyncio.timeout(seconds):
                team, seat, said = await self._inbox.get()
        except TimeoutError:
            if self._inbox.empty():  # else it came in time, while other matches kept this one waiting
                raise
            team, seat, said = self._inbox.get_nowait()
        if seat is not self.seats[team]:  # it was sent away
            return await self.hear(seconds)
        if said is None:
            return team, None
        if said.message is None:
            raise ClientFault(team, f"{self.who(team)} {said.fault}")
        self.seat(team).listen()
        return team, said

    async def answer(self, referee: Referee) -> tuple[bytes, float] | None:
        """What the mover says, and the seconds that it needed; None if its time was up before.

        Raises:
            ClientFault: the other team talks, a client leaves, or the mover does not read what it is sent.
        """
        mover = referee.team
        try:
            delivered = await self.seat(mover).taken()
        except Fault as fault:
            raise ClientFault(mover, f"{self.who(mover)} {fault}") from None
        try:
            team, said = await self.hear(referee.remaining[mover] / 1000.0)
        except TimeoutError:
            return None
        if team != mover or said is None:
            raise ClientFault(team, f"{self.who(team)} sent a message while it was {self.who(mover)}'s turn")
        seconds = max(said.when - delivered, 0.0)
        return (said.text, seconds) if referee.charge(int(1000.0 * seconds)) else None

    def send(self, team: int, *messages: bytes) -> None:
        """Send messages to a team.

        Raises:
            ClientFault: it does not read.
        """
        try:
            self.seat(team).send(*messages)
        except Fault as fault:
            raise ClientFault(team, f"{self.who(team)} {fault}") from None

    def wrong(self, team: int, error: ProtocolError | str) -> ClientFault:
        """What a message that the protocol does not allow leads to."""
        return ClientFault(team, f"{self.who(team)}: {error}")

    def seat(self, team: int) -> Seat:
        """A team's connection."""
        seat = self.seats[team]
        assert seat is not None
        return seat

    def who(self, team: int) -> str:
        """A team as the console calls it."""
        name = self.names[team]
        return self.sides[team] if name is None else f"{self.sides[team]} {shown(name)}"

    def say(self, text: str) -> None:
        """Tell the console about this match."""
        waiting = " and ".join(seat.address for seat in self.seats if seat is not None)
        self.venue.say(f"match {self.number}: {text}" if self.number else f"waiting client {waiting}: {text}")

    def _tell_result(self) -> None:
        assert self.referee is not None and self.referee.result is not None and self._ledger is not None
        result = self.referee.result
        outcome = "a draw" if result.winner is None else f"{self.who(result.winner)} wins"
        kept = f", record {self._ledger.path}" if self._ledger.path else ""
        self.say(f"{outcome}, {result.score[0]}:{result.score[1]} ({result.reason}){kept}")

    def _abandon(self, why: str) -> None:
        if self.referee is None or self.referee.result is None:
            self.say(f"abandoned: {why}")
        else:
            self._tell_result()
        if self.referee is not None:
            self.referee.abandon(why)

    def _close(self) -> None:
        for seat in self.seats:
            if seat is not None:
                seat.close()


def shown(text: str) -> str:
    """A text of a client's as it may stand on a console: short, in one line, without control characters."""
    short = text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 3] + "..."
    return "".join(character if character.isprintable() else "?" for character in short)
