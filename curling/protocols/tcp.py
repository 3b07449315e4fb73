"""Settings of TCP connections, for all protocols."""

import socket
from asyncio.trsock import TransportSocket

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]

BACKLOG = 1000  # connections that the system queues while the server is busy
AT_ONCE = 8  # connections that are accepted one after the other, before those that are turned away are closed
SHARE = 0.6  # of the files that a process may open, for connections; each match has a record too
PROBES, PAUSE = 3, 10  # number of probes sent to a silent peer, and s between them


def keep_alive(connection: socket.socket, idle: int) -> None:
    """Let the system close the TCP connection to a dead peer, after `idle` s of silence and half a minute of probes."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", idle), ("TCP_KEEPINTVL", PAUSE), ("TCP_KEEPCNT", PROBES)):
        if hasattr(socket, name):  # not on every system
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def queue_connections(listener: socket.socket | TransportSocket) -> None:
    """Let the system queue `BACKLOG` connections to a socket that a server listens on with a backlog of `AT_ONCE`.

    The event loop accepts as many at once as its server's backlog says, and would run out of files.
    """
    with socket.fromfd(listener.fileno(), listener.family, listener.type) as same:
        same.listen(BACKLOG)


def has_room(connection: socket.socket | TransportSocket) -> bool:
    """Return whether this process may open many more files after it has accepted a connection."""
    if resource is None:
        return True
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    # the system gives a new connection the lowest number that is free
    return most == resource.RLIM_INFINITY or connection.fileno() < SHARE * most
