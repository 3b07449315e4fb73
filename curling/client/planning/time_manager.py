"""Time management: the time for each move, chosen so that no match is lost on time.

The remaining time is divided among the team's own remaining shots, in shares by the number of the shot in its end,
less a reserve for one long delay: at least the longest one of the match. A move may take a fraction of its share.
Within that, the planner's time leaves room for the usual delay of the network and for planners that overrun, for
example on a busy machine.
"""

from collections import deque
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from bonspiel.curling.ice.sheet import LAST_SHOT, STONES

RESERVE, MOST_RESERVE = 1.0, 2.5  # of a shot and s, whichever is less: for a first long delay, at any shot
FRACTION = 0.95  # of the share
LEFT = 0.5  # of a share without a reserve, which is left for a shot however long a delay was
LATE_SHARE, LATE = 0.05, 0.004  # planners keep a budget within 5 % or 4 ms, whichever is larger; allow both
HICCUP, HICCUP_SHARE = 0.3, 0.15  # s of margin for a busy system, at most this part of a share
REMEMBERED, WORSE = 6, 1.25  # expect the delays of the last moves again, and the longest one, times this factor
LONGEST = 60.0  # s of planning; a server may give days, but nothing is gained after a minute
LEAST = 0.005  # s; less is too short to plan
MOST_ANSWER = 1.0  # s; a later answer to a greeting is not due to the network


SHARES = tuple(1.0 + shot / LAST_SHOT for shot in range(STONES))


class Allowance(NamedTuple):
    """Time for one move, s from now: for planning (0: too short to plan), and until the move must be sent."""

    seconds: float
    limit: float


def shots_left(shot: int, ends: int, first_shot: int = 0) -> int:
    """Shots that the team to move still throws from shot 0..15 on, in `ends` ends, the current one included.

    `first_shot` is the number of the first shot of an end.
    """
    return (STONES + 1 - shot) // 2 + (STONES - first_shot) // 2 * (ends - 1)


def slices_left(shot: int, ends: int, first_shot: int = 0) -> float:
    """The time left for `shots_left`, in slices as large as that of shot 0..15, by their SHARES."""
    later = (ends - 1) * sum(SHARES[first_shot:]) / 2.0  # either team's shots
    return (sum(SHARES[shot::2]) + later) / SHARES[shot]


@dataclass
class TimeManager:
    """Divides the remaining time among the moves, and learns network delays and overruns of the planner.

    Args:
        delay: expected network delay of a move before any is measured, s.
        fraction: part of its share that a move may take, delays included.
        longest: longest planning time, s.
    """

    delay: float = 0.0
    fraction: float = FRACTION
    longest: float = LONGEST
    _delays: list[float] = field(default_factory=list)  # of the match
    _overruns: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _due: float = inf  # s from the receipt of the server's message until the planner should be done
    _limit: float = inf  # s from there until the move should be sent

    def allowance(self, remaining: float, slices: float, spent: float = 0.0) -> Allowance:
        """Time for the next of `slices` slices, from the seconds on the clock and since the server's message."""
        share, usual = self._share(max(remaining, 0.0), slices), self._usual_delay(remaining / slices)
        limit = max(self.fraction * share - WORSE * usual - spent, 0.0)
        overrun = min(WORSE * max(self._overruns, default=0.0), limit / 2.0)
        spare = LATE + max(min(HICCUP, HICCUP_SHARE * limit), overrun)
        limit = min(limit, (1.0 + LATE_SHARE) * self.longest + spare)
        seconds = (limit - spare) / (1.0 + LATE_SHARE)
        if seconds < LEAST:
            seconds = 0.0
        self._due = spent + (1.0 + LATE_SHARE) * seconds if seconds else inf
        self._limit = spent + limit
        return Allowance(seconds, limit)

    def learn_latency(self, seconds: float) -> None:
        """Learn from the time between a request and the server's immediate answer, s."""
        self.delay = max(self.delay, min(seconds, MOST_ANSWER))

    def learn_move(self, charged: float, own: float) -> None:
        """Learn from the seconds that the server charged for a move, and the own ones from its message to the move.

        What goes beyond the limit is a delay too: the planner is not waited for so long, so this machine stood still.
        """
        planned = min(own, self._limit)
        self._delays.append(max(charged - planned, 0.0))
        self._overruns.append(max(planned - self._due, 0.0))

    def _share(self, remaining: float, slices: float) -> float:
        """The next share of the time, s.

        The longest delay may come once more, at any shot, unless it is longer than the time that is left; it was
        measured with the time to send a move, up to LATE.
        """
        longest = max((delay for delay in self._delays if delay < remaining + LATE), default=0.0)
        reserve = max(min(RESERVE * remaining / (slices + RESERVE), MOST_RESERVE), WORSE * longest)
        return max((remaining - reserve) / slices, min(LEFT * remaining / slices, remaining - longest))

    def _usual_delay(self, share: float) -> float:
        """The mean of the last delays but the longest, for which there is the reserve, s.

        One that takes twice a share is not usual: the clock could not bear it at every shot.
        """
        if not self._delays:
            return self.delay
        *others, _ = sorted([self.delay, *self._delays][-REMEMBERED:])
        return sum(delay for delay in others if delay <= 2.0 * share) / len(others)
