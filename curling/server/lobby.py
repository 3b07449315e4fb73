"""Opens the ports of a server, and assigns clients to matches in the order of their arrival."""

import asyncio
import os
import socket
from asyncio.trsock import TransportSocket
from collections.abc import Callable, Coroutine
from functools import partial

from curling.server.client_connection import ClientConnection
from curling.server.session import Session

BACKLOG = 1000  # connections that the system queues while the server is busy


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
        return await asyncio.get_running_loop().create_server(make_connection, host, port, backlog=BACKLOG)
    except OSError as error:
        raise port_error(host, port, error) from error


def listen_address(listener: socket.socket | TransportSocket) -> str:
    """The HOST:PORT that a socket listens on."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class Lobby:
    """The running matches of a server, and those that wait for a client.

    Args:
        make_session: makes a new session.
        most: number of matches to begin; later clients are turned away. None for no limit.

    Attributes:
        done: set when `most` matches are over.
    """

    def __init__(self, make_session: Callable[[], Session], most: int | None = None) -> None:
        self._make_session, self._most = make_session, most
        self._sessions: list[Session] = []  # running or waiting, oldest first
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = 0
        self.done = asyncio.Event()

    def assign(self, client: ClientConnection, team: int | None = None, name: str | None = None) -> None:
        """Add a client to the oldest match that waits for one for this team; None takes the first that is free."""
        if self._over + sum(None not in session.clients for session in self._sessions) == self._most:
            client.close()
            return
        session = next((session for session in self._sessions if session.waits_for(team)), None)
        if session is None:
            session = self._make_session()
            self._sessions.append(session)
            self.start_task(session.run()).add_done_callback(partial(self._remove_session, session))
        session.add_client(session.clients.index(None) if team is None else team, client, name)

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

    def _remove_session(self, session: Session, _: object) -> None:
        self._sessions.remove(session)
        if session.number:  # else it never began
            self._over += 1
        if self._over == self._most:
            self.done.set()
