"""Limit the time that a client waits for its server, with a line every ten seconds; opponents may take any time."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from bonspiel.curling.client.exit_status import ConnectionLost

T = TypeVar("T")

LINE = 10.0  # s between two lines
LEAST = 5.0  # s for any answer, also with `--wait 0`; a busy machine may need that long
HINT = "; does another client have this seat, or is it another kind of server?"


@dataclass
class Patience:
    """The time that servers may take before a match, all connections together; waiting for people does not count.

    Attributes:
        report: takes lines for the user.
        left: s.
        answered: whether a server has; see `curling.client.reconnection`.
    """

    report: Callable[[str], None]
    left: float = math.inf
    answered: bool = False

    async def server(self, work: Awaitable[T], what: str) -> T:
        """Wait for the server's part.

        Raises:
            ConnectionLost: it takes too long.
        """
        start, limit = time.monotonic(), max(self.left, LEAST)
        try:
            return await self._wait(work, what, limit)
        finally:
            self.left -= time.monotonic() - start

    async def others(self, work: Awaitable[T], what: str) -> T:
        """Wait for the other team, for as long as it takes."""
        return await self._wait(work, what, math.inf)

    async def _wait(self, work: Awaitable[T], what: str, limit: float) -> T:
        task, start = asyncio.ensure_future(work), time.monotonic()
        try:
            while True:
                waited = time.monotonic() - start
                if waited >= limit:
                    raise ConnectionLost(f"waited {limit:.3g} s for {what} in vain{HINT}")
                await asyncio.wait({task}, timeout=min(LINE, limit - waited))
                if task.done():
                    return await task
                waited = time.monotonic() - start
                if waited < limit:
                    of = "" if limit == math.inf else f" of {limit:.0f}"
                    self.report(f"waiting for {what}, {waited:.0f}{of} s")
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
