"""The page of a person who plays a team of a server's practice matches."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Literal

from starlette.exceptions import HTTPException

from bonspiel.curling.match.mixed_doubles import decider_of, is_setup_due
from bonspiel.curling.play.aim import Aim
from bonspiel.curling.play.browser.throwing_page import ThrowingPage, preview
from bonspiel.curling.records.match_data import Item, Match, Result
from bonspiel.curling.records.umpire import turn_of
from bonspiel.curling.replay.page_events import PageEvents
from bonspiel.curling.server.pages.seat import News, NoMatch, Seat, Turn
from bonspiel.curling.server.record_feed import RecordFeed
from bonspiel.planners.core.code.errors import error_text
from bonspiel.planners.model import Array

Phase = Literal["seat", "wait", "setup", "aim", "moved", "think", "over"]


class SeatPage(ThrowingPage):
    """The page of a seat.

    Args:
        team: of the seat, 0 or 1.
        feed: of the records of all matches.
        clock: s, that of the matches.
        root: the path of the page, without the last slash.
        matches: one of each kind that there may be; what they need is compiled and loaded at once, while no clock runs.

    Attributes:
        seat: to be opened by the server of the matches.
        phase: "seat" (no match), "wait" (for the other team), "setup" (one of the teams sets up the end), "aim" (the
            person's turn), "moved" (thrown or set up, not yet in the news), "think" (the other team's turn), "over".
    """

    def __init__(
        self, team: int, feed: RecordFeed, clock: Callable[[], float], root: str, matches: Sequence[Match]
    ) -> None:
        makers = [PageEvents(match) for match in matches]
        for maker in makers:
            _warm_up(maker)
        super().__init__(root, team, True, makers[0].model, clock)
        self.seat = Seat(team, feed, clock, self._tell)
        self.phase: Phase = "seat"
        self._maker: PageEvents | None = None
        self._shots = 0
        self._news: asyncio.Queue[News] = asyncio.Queue()
        self._enter("seat")

    def begin(self) -> None:
        """Follow the matches from now on."""
        self._loop = asyncio.get_running_loop()
        self._following = asyncio.ensure_future(self._follow())

    async def finish(self) -> None:
        """Wait until all that has happened in the matches is published."""
        await self._news.join()

    @property
    def title(self) -> str:
        """See `ThrowingPage`."""
        return "Your match"

    @property
    def state(self) -> Array:
        """See `ThrowingPage`."""
        return self._match.state

    @property
    def engine(self) -> str:
        """See `ThrowingPage`."""
        return self._match.match.engine

    @property
    def shots(self) -> int:
        """See `ThrowingPage`."""
        return self._shots

    @property
    def may_throw(self) -> bool:
        """See `ThrowingPage`."""
        return self.phase == "aim"

    def throw(self, velocity: tuple[float, float]) -> None:
        """See `ThrowingPage`."""
        self.phase = "moved"
        self.seat.throw((*velocity, self.aim.side))

    @property
    def may_set_up(self) -> bool:
        """See `ThrowingPage`."""
        return self.phase == "setup" and decider_of(self.state) == self.me

    def set_up(self, choice: str) -> None:
        """See `ThrowingPage`."""
        self.phase = "moved"
        self.seat.set_up(choice)

    def go_on(self) -> None:
        """Join the next match."""
        if self.phase == "over":
            self.clear()
            self._shots, self._maker = 0, None
        elif self.phase != "seat":
            raise HTTPException(HTTPStatus.CONFLICT, "your match is not over")
        self._enter("wait")
        self.seat.sit_down()

    @property
    def _match(self) -> PageEvents:
        assert self._maker is not None
        return self._maker

    def _tell(self, news: News) -> None:
        """Take news of the matches, in their thread."""
        self._loop.call_soon_threadsafe(self._news.put_nowait, news)

    async def _follow(self) -> None:
        lost = False  # whether something of the match could not be shown, after which the page only waits for its end
        while True:
            news = await self._news.get()
            if isinstance(news, Match | NoMatch | Result) or not lost:
                lost = not await self._is_taken(news)
            self._news.task_done()

    async def _is_taken(self, news: News) -> bool:
        """Take news; false after an error, which the page then shows."""
        try:
            await self._take(news)
        except Exception as error:  # the person has to know why the page stands still
            reason = f"the page cannot show this match any more: {error_text(error)}"
            print(reason, file=sys.stderr)
            self._enter("over" if isinstance(news, Result) else "think", reason=reason)
            return False
        return True

    async def _take(self, news: News) -> None:
        if isinstance(news, NoMatch):
            self._enter("seat", reason=news.reason)
        elif isinstance(news, Turn):
            clock = news._asdict()
            if is_setup_due(self.state):
                setups = self._match.setups() if decider_of(self.state) == self.me else []
                self._enter("setup", setups=setups, **clock)
            else:
                self._enter("aim" if turn_of(self.state)[2] == self.me else "think", **clock)
        else:
            await self._take_item(news)

    async def _take_item(self, item: Item) -> None:
        """Publish an item of the match's record."""
        # its playouts and a slow engine must not keep other pages waiting
        if isinstance(item, Match):
            self._maker = maker = await asyncio.to_thread(PageEvents, item)
            self.model = maker.model
            event = await asyncio.to_thread(maker.match_event)
            self.publish({**event, "players": ["you" if team == self.me else item.players[team] for team in (0, 1)]})
            return
        event = await asyncio.to_thread(self._match.next_event, item)
        self._shots += event["type"] == "shot"
        if isinstance(item, Result):
            self._enter("over")
        self.publish(event)

    def _enter(self, phase: Phase, **more: Any) -> None:
        self.phase = phase
        end = 0 if self._maker is None else turn_of(self._maker.state)[0]
        self.publish_turn(phase, self._shots, end, **{"since": self._clock(), **more})


def _warm_up(maker: PageEvents) -> None:
    """Call the functions of a match's page once: code is compiled and loaded at its first call."""
    maker.match_event()
    state = maker.model.begin_end(maker.state)
    for weight in (0.0, 1.0):
        aim = Aim(0.0, maker.model.law.sheet.tee, weight=weight)
        if (velocity := aim.velocity(maker.model.law)) is not None:
            preview(maker.model, state, maker.match.engine, (*velocity, maker.model.law.launch_spin))
