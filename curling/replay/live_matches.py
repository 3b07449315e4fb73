"""Running matches, for viewers in other threads.

The thread that plays the matches only appends lines to lists. The viewers' threads compute what their page needs
besides, paths and win probabilities, once for each match that has a viewer.
"""

import json
from collections.abc import Callable, Iterator
from threading import Condition, Lock
from typing import Any

from curling.match_data import Match
from curling.record import parse_line
from curling.replay.page_events import Event, PageEvents
from curling.server.record_feed import KEPT_MATCHES, Line, RecordFeed

PAUSE = 0.5  # s between two versions of the list
PING = 10.0  # s between keep-alive messages, which also reveal viewers that have left


class LiveMatch:
    """The lines of the record of one match, and the page events made from them."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._events: list[str] = []
        self._maker: PageEvents | None = None
        self._lock = Lock()

    @property
    def over(self) -> bool:
        """Whether the record is complete."""
        return bool(self.lines) and self.lines[-1]["type"] == "result"

    def event(self, number: int) -> str:
        """The page event of an existing line, by its number, as JSON."""
        with self._lock:
            for line in self.lines[len(self._events) : number + 1]:
                self._events.append(json.dumps(self._make_event(line), separators=(",", ":"), allow_nan=False))
            return self._events[number]

    def _make_event(self, line: Line) -> Event:
        item = parse_line(json.dumps(line))
        if isinstance(item, Match):
            self._maker = PageEvents(item)
            return self._maker.match_event()
        assert self._maker is not None
        return self._maker.next_event(item)

    def summary(self) -> dict[str, Any]:
        """The match's entry in the list of matches."""
        lines = list(self.lines)
        ends = [line["points"] for line in lines if line["type"] == "end"]
        return {
            "players": lines[0]["players"],
            "ends": lines[0]["ends"],
            "over": lines[-1]["type"] == "result",
            "reason": lines[-1].get("reason"),
            "score": [sum(points[team] for points in ends) for team in (0, 1)],
            "end": max((line["end"] for line in lines if line["type"] == "shot"), default=0),
        }


class LiveMatches:
    """All matches of a feed; no other thread may publish in it until this constructor returns."""

    def __init__(self, feed: RecordFeed) -> None:
        self._changed, self._changes, self.closed = Condition(), 0, False
        self._matches: dict[str, LiveMatch] = {}
        for match_id, lines in feed.matches():
            for line in lines:
                self._add(match_id, line)
        self._unsubscribe = feed.subscribe(self._add)

    def close(self) -> None:
        """End all streams of messages."""
        self._unsubscribe()
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def find_match(self, match_id: str) -> LiveMatch | None:
        """A match by its id; None if it does not exist or is no longer kept."""
        with self._changed:
            return self._matches.get(match_id)

    def match_messages(self, match: LiveMatch, number: int) -> Iterator[str]:
        """Messages for viewers of a match, from line `number` to the result."""
        while not self.closed and not (match.over and number >= len(match.lines)):
            if self._wait(lambda: len(match.lines), number):
                yield f"id: {number}\ndata: {match.event(number)}\n\n"
                number += 1
            else:
                yield ": nothing new\n\n"

    def list_messages(self) -> Iterator[str]:
        """Messages for viewers of the list of matches."""
        seen = -1
        while not self.closed:
            if self._wait(lambda: self._changes, seen):
                with self._changed:
                    seen, matches = self._changes, list(self._matches.items())
                yield f"data: {json.dumps([{'id': name, **match.summary()} for name, match in matches])}\n\n"
                self._wait(lambda: 0, 0, PAUSE)
            else:
                yield ": nothing new\n\n"

    def _add(self, match_id: str, line: Line) -> None:
        with self._changed:
            self._matches.setdefault(match_id, LiveMatch()).lines.append(line)
            over = [name for name, match in self._matches.items() if match.over]
            for name in over[: max(len(self._matches) - KEPT_MATCHES, 0)]:
                del self._matches[name]
            self._changes += 1
            self._changed.notify_all()

    def _wait(self, count: Callable[[], int], known: int, seconds: float | None = None) -> bool:
        """Wait until the count exceeds the known one; False if the time runs out or this object is closed."""
        with self._changed:
            timeout = PING if seconds is None else seconds
            return self._changed.wait_for(lambda: self.closed or count() > known, timeout) and not self.closed
