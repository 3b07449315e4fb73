"""The ice as data: the content of its picture, and a shot under way."""

from typing import NamedTuple

from bonspiel.curling.records.umpire import Outcome
from bonspiel.planners.model import Array

PACE = 80.0  # frames of a path shown per second; they are 1/20 s apart on the ice


class View(NamedTuple):
    """The picture of the ice as data.

    Attributes:
        stones: [16, 2], NaN where absent.
        trail: paths of the stones in the last shot, [T, 16, 2], or None.
        preview: their paths in the aimed shot without noise, [T, 16, 2], or None.
        target: (x, y), or None.
    """

    stones: Array
    trail: Array | None = None
    preview: Array | None = None
    target: tuple[float, float] | None = None


class Flight(NamedTuple):
    """A shot under way: the stones from its first visible frame on, [T, 16, 2], the time of that frame, the outcome."""

    positions: Array
    since: float
    outcome: Outcome

    def frame(self, now: float) -> int:
        """The frame to show."""
        return min(int(PACE * (now - self.since)), len(self.positions) - 1)
