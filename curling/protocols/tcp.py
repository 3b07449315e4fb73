"""Settings of TCP connections, for all protocols."""

import socket

PROBES, PAUSE = 3, 10  # number of probes sent to a silent peer, and s between them


def keep_alive(connection: socket.socket, idle: int) -> None:
    """Let the system close the TCP connection to a dead peer, after `idle` s of silence and half a minute of probes."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", idle), ("TCP_KEEPINTVL", PAUSE), ("TCP_KEEPCNT", PROBES)):
        if hasattr(socket, name):  # not on every system
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
