"""The ports of a server: clients that come are seated at matches, in the order they come."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine

from curling.server.seat import Seat
from curling.server.session import Session

BACKLOG = 1000  # connections that the system keeps while we are busy


class Hall:
    """The matches of a server, and those that wait for a client.

    Args:
        make: a new session.
        most: matches that begin, until no more clients are taken; the hall is done when they are over. None for no
            limit.
    """

    def __init__(self, make: Callable[[], Session], most: int | None = None) -> None:
        """A hall without matches."""
        self._make, self._most = make, most
        self._sessions: list[Session] = []  # that are not over, oldest first
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = 0
        self.done = asyncio.Event()

    def seat(self, seat: Seat, team: int | None = None, name: str | None = None) -> None:
        """Let a client play in the oldest match that waits for one.

        Args:
            seat: the client's.
            team: that it must play for; None takes the first that is free.
            name: of the client, if it is known.
        """
        if self._over + sum(None not in session.seats for session in self._sessions) == self._most:
            seat.close()
            return
        waiting = (session for session in self._sessions if session.waits_for(team))
        session = next(waiting, None) or self._open()
        session.take(session.seats.index(None) if team is None else team, seat, name)

    def attend(self, coroutine: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Run something that ends with the hall at the latest."""
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _open(self) -> Session:
        session = self._make()
        self._sessions.append(session)
        self.attend(session.run()).add_done_callback(lambda _: self._close(session))
        return session

    def _close(self, session: Session) -> None:
        self._sessions.remove(session)
        if session.number:  # else it never began
            self._over += 1
        if self._over == self._most:
            self.done.set()

    async def clear(self) -> None:
        """Abandon all matches."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class PortError(OSError):
    """A port that cannot be listened to; the text names it."""


async def listen(host: str, port: int, make: Callable[[], Seat]) -> asyncio.Server:
    """Take connections on a port; 0 is any free one.

    Args:
        host: address to bind to.
        port: see above.
        make: a seat for a connection.

    Raises:
        PortError: the port is taken, or not ours to take.
    """
    try:
        return await asyncio.get_running_loop().create_server(make, host, port, backlog=BACKLOG)
    except OSError as error:
        # asyncio's own text repeats the address, but that of an unknown host is the system's
        why = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise PortError(f"cannot listen on {host}:{port}: {why}") from error


def address(server: asyncio.Server) -> str:
    """HOST:PORT that a server listens on."""
    host, port = server.sockets[0].getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
