"""Opens the ports of a server, and assigns clients to matches in the order of their arrival."""

import asyncio
import math
import os
import socket
from asyncio.trsock import TransportSocket
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence

from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.protocols.tcp import AT_ONCE, SHARE, queue_connections
from bonspiel.curling.server.client_connection import ClientConnection, ClientEvent, ClientFault, Fault
from bonspiel.curling.server.guest import Guest
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.session import Session
from bonspiel.planners.core.code.errors import error_text

MOST_CLIENTS = 400  # that are connected to a port at once
QUIET = 60.0  # s between two lines about clients that are turned away


class PortError(OSError):
    """A port that the server cannot listen on; the text names it."""


def port_error(host: str, port: int, error: OSError) -> PortError:
    """The error for a port that cannot be listened on."""
    # asyncio's own text repeats the address, except that for an unknown host
    reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
    return PortError(f"cannot listen on {host}:{port}: {reason}")


async def listen(host: str, port: int, make_connection: Callable[[], asyncio.Protocol]) -> asyncio.Server:
    """Accept connections at an address and a port, 0 for any free one.

    Raises:
        PortError: the port is in use, or not permitted.
    """
    try:
        server = await asyncio.get_running_loop().create_server(make_connection, host, port, backlog=AT_ONCE)
    except OSError as error:
        raise port_error(host, port, error) from error
    for listener in server.sockets:
        queue_connections(listener)
    return server


def listen_address(listener: socket.socket | TransportSocket) -> str:
    """The HOST:PORT that a socket listens on."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class ClientLimit:
    """Admits the clients of a port, up to `MOST_CLIENTS` at once and as long as enough files can be opened.

    Args:
        context: of the server, whose console says that clients are turned away.
        enter: takes each client that is admitted.
    """

    def __init__(self, context: ServerContext, enter: Callable[[ClientConnection], object]) -> None:
        self._context, self._enter = context, enter
        self._inside: list[ClientConnection] = []
        self._reported = -math.inf

    def __call__(self, client: ClientConnection) -> None:
        """Admit a client, or turn it away."""
        self._inside = [one for one in self._inside if not one.lost]
        if len(self._inside) < MOST_CLIENTS and client.has_room:
            self._inside.append(client)
            self._enter(client)
            return
        client.close()
        if self._context.clock() - self._reported >= QUIET:
            self._reported = self._context.clock()
            limits = f"at most {MOST_CLIENTS}, or {SHARE:.0%} of the files that the system allows"
            self._context.report(
                f"{len(self._inside)} clients are connected to a port ({limits}): others are turned away"
            )


class Lobby:
    """The clients of a server that wait for a match, and the running matches.

    A match begins as soon as two clients are ready that may meet, so that a silent or hostile one keeps nobody waiting;
    of several, the first to arrive plays.

    Args:
        make_session: makes a new session.
        most: number of matches to begin; later clients are turned away. None for no limit.

    Attributes:
        done: set when `most` matches are over.
        faults: by side, the last client that broke a limit or the protocol before its match, and its fault.
    """

    def __init__(self, make_session: Callable[[], Session], most: int | None = None) -> None:
        self._make_session, self._most = make_session, most
        # the oldest first, with the session that greets them; they may play in another one
        self._guests: dict[Guest, Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun = self._over = 0
        self.done = asyncio.Event()
        self.faults: dict[int, tuple[Guest, Fault]] = {}

    @property
    def waiting(self) -> list[Guest]:
        """The clients that wait for a match, oldest first."""
        return list(self._guests)

    def assign(self, client: ClientConnection, team: int | None = None, name: str | None = None) -> None:
        """Greet a client, and let it play for this team, None for either, as soon as there is an opponent."""
        if self._begun == self._most:
            client.close()
            return
        partner = self._lonely_guest(team)
        session = self._make_session() if partner is None else self._guests[partner]
        side = team if team is not None else 0 if partner is None else 1 - partner.side
        guest = Guest(client, session.sides, side, team is not None, name)
        self._guests[guest] = session
        if partner is None:
            session.context.report(f"{client.address} waits as {guest.label}")
        else:
            partner.side = 1 - side
        self.start_task(self._receive(guest, session))

    def start_task(self, coroutine: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Run a coroutine until it ends, or until `close`."""
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Abandon all matches."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._turn_away()

    def _lonely_guest(self, team: int | None) -> Guest | None:
        """The oldest guest without a partner in its session whom a client for this team may meet."""
        shared = Counter(self._guests.values())
        lonely = (guest for guest, session in self._guests.items() if shared[session] == 1)
        return next((guest for guest in lonely if team is None or not guest.is_bound or guest.side != team), None)

    async def _receive(self, guest: Guest, session: Session) -> None:
        """Greet a guest, and begin a match if another one is ready already."""
        try:
            await session.greet(guest)
        except ClientFault as error:
            self._dismiss(guest, error.fault)
            return
        except ProtocolError as error:
            self._dismiss(guest, Fault("protocol", str(error)))
            return
        except Exception as error:  # a defect must not end the server
            self._dismiss(guest, Fault("protocol", f"the server failed: {error_text(error)}"))
            return
        guest.watch(lambda event: self._dismiss(guest, _fault_of(event)))
        if guest not in self._guests:  # it left meanwhile
            return
        guest.ready = True
        opponent = next((other for other in self._guests if other.ready and guest.may_meet(other)), None)
        if opponent is not None:
            self._begin([one for one in self._guests if one in (guest, opponent)])

    def _begin(self, pair: Sequence[Guest]) -> None:
        """Begin the match of two ready guests, the first to arrive first."""
        greeting = [self._guests.pop(guest) for guest in pair]
        session = next((one for one in greeting if one.clients == [None, None]), None) or self._make_session()
        first, second = pair
        team = first.side if first.is_bound else 1 - second.side if second.is_bound else 0
        for guest, side in ((first, team), (second, 1 - team)):
            session.add_client(side, guest.client, guest.name)
        self._begun += 1
        if self._begun == self._most:
            self._turn_away()
        self.start_task(session.run()).add_done_callback(self._count)

    def _dismiss(self, guest: Guest, fault: Fault) -> None:
        """Disconnect a guest for a fault."""
        session = self._guests.pop(guest, None)
        if session is not None:
            awaited = any(guest.may_meet(other) for other in self._guests)
            who = "client" if awaited else "waiting client"
            session.context.report(f"{who} {guest.client.address}: {fault.line(guest.label)}")
            if fault.kind != "left":
                self.faults[guest.side] = guest, fault
        guest.client.close()

    def _turn_away(self) -> None:
        """Disconnect all guests, for whom there are no more matches."""
        while self._guests:
            self._guests.popitem()[0].client.close()

    def _count(self, _: object) -> None:
        self._over += 1
        if self._over == self._most:
            self.done.set()


def _fault_of(event: ClientEvent) -> Fault:
    """The fault of a client that does something while it waits."""
    return event.fault if event.message is None else Fault("protocol", "a message before the match began")
