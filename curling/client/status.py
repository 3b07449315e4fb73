"""How a client ends: exit statuses, and what they are given for."""

from collections.abc import Awaitable

from curling.client.console import complain
from curling.protocols import ProtocolError

GAME_OVER = 0
CONNECTION_LOST = 3
PROTOCOL_ERROR = 4


class ConnectionLost(Exception):
    """There is no server, or no longer; the text is one line."""


def no_connection(host: str, port: int | str, reason: object) -> ConnectionLost:
    """The error of a server that nobody reaches."""
    return ConnectionLost(f"no connection to {host} port {port} ({reason}); is the server running?")


async def status_of(match: Awaitable[None]) -> int:
    """Play a match to its end, or say in one line on standard error why that was not possible; the exit status."""
    try:
        await match
    except ConnectionLost as error:
        complain(str(error))
        return CONNECTION_LOST
    except ProtocolError as error:
        complain(f"the server broke the protocol: {error}")
        return PROTOCOL_ERROR
    return GAME_OVER
