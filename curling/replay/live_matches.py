"""Running matches, for viewers in one event loop.

What a page needs besides the items of a record, paths and win probabilities, is computed in other threads, once for
each match that has a viewer.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from threading import Lock
from typing import Any

from bonspiel.curling.records.match_data import End, Item, Match, RecordedShot, Result, score_of
from bonspiel.curling.replay.page_events import Event, PageEvents
from bonspiel.curling.server.record_feed import KEPT_MATCHES

PAUSE = 0.5  # s between two versions of the list


class LiveMatch:
    """The items of the record of one match, and the page events made from them."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._events: list[str] = []
        self._maker: PageEvents | None = None
        self._lock = Lock()

    @property
    def over(self) -> bool:
        """Return whether the record is complete."""
        return bool(self.items) and isinstance(self.items[-1], Result)

    async def event(self, number: int) -> str:
        """The page event of an existing item, by its number, as JSON."""
        while len(self._events) <= number:
            await asyncio.to_thread(self._add_event)
        return self._events[number]

    def _add_event(self) -> None:
        """Make the next event; another viewer's thread may have made the last one."""
        with self._lock:
            if len(self._events) < len(self.items):
                event = self._make_event(self.items[len(self._events)])
                self._events.append(json.dumps(event, separators=(",", ":"), allow_nan=False))

    def _make_event(self, item: Item) -> Event:
        if isinstance(item, Match):
            self._maker = PageEvents(item)
            return self._maker.match_event()
        assert self._maker is not None
        return self._maker.next_event(item)

    def summary(self) -> dict[str, Any]:
        """The match's entry in the list of matches."""
        match, last = self.items[0], self.items[-1]
        assert isinstance(match, Match)
        return {
            "players": match.players,
            "ends": match.ends,
            "over": self.over,
            "reason": last.reason if isinstance(last, Result) else None,
            "score": score_of([item for item in self.items if isinstance(item, End)]),
            "end": max((item.end for item in self.items if isinstance(item, RecordedShot)), default=0),
        }


class LiveMatches:
    """The running matches and the last finished ones."""

    def __init__(self) -> None:
        self._matches: dict[str, LiveMatch] = {}
        self._changes, self._changed = 0, asyncio.Event()

    def add(self, match_id: str, item: Item) -> None:
        """Take the next item of a match's record."""
        self._matches.setdefault(match_id, LiveMatch()).items.append(item)
        over = [name for name, match in self._matches.items() if match.over]
        for name in over[: max(len(self._matches) - KEPT_MATCHES, 0)]:
            del self._matches[name]
        self._changes += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def find_match(self, match_id: str) -> LiveMatch | None:
        """A match by its id; None if it does not exist or is no longer kept."""
        return self._matches.get(match_id)

    async def match_messages(self, match: LiveMatch, number: int) -> AsyncIterator[str]:
        """Messages for viewers of a match, from item `number` to the result."""
        while True:
            while number < len(match.items):
                yield f"id: {number}\ndata: {await match.event(number)}\n\n"
                number += 1
            if match.over:
                return
            await self._changed.wait()

    async def list_messages(self) -> AsyncIterator[str]:
        """Messages for viewers of the list of matches."""
        seen = -1
        while True:
            while seen == self._changes:
                await self._changed.wait()
            seen = self._changes
            found = [{"id": match_id, **match.summary()} for match_id, match in self._matches.items()]
            yield f"data: {json.dumps(found)}\n\n"
            await asyncio.sleep(PAUSE)
