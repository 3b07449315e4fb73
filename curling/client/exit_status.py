"""Exit statuses of the client, and the errors behind them."""

from collections.abc import Awaitable

from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.protocols.console import print_error

GAME_OVER = 0
CONNECTION_LOST = 3
PROTOCOL_ERROR = 4


class ConnectionLost(Exception):
    """The server is unreachable or has closed the connection; the text is one line."""


class NoSuchHost(ConnectionLost):
    """No machine can have this name, so that waiting is in vain."""


def no_connection(host: str, port: int | str, reason: object) -> ConnectionLost:
    """The error for an unreachable server."""
    return ConnectionLost(f"no connection to {host} port {port} ({reason}); is the server running?")


async def exit_status(match: Awaitable[None]) -> int:
    """Play a match to its end; a lost connection or a protocol error is printed in one line. The exit status."""
    try:
        await match
    except ConnectionLost as error:
        print_error(str(error))
        return CONNECTION_LOST
    except ProtocolError as error:
        print_error(f"the server broke the protocol: {error}")
        return PROTOCOL_ERROR
    return GAME_OVER
