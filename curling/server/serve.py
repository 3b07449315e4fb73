"""A practice server from its first port to its last match."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence

from curling.server.listener import Hall, address
from curling.server.session import Session
from curling.server.venue import Venue

Make = Callable[[Venue], Session]
Doors = Callable[[Venue, Hall, str, int], Awaitable[Sequence[asyncio.Server]]]
SIGNALS = signal.SIGINT, signal.SIGTERM


async def serve(venue: Venue, make: Make, doors: Doors, host: str, port: int, most: int | None = None) -> int | None:
    """Serve matches until there were as many as asked for, or a signal comes.

    Args:
        venue: what is played.
        make: a session of the protocol.
        doors: opens its ports for a hall, at an address and from a port on.
        host: address to bind to.
        port: first port; 0 is any free one.
        most: matches after which it is done; None for no limit.

    Returns:
        The signal that ended it; None if the matches did.

    Raises:
        PortError: a port is taken.
    """
    loop, stopped = asyncio.get_running_loop(), asyncio.Queue[int]()
    # not the loop's own handlers, which Windows has not
    before = {
        number: signal.signal(number, lambda came, _: loop.call_soon_threadsafe(stopped.put_nowait, came))
        for number in SIGNALS
    }
    hall = Hall(lambda: make(venue), most)
    servers: Sequence[asyncio.Server] = ()
    try:
        servers = await doors(venue, hall, host, port)
        venue.say(f"listening on {' and '.join(map(address, servers))}: {venue.text}")
        ends = [asyncio.create_task(waiting) for waiting in (stopped.get(), hall.done.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
    finally:
        for server in servers:
            server.close()
        await hall.clear()
        for number, handler in before.items():
            signal.signal(number, handler)
    return int(ends[0].result()) if ends[0].done() and not ends[0].cancelled() else None
