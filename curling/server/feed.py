"""What is being played on a server, for those who watch in the same process."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Line = dict[str, Any]
Subscriber = Callable[[str, Line], None]

KEPT = 30  # matches; those that are over go first


class Feed:
    """The lines of the records of a server's matches, as they come.

    Args:
        keep: matches whose lines are remembered for `matches`; one in play is never forgotten.
    """

    def __init__(self, keep: int = KEPT) -> None:
        """A feed without matches."""
        self._keep = keep
        self._lines: OrderedDict[str, list[Line]] = OrderedDict()
        self._subscribers: list[Subscriber] = []

    def publish(self, match_id: str, line: Line) -> None:
        """Tell all subscribers of a new line of a match's record; one that fails is told no more.

        Args:
            match_id: of the match.
            line: as in docs/match-records.md; its type is "match", "shot", "end" or "result".
        """
        self._lines.setdefault(match_id, []).append(line)
        self._forget()
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(match_id, line)
            except Exception:  # someone who watches must not cost those who play their match
                self._remove(subscriber)

    def matches(self) -> list[tuple[str, list[Line]]]:
        """The matches, oldest first: (id, lines so far)."""
        return [(match_id, list(lines)) for match_id, lines in self._lines.items()]

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call `callback(match_id, line)` with every line to come.

        Returns:
            A function that ends it.
        """
        self._subscribers.append(callback)
        return lambda: self._remove(callback)

    def _remove(self, subscriber: Subscriber) -> None:
        with suppress(ValueError):
            self._subscribers.remove(subscriber)

    def _forget(self) -> None:
        over = (match_id for match_id, lines in self._lines.items() if lines[-1]["type"] == "result")
        for match_id in list(over)[: max(len(self._lines) - self._keep, 0)]:
            del self._lines[match_id]
