"""A team of practice matches that a person on a page plays, one match after the other."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bonspiel.curling.records.match_data import Item, Match, Throw
from bonspiel.curling.server.record_feed import RecordFeed

NAME = "person"  # of the team, for its opponents and in records


class Turn(NamedTuple):
    """A new turn: the time left to each team, s, and when it began, s by the clock of the matches."""

    left: tuple[float, float]
    since: float


class NoMatch(NamedTuple):
    """There will be no match, for this reason."""

    reason: str


News = Item | Turn | NoMatch


class Moves(NamedTuple):
    """The moves of a person in matches; a move that is not possible now is ignored.

    Attributes:
        throw: throws with an aim that arrived at a time, s.
        set_up: sets up the end by one of `curling.match.setup_value.CHOICES`; standard games have nothing to set up.
    """

    throw: Callable[[Throw, float], None]
    set_up: Callable[[str], None] = lambda choice: None


class Seat:
    """Sends the news of the person's matches to a page, and takes its throws.

    The page has a thread of its own: there, `sit_down`, `throw` and `set_up` are called. All else is called in the
    event loop of the matches.

    Args:
        team: 0 or 1.
        feed: of the records of all matches.
        clock: s, as the matches measure thinking times.
        publish: takes the news: the items of the match's record, its turns, and that there will be no match.
    """

    def __init__(
        self, team: int, feed: RecordFeed, clock: Callable[[], float], publish: Callable[[News], None]
    ) -> None:
        self.team, self.clock, self._publish = team, clock, publish
        self._begun: tuple[str, Match] | None = None  # the match that began last
        self._match_id: str | None = None  # of the person's
        feed.subscribe(self._read)

    def open(self, sit_down: Callable[[], Moves]) -> None:
        """Let the person play; `sit_down` joins the next match."""
        self._loop, self._join = asyncio.get_running_loop(), sit_down

    def sit_down(self) -> None:
        """Join the next match, as a client does by connecting."""
        self._loop.call_soon_threadsafe(self._sit_down)

    def throw(self, aim: Throw) -> None:
        """Throw with an aim as in `curling.records.match_data.RecordedShot`; ignored out of turn."""
        self._loop.call_soon_threadsafe(lambda now: self._moves.throw(aim, now), self.clock())

    def set_up(self, choice: str) -> None:
        """Set up the end of mixed doubles; ignored out of turn."""
        self._loop.call_soon_threadsafe(lambda: self._moves.set_up(choice))

    def match_begun(self) -> None:
        """Note that the match that began last is the person's."""
        assert self._begun is not None
        self._match_id, match = self._begun
        self._publish(match)

    def turn(self, left: Sequence[float]) -> None:
        """Report that the next turn has begun, that of a set-up too, and the time left to each team, s."""
        self._publish(Turn((left[0], left[1]), self.clock()))

    def stand_up(self, reason: str) -> None:
        """Report that there will be no match."""
        self._publish(NoMatch(reason))

    def _sit_down(self) -> None:
        self._match_id = None
        self._moves = self._join()

    def _read(self, match_id: str, item: Item) -> None:
        if isinstance(item, Match):
            self._begun = match_id, item
        elif match_id == self._match_id:
            self._publish(item)
