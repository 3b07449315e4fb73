"""Runs a practice server from its first port to its last match."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

from bonspiel.curling.server.lobby import Lobby, listen_address
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.session import Session

MakeSession = Callable[[ServerContext], Session]
OpenListeners = Callable[[ServerContext, Lobby, str, int], Awaitable[Sequence[asyncio.Server]]]
SIGNALS = signal.SIGINT, signal.SIGTERM
LONGEST_WAIT = 0.5  # seconds


async def serve_matches(
    context: ServerContext, make: MakeSession, listen: OpenListeners, host: str, port: int, most: int | None
) -> int | None:
    """Serve matches until the requested number is over or a signal arrives.

    Args:
        context: of the server.
        make: makes a session of the protocol.
        listen: opens the protocol's ports at an address and from a port on; their clients go to a lobby.
        host: address to bind to.
        port: first port; 0 is any free one.
        most: number of matches; None for no limit.

    Returns:
        The signal that ended the server, or None.

    Raises:
        PortError: a port is in use.
    """
    lobby = Lobby(lambda: make(context), most)
    servers: Sequence[asyncio.Server] = ()
    with signals_caught() as signals:
        try:
            servers = await listen(context, lobby, host, port)
            where = " and ".join(listen_address(server.sockets[0]) for server in servers)
            context.report(f"listening on {where}: {context.summary}")
            return await signal_before(lobby.done, signals)
        finally:
            for server in servers:
                server.close()
            await lobby.close()


@contextmanager
def signals_caught() -> "Iterator[asyncio.Queue[int]]":
    """The signals that would end this process, from now on until the block ends."""
    loop, caught = asyncio.get_running_loop(), asyncio.Queue[int]()
    # not by the loop's own handlers, which Windows does not have
    before = {
        number: signal.signal(number, lambda received, _: loop.call_soon_threadsafe(caught.put_nowait, received))
        for number in SIGNALS
    }
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def signal_before(done: asyncio.Event, signals: "asyncio.Queue[int]") -> int | None:
    """Wait for the first signal, or for an event; the signal, or None."""
    ends = [asyncio.create_task(waiting) for waiting in (signals.get(), done.wait())]
    while not any(end.done() for end in ends):
        # in parts, since no signal ends the loop's waiting that reached another thread, or the main one just before
        await asyncio.wait(ends, timeout=LONGEST_WAIT, return_when=asyncio.FIRST_COMPLETED)
    for end in ends:
        end.cancel()
    return int(ends[0].result()) if ends[0].done() and not ends[0].cancelled() else None
