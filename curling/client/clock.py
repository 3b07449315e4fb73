"""How long a move may take, so that no match is lost on time.

What is left of the clock is shared out evenly among the own shots to come and a reserve. A move may take a fraction of
its slice. Within that, the planner's time leaves room for the network and for a planner that is late, as on a machine
that is busy with other things.
"""

from collections import deque
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from curling.sheet import STONES, TEAM_STONES

RESERVE = 0.5  # of a shot, so that the last one does not take all there is
FRACTION = 0.95  # of the slice
LATE_SHARE, LATE = 0.05, 0.004  # planners keep a budget within a twentieth or 4 ms, whichever is more; allow both
HICCUP, HICCUP_SHARE = 0.3, 0.15  # s to spare for a system that is busy elsewhere, but not more of a slice than this
REMEMBERED, WORSE = 4, 1.25  # moves whose largest delays are expected again, and somewhat more
LONGEST = 60.0  # s that a planner may think; a server may give days, and no more helps after a minute
LEAST = 0.005  # s, less is no time to plan in
MOST_ANSWER = 1.0  # s; a server that answers a greeting later waits for something else than the network


class Allowance(NamedTuple):
    """Time for one move, s from now on: for the planner, and until the move must leave.

    No time for the planner is 0.
    """

    seconds: float
    limit: float


def shots_left(shot: int, ends: int) -> int:
    """Shots that the team on turn still has to throw on this clock, the present one included.

    Args:
        shot: number of the present one in its end, 0..15.
        ends: that the clock is for, the present one included.
    """
    return (STONES + 1 - shot) // 2 + TEAM_STONES * (ends - 1)


@dataclass
class Clock:
    """Shares out the time that a server leaves, and learns how much of it goes by on the way and how late planners are.

    Args:
        delay: what a move is expected to be charged for the network before anything is known of it, s.
        fraction: of its slice that a move may take, with all delays.
        longest: that a planner may think, s.
    """

    delay: float = 0.0
    fraction: float = FRACTION
    longest: float = LONGEST
    _delays: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _overruns: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _due: float = inf  # s from the receipt of the server's message until the planner should be done

    def allowance(self, remaining: float, shots: int, spent: float = 0.0) -> Allowance:
        """Time for the next move.

        Args:
            remaining: on the own clock, s.
            shots: `shots_left`.
            spent: since the receipt of the server's message, s.
        """
        part = max(remaining, 0.0) / (shots + RESERVE)
        limit = max(self.fraction * part - WORSE * max(self._delays, default=self.delay) - spent, 0.0)
        spare = LATE + max(min(HICCUP, HICCUP_SHARE * part), min(WORSE * max(self._overruns, default=0.0), limit / 2.0))
        limit = min(limit, (1.0 + LATE_SHARE) * self.longest + spare)
        seconds = (limit - spare) / (1.0 + LATE_SHARE)
        if seconds < LEAST:
            seconds = 0.0
        self._due = spent + (1.0 + LATE_SHARE) * seconds if seconds else inf
        return Allowance(seconds, limit)

    def answered(self, seconds: float) -> None:
        """Learn from the time that the server took to answer what it answers at once, s."""
        self.delay = max(self.delay, min(seconds, MOST_ANSWER))

    def charged(self, seconds: float, own: float) -> None:
        """Learn from a move.

        Args:
            seconds: that the server took off the clock for it.
            own: from the receipt of the server's message to the sending of the move, s.
        """
        self._delays.append(max(seconds - own, 0.0))
        self._overruns.append(max(own - self._due, 0.0))
