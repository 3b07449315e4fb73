"""Listens on the ports of a server."""

import asyncio
import os
import socket
from collections.abc import Callable

BACKLOG = 1000  # connections that the system queues while the server is busy


class PortError(OSError):
    """A port that the server cannot listen on; the text names it."""


async def listen(host: str, port: int, make_connection: Callable[[], asyncio.Protocol]) -> asyncio.Server:
    """Accept connections on a port.

    Args:
        host: address to bind to.
        port: 0 is any free one.
        make_connection: makes the handler of a connection.

    Raises:
        PortError: the port is in use, or not permitted.
    """
    try:
        return await asyncio.get_running_loop().create_server(make_connection, host, port, backlog=BACKLOG)
    except OSError as error:
        # asyncio's own text repeats the address, except that for an unknown host
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise PortError(f"cannot listen on {host}:{port}: {reason}") from error


def listen_address(server: asyncio.Server) -> str:
    """The HOST:PORT that a server listens on."""
    host, port = server.sockets[0].getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
