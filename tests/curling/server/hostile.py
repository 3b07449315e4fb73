"""Clients that waste the time of a practice server before a match begins, again and again."""

import asyncio
import itertools
from contextlib import asynccontextmanager, suppress

LONGEST = 30.0  # s of an act
PAUSE = 0.05  # s between two connections of a loop: clients of other matches need the processor too


async def say_nothing(reader, writer, player):
    """Stay silent until the server has enough."""
    await reader.read()


async def leave(reader, writer, player):
    """Go at once, as a scan of ports does."""


async def send_garbage(reader, writer, player):
    """Send what is no message."""
    writer.write(b"\xff\xfe{[(" * 20 + b"\n\0")
    await reader.read()


async def greet_and_say_nothing(reader, writer, player):
    """Send no more than the name."""
    writer.write(player.hello)
    await reader.read()


async def greet_and_leave(reader, writer, player):
    """Go before being ready."""
    writer.write(player.hello)
    await reader.read(1000)


async def send_slowly(reader, writer, player):
    """Send the greeting byte by byte."""
    for byte in player.hello * 5:
        writer.write(bytes([byte]))
        await asyncio.sleep(0.2)


async def never_end(reader, writer, player):
    """Send a message that is too long."""
    writer.write(player.hello[:5] + b"x" * 100_000)
    await reader.read()


ACTS = say_nothing, leave, send_garbage, greet_and_say_nothing, greet_and_leave, send_slowly, never_end


async def _loop(host, door, acts):
    """One act after the other, each on a new connection."""
    for act in acts:
        with suppress(OSError, TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", host.ports[door])
            try:
                async with asyncio.timeout(LONGEST):
                    await act(reader, writer, host.player())
            finally:
                writer.transport.abort()
        await asyncio.sleep(PAUSE)


@asynccontextmanager
async def under_attack(host, loops):
    """Run so many hostile loops, at all doors alike, beside what happens within."""
    tasks = []
    for number in range(loops):
        acts = ACTS[number % len(ACTS) :] + ACTS[: number % len(ACTS)]
        door = number % len(host.ports)
        tasks.append(asyncio.create_task(_loop(host, door, itertools.cycle(acts))))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
