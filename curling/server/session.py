"""The common part of the sessions of all protocols: two clients, one referee, and the end of the match."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from curling.client.console import count_ends
from curling.protocols import ProtocolError, check_kind
from curling.server.client_connection import ClientConnection, ClientEvent, ClientFault
from curling.server.console_lines import printable, result_line
from curling.server.referee import Referee
from curling.server.server_context import RecordPublisher, ServerContext
from planners.core.packages import error_text

LEAVING_SECONDS = 10.0  # for clients to close their connections after the match


class TeamFault(ClientFault):
    """A fault of one of the two clients; the text names its team."""

    def __init__(self, team: int, text: str) -> None:
        super().__init__(text)
        self.team = team


class Session(ABC):
    """One match between two clients, from the arrival of the first one on.

    An error ends this match and no other: both connections are closed, and the record states the reason.

    Attributes:
        number: of the match; 0 until it begins.
        clients: the two connections; None where one is missing.
        names: of the clients; None until known.
        ready: whether each client is ready.
        referee: None until the match begins.
    """

    sides = ("team0", "team1")

    def __init__(self, context: ServerContext, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes]) -> None:
        self.context, self._decode, self._encode = context, decode, encode
        self.number = 0
        self.clients: list[ClientConnection | None] = [None, None]
        self.names: list[str | None] = [None, None]
        self.ready = [False, False]
        self.referee: Referee | None = None
        self._record: RecordPublisher | None = None
        self._events: asyncio.Queue[tuple[int, ClientConnection, ClientEvent | None]] = asyncio.Queue()

    @abstractmethod
    async def run_match(self) -> None:
        """Play the match to its result.

        Raises:
            ClientFault: a client broke the protocol, or left.
        """

    @abstractmethod
    async def greet(self) -> None:
        """Take the next step of the greeting of a client, until it is ready.

        Raises:
            TeamFault: see `run_match`.
        """

    def waits_for(self, team: int | None) -> bool:
        """Whether a client for this team, or None for either, is missing while no other client has left."""
        free = None in self.clients if team is None else self.clients[team] is None
        return free and not any(client.closed for client in self.clients if client is not None)

    def add_client(self, team: int, client: ClientConnection, name: str | None = None) -> None:
        """Let a client play for a team."""
        self.clients[team], self.names[team] = client, name
        if None in self.clients:
            self.context.report(f"{client.address} waits as {self.team_label(team)}")
        client.on_event = lambda event: self._events.put_nowait((team, client, event))
        self._events.put_nowait((team, client, None))
        if client.closed:
            client.on_event(ClientEvent(None, self.context.clock()))
        client.resume()

    async def run(self) -> None:
        """Play the match, report its result, and wait for both clients to leave."""
        try:
            await self.run_match()
        except ClientFault as fault:
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

    async def wait_until_ready(self) -> None:
        """Greet both clients; one that leaves or errs is removed if the other one is connected."""
        while not all(self.ready):
            try:
                await self.greet()
            except TeamFault as fault:
                if self.clients[1 - fault.team] is None:
                    raise
                self.context.report(f"client {self.client(fault.team).address}: {fault}")
                self.remove_client(fault.team)

    def remove_client(self, team: int) -> None:
        """Disconnect a client, so that another one can take its place."""
        self.client(team).close()
        self.clients[team] = self.names[team] = None
        self.ready[team] = False

    async def next_event(self, seconds: float | None = None) -> tuple[int, ClientEvent | None]:
        """The next team with an event within this many seconds, and the event; None for the arrival of its client.

        Raises:
            TimeoutError: no event in time.
            TeamFault: a client left or broke a limit.
        """
        try:
            async with asyncio.timeout(seconds):
                team, client, event = await self._events.get()
        except TimeoutError:
            if self._events.empty():  # else it arrived in time, while other matches delayed this one
                raise
            team, client, event = self._events.get_nowait()
        if client is not self.clients[team]:  # it was removed
            return await self.next_event(seconds)
        if event is None:
            return team, None
        if event.message is None:
            raise TeamFault(team, f"{self.team_label(team)} {event.fault}")
        client.resume()
        return team, event

    async def next_move(self, referee: Referee) -> tuple[bytes, float] | None:
        """The message of the team to move, and the seconds that it took; None if its time ran out.

        Raises:
            TeamFault: the other team sends a message, a client leaves, or the team to move does not read.
        """
        mover = referee.team
        try:
            delivered = await self.client(mover).wait_drained()
        except ClientFault as fault:
            raise TeamFault(mover, f"{self.team_label(mover)} {fault}") from None
        try:
            team, event = await self.next_event(referee.remaining[mover] / 1000.0)
        except TimeoutError:
            return None
        if team != mover or event is None:
            label = self.team_label(mover)
            raise TeamFault(team, f"{self.team_label(team)} sent a message while it was {label}'s turn")
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
            except ClientFault as fault:
                raise TeamFault(team, f"{self.team_label(team)} {fault}") from None

    def check_message(self, team: int, text: bytes, *kinds: type) -> Any:
        """Decode a client's message.

        Raises:
            TeamFault: it is invalid, or of none of these kinds.
        """
        try:
            return check_kind(self._decode(text), *kinds)
        except ProtocolError as error:
            raise self.protocol_fault(team, error) from None

    def protocol_fault(self, team: int, error: ProtocolError | str) -> TeamFault:
        """The fault of a team that sent a message that the protocol does not allow."""
        return TeamFault(team, f"{self.team_label(team)}: {error}")

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
        waiting = " and ".join(client.address for client in self.clients if client is not None)
        self.context.report(f"match {self.number}: {text}" if self.number else f"waiting client {waiting}: {text}")

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
