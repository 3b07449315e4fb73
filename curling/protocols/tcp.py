"""What connections over TCP have in common, whatever is said over them."""

import socket

PROBES, PAUSE = 3, 10  # how often a silent peer is asked whether it is there, and every how many seconds


def keep_alive(line: socket.socket, idle: int) -> None:
    """Let the system notice a peer whose machine is gone, after `idle` s of silence and half a minute of probes.

    Args:
        line: a connection.
        idle: s.
    """
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", idle), ("TCP_KEEPINTVL", PAUSE), ("TCP_KEEPCNT", PROBES)):
        if hasattr(socket, name):  # not on every system
            line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
