"""The common part of the sessions of all protocols: two clients, one referee, and the end of the match."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from bonspiel.curling.protocols import ProtocolError, check_kind
from bonspiel.curling.protocols.console import count_ends
from bonspiel.curling.records.record import printable
from bonspiel.curling.server.client_connection import ClientConnection, ClientEvent, ClientFault, Fault
from bonspiel.curling.server.console_lines import result_line
from bonspiel.curling.server.guest import Guest
from bonspiel.curling.server.referee import Referee
from bonspiel.curling.server.server_context import RecordPublisher, ServerContext
from bonspiel.planners.core.code.errors import error_text

LEAVING_SECONDS = 10.0  # for clients to close their connections after the match


class TeamFault(Exception):
    """A fault of one of the two clients, which ends the match without a result; the text names its team.

    Attributes:
        team: the team.
        fault: the fault.
    """

    def __init__(self, team: int, label: str, fault: Fault) -> None:
        super().__init__(fault.line(label))
        self.team, self.fault = team, fault


class Session(ABC):
    """One match between two clients, and the greeting of those that may play it.

    An error ends this match and no other: both connections are closed, and the record states the reason.

    Attributes:
        number: of the match; 0 until it begins.
        clients: the two connections; None until both are ready.
        names: of the clients; None until then.
        referee: None until the match begins.
        fault: that ended the match without a result; None without one.
    """

    sides = ("team0", "team1")

    def __init__(self, context: ServerContext, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes]) -> None:
        self.context, self._decode, self._encode = context, decode, encode
        self.number = 0
        self.clients: list[ClientConnection | None] = [None, None]
        self.names: list[str | None] = [None, None]
        self.referee: Referee | None = None
        self.fault: TeamFault | None = None
        self._record: RecordPublisher | None = None
        self._events: asyncio.Queue[tuple[int, ClientEvent]] = asyncio.Queue()

    @abstractmethod
    async def run_match(self) -> None:
        """Play the match to its result.

        Raises:
            TeamFault: a client broke the protocol, or left.
        """

    @abstractmethod
    async def greet(self, guest: Guest) -> None:
        """Greet a client, up to where it is ready for a match.

        Raises:
            ProtocolError: it breaks the protocol, or does not answer in time.
            ClientFault: it left, or broke a limit.
        """

    def add_client(self, team: int, client: ClientConnection, name: str | None = None) -> None:
        """Let a client that is ready play for a team."""
        self.clients[team], self.names[team] = client, name
        client.on_event = lambda event: self._events.put_nowait((team, event))
        if client.closed:
            client.on_event(ClientEvent(None, self.context.clock()))
        client.resume()

    async def run(self) -> None:
        """Play the match, report its result, and wait for both clients to leave."""
        try:
            await self.run_match()
        except TeamFault as fault:
            self.fault = fault
            self._abandon(str(fault))
        except asyncio.CancelledError:
            self._abandon("the server was stopped")
            raise
        except Exception as error:  # a defect of the server must not end the other matches
            self._abandon(f"the server failed: {error_text(error)}")
        else:
            self._report_result()
            await asyncio.gather(*(client.wait_lost(LEAVING_SECONDS) for client in self.clients if client is not None))
        finally:
            for client in self.clients:
                if client is not None:
                    client.close()

    def begin(self) -> Referee:
        """Begin the match of two ready clients."""
        self.number = next(self.context.numbers)
        self.referee, self._record = self.context.new_referee(self.number, (str(self.names[0]), str(self.names[1])))
        self.report(f"{self.team_label(0)} against {self.team_label(1)}, {count_ends(self.context.match.ends)}")
        return self.referee

    async def next_event(self, seconds: float | None = None) -> tuple[int, ClientEvent]:
        """The next team with an event within this many seconds, and the event.

        Raises:
            TimeoutError: no event in time.
            TeamFault: a client left or broke a limit.
        """
        try:
            async with asyncio.timeout(seconds):
                team, event = await self._events.get()
        except TimeoutError:
            if self._events.empty():  # else it arrived in time, while other matches delayed this one
                raise
            team, event = self._events.get_nowait()
        if event.message is None:
            raise self._team_fault(team, event.fault)
        self.client(team).resume()
        return team, event

    async def next_move(self, referee: Referee) -> tuple[bytes, float] | None:
        """The message of the team to move, and the seconds that it took; None if its time ran out.

        Raises:
            TeamFault: the other team sends a message, a client leaves, or the team to move does not read.
        """
        mover = referee.team
        try:
            delivered = await self.client(mover).wait_drained()
        except ClientFault as error:
            raise self._team_fault(mover, error.fault) from None
        try:
            team, event = await self.next_event(referee.remaining[mover] / 1000.0)
        except TimeoutError:
            return None
        if team != mover:
            text = f"sent a message while it was {self.team_label(mover)}'s turn"
            raise self._team_fault(team, Fault("turn", text))
        seconds = max(event.when - delivered, 0.0)
        return (event.text, seconds) if referee.charge(int(1000.0 * seconds)) else None

    def send(self, *messages: Any, teams: Sequence[int] = (0, 1)) -> None:
        """Send messages to both teams, or to some.

        Raises:
            TeamFault: a team does not read.
        """
        text = b"".join(map(self._encode, messages))
        for team in teams:
            try:
                self.client(team).send(text)
            except ClientFault as error:
                raise self._team_fault(team, error.fault) from None

    def check_message(self, team: int, text: bytes, *kinds: type) -> Any:
        """Decode a client's message.

        Raises:
            TeamFault: it is invalid, or of none of these kinds.
        """
        try:
            return check_kind(self._decode(text), *kinds)
        except ProtocolError as error:
            raise self._team_fault(team, Fault("protocol", str(error))) from None

    def client(self, team: int) -> ClientConnection:
        """A team's connection."""
        client = self.clients[team]
        assert client is not None
        return client

    def team_label(self, team: int) -> str:
        """A team's side and name, for the console."""
        name = self.names[team]
        return self.sides[team] if name is None else f"{self.sides[team]} {printable(name)}"

    def report(self, text: str) -> None:
        """Print a line about this match."""
        self.context.report(f"match {self.number}: {text}")

    def _team_fault(self, team: int, fault: Fault) -> TeamFault:
        return TeamFault(team, self.team_label(team), fault)

    def _report_result(self) -> None:
        assert self.referee is not None and self.referee.result is not None and self._record is not None
        result = self.referee.result
        winner = None if result.winner is None else self.team_label(result.winner)
        self.report(result_line(result, winner, self._record.path))

    def _abandon(self, reason: str) -> None:
        if self.referee is None or self.referee.result is None:
            self.report(f"abandoned: {reason}")
        else:
            self._report_result()
        if self.referee is not None:
            self.referee.abandon(reason)
