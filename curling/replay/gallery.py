"""Matches that are being played, for viewers in other threads.

The thread that plays only appends lines to lists. What the page needs beyond them, paths and win probabilities, is
computed by those who watch, once for each match that anybody watches.
"""

import json
from collections.abc import Callable, Iterator
from threading import Condition, Lock
from typing import Any

from curling.match_data import Match
from curling.record import parse_line
from curling.replay.story import Event, Story
from curling.server.record_feed import KEPT_MATCHES, Line, RecordFeed

PAUSE = 0.5  # s between two versions of the list
PING = 10.0  # s between signs of life, which also find out who has gone


class Watched:
    """One match: the lines of its record, and the events made of them so far."""

    def __init__(self) -> None:
        """No line yet."""
        self.lines: list[Line] = []
        self._events: list[str] = []
        self._story: Story | None = None
        self._lock = Lock()

    @property
    def over(self) -> bool:
        """Whether there is nothing to come."""
        return bool(self.lines) and self.lines[-1]["type"] == "result"

    def event(self, number: int) -> str:
        """What the page is told of line `number`, which is there, as JSON."""
        with self._lock:
            for line in self.lines[len(self._events) : number + 1]:
                self._events.append(json.dumps(self._tell(line), separators=(",", ":"), allow_nan=False))
            return self._events[number]

    def _tell(self, line: Line) -> Event:
        item = parse_line(json.dumps(line))
        if isinstance(item, Match):
            self._story = Story(item)
            return self._story.begin()
        assert self._story is not None
        return self._story.tell(item)

    def summary(self) -> dict[str, Any]:
        """What the list of matches shows."""
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


class Gallery:
    """All matches of a feed, and those who wait for news of them.

    Args:
        feed: to watch; its lines must not be published by another thread than this one until this returns.
    """

    def __init__(self, feed: RecordFeed) -> None:
        """Take what the feed has."""
        self._news, self._changes, self.closed = Condition(), 0, False
        self._matches: dict[str, Watched] = {}
        for match_id, lines in feed.matches():
            for line in lines:
                self._add(match_id, line)
        self._leave = feed.subscribe(self._add)

    def close(self) -> None:
        """Send all viewers home."""
        self._leave()
        with self._news:
            self.closed = True
            self._news.notify_all()

    def find(self, match_id: str) -> Watched | None:
        """A match by its id; None if there is none, or none any more."""
        with self._news:
            return self._matches.get(match_id)

    def _add(self, match_id: str, line: Line) -> None:
        with self._news:
            self._matches.setdefault(match_id, Watched()).lines.append(line)
            over = [name for name, match in self._matches.items() if match.over]
            for name in over[: max(len(self._matches) - KEPT_MATCHES, 0)]:
                del self._matches[name]
            self._changes += 1
            self._news.notify_all()

    def _wait(self, count: Callable[[], int], known: int, seconds: float | None = None) -> bool:
        """Wait until there are more than the known, or the next sign of life is due; whether there are more."""
        with self._news:
            return (
                self._news.wait_for(lambda: self.closed or count() > known, PING if seconds is None else seconds)
                and not self.closed
            )

    def of_match(self, match: Watched, number: int) -> Iterator[str]:
        """Messages for those who watch a match, from line `number` on, up to the result."""
        while not self.closed and not (match.over and number >= len(match.lines)):
            if self._wait(lambda: len(match.lines), number):
                yield f"id: {number}\ndata: {match.event(number)}\n\n"
                number += 1
            else:
                yield ": nothing new\n\n"

    def of_all(self) -> Iterator[str]:
        """Messages for those who look at the list."""
        seen = -1
        while not self.closed:
            if self._wait(lambda: self._changes, seen):
                with self._news:
                    seen, matches = self._changes, list(self._matches.items())
                yield f"data: {json.dumps([{'id': name, **match.summary()} for name, match in matches])}\n\n"
                self._wait(lambda: 0, 0, PAUSE)
            else:
                yield ": nothing new\n\n"
