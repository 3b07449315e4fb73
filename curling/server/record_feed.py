"""The records of a server's matches, line by line, for viewers in the same process."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Line = dict[str, Any]
Subscriber = Callable[[str, Line], None]

KEPT_MATCHES = 30  # beyond this number, the oldest finished matches are dropped


class RecordFeed:
    """Publishes the lines of the records of matches, of which it keeps the last `keep` and all running ones."""

    def __init__(self, keep: int = KEPT_MATCHES) -> None:
        self._keep = keep
        self._lines: OrderedDict[str, list[Line]] = OrderedDict()
        self._subscribers: list[Subscriber] = []

    def publish(self, match_id: str, line: Line) -> None:
        """Pass a new line of a record (see docs/curling/records.md) to all subscribers; one that raises is removed."""
        self._lines.setdefault(match_id, []).append(line)
        over = [name for name, lines in self._lines.items() if lines[-1]["type"] == "result"]
        for name in over[: max(len(self._lines) - self._keep, 0)]:
            del self._lines[name]
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(match_id, line)
            except Exception:  # a viewer must not end the match
                self._remove(subscriber)

    def matches(self) -> list[tuple[str, list[Line]]]:
        """The kept matches, oldest first: (id, lines so far)."""
        return [(match_id, list(lines)) for match_id, lines in self._lines.items()]

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call `callback(match_id, line)` for every new line; returns a function that ends this."""
        self._subscribers.append(callback)
        return lambda: self._remove(callback)

    def _remove(self, subscriber: Subscriber) -> None:
        with suppress(ValueError):
            self._subscribers.remove(subscriber)
