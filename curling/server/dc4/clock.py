"""The clock of a match: the duration of a turn, and a call when its time is up."""

import asyncio
from collections.abc import Callable


class Dc4Clock:
    """Measures one turn after the other.

    Args:
        now: s.
        time_up: called in the event loop when a turn is over its time.
    """

    def __init__(self, now: Callable[[], float], time_up: Callable[[], None]) -> None:
        self._now, self._time_up = now, time_up
        self._since = 0.0
        self._due: asyncio.TimerHandle | None = None

    def start(self, seconds: float | None) -> None:
        """Begin a turn of at most `seconds` seconds; None for no limit."""
        self._since = self._now()
        if seconds is not None:
            self._due = asyncio.get_running_loop().call_later(seconds, self._time_up)

    def stop(self) -> None:
        """End the turn."""
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def lasted(self, until: float) -> float:
        """The seconds from the beginning of the turn until a time."""
        return max(until - self._since, 0.0)
