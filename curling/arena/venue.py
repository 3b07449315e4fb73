"""A server for one match of an arena, by the protocols of Digital Curling 3 and 4."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

from bonspiel.curling.protocols import dc3
from bonspiel.curling.protocols.dc3_codec import encode
from bonspiel.curling.records.match_data import Item, Match, RecordedShot, Result
from bonspiel.curling.records.record import printable
from bonspiel.curling.server.dc3 import Dc3Session, listen_dc3
from bonspiel.curling.server.lobby import Lobby
from bonspiel.curling.server.record_feed import RecordFeed
from bonspiel.curling.server.server_context import ServerContext

HOST = "127.0.0.1"
FRAME_STEPS = 1000  # of the simulator between two frames of the stones' paths, which PyPI's dc3client needs
TEAMS = "team0", "team1"
LEFT = "left the match"


class Venue(ABC):
    """A server for one match, which is open within `opened`.

    Args:
        context: of the server, whose console lines nobody reads here; the venue makes the feed.
        shots: after so many the match is over, as far as the venue is concerned; None: when it has a result.

    Attributes:
        begun: set when the match begins.
        over: set when it is over.
        items: of its record so far.
        result: None until it is over.
    """

    def __init__(self, context: ServerContext, shots: int | None = None) -> None:
        feed, self._shots = RecordFeed(), shots
        self.context = replace(context, feed=feed, report=lambda text: None)
        self.begun, self.over = asyncio.Event(), asyncio.Event()
        self.items: list[Item] = []
        self.result: Result | None = None
        feed.subscribe(self._keep)

    def _keep(self, match_id: str, item: Item) -> None:
        self.items.append(item)
        if isinstance(item, Match):
            self.begun.set()
        elif isinstance(item, Result):
            self.result = item
            self.over.set()
        elif isinstance(item, RecordedShot) and self._shots is not None:
            self._shots -= 1
            if self._shots == 0:
                self.over.set()

    @abstractmethod
    def opened(self) -> AbstractAsyncContextManager[None]:
        """Serve within this block, an asynchronous one; every connection is closed in the end."""

    @abstractmethod
    def seated(self, team: int) -> AbstractAsyncContextManager[None]:
        """Seat within this block, which is within `opened`, somebody for a team who is ready and then does nothing."""

    @abstractmethod
    def values(self, team: int) -> Mapping[str, str]:
        """A client's way to the server, by the names in `clients.MEANINGS`."""

    @abstractmethod
    def is_connected(self, team: int) -> bool:
        """Return whether a client of a team is connected."""

    @abstractmethod
    def is_ready(self, team: int) -> bool:
        """Return whether a client of a team is ready for the match."""

    @property
    def fault(self) -> tuple[int, str] | None:
        """The team that broke the protocol or left during the match, and how; None if none did."""
        return None

    @abstractmethod
    def complaint(self, team: int) -> str | None:
        """Why the server did not let the last client of a team into the match; None if it refused none."""

    def refusal(self, team: int) -> str | None:
        """The server's last refusal of a request by a team, which could go on, if there is one."""
        return None


class Dc3Venue(Venue):
    """A server of Digital Curling 3 with two ports of its own."""

    def __init__(self, context: ServerContext, shots: int | None = None) -> None:
        super().__init__(context, shots)
        self._sessions: list[Dc3Session] = []
        self._lobby = Lobby(self._new_session, 1)
        self._ports: list[int] = []

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """See `Venue.opened`."""
        servers = await listen_dc3(self.context, self._lobby, HOST, 0)
        try:
            self._ports = [server.sockets[0].getsockname()[1] for server in servers]
            yield
        finally:
            for server in servers:
                server.close()
            await self._lobby.close()

    @asynccontextmanager
    async def seated(self, team: int) -> AsyncIterator[None]:
        """See `Venue.seated`."""
        reader, writer = await asyncio.open_connection(HOST, self._ports[team])
        try:
            for answer in (dc3.DcOk("nobody"), dc3.ReadyOk()):
                await reader.readline()
                writer.write(encode(answer))
            yield
        finally:
            writer.close()

    def values(self, team: int) -> Mapping[str, str]:
        """See `Venue.values`."""
        return {"host": HOST, "port": str(self._ports[team]), "team": TEAMS[team]}

    def is_connected(self, team: int) -> bool:
        """See `Venue.is_connected`."""
        client = self._session.clients[team] if self._session is not None else None
        playing = client is not None and not client.lost
        return playing or any(guest.side == team for guest in self._lobby.waiting)

    def is_ready(self, team: int) -> bool:
        """See `Venue.is_ready`."""
        return self.begun.is_set() or any(guest.side == team and guest.ready for guest in self._lobby.waiting)

    @property
    def fault(self) -> tuple[int, str] | None:
        """See `Venue.fault`."""
        session = self._session
        if session is None or session.fault is None:
            return None
        kind, text = session.fault.fault
        return session.fault.team, {"left": LEFT, "protocol": f"broke the protocol: {text}"}.get(kind, text)

    def complaint(self, team: int) -> str | None:
        """See `Venue.complaint`."""
        if team not in self._lobby.faults:
            return None
        guest, fault = self._lobby.faults[team]
        return fault.text if guest.name is None else fault.line(printable(guest.name))

    @property
    def _session(self) -> Dc3Session | None:
        return next((session for session in self._sessions if session.referee is not None), None)

    def _new_session(self) -> Dc3Session:
        self._sessions.append(Dc3Session(self.context, FRAME_STEPS))
        return self._sessions[-1]
