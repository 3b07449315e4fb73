"""The records of a server's matches, item by item, for viewers in the same process."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from bonspiel.curling.records.match_data import Item, Result

Subscriber = Callable[[str, Item], None]

KEPT_MATCHES = 30  # beyond this number, the oldest finished matches are dropped


class RecordFeed:
    """Publishes the items of the records of matches, of which it keeps the last `keep` and all running ones."""

    def __init__(self, keep: int = KEPT_MATCHES) -> None:
        self._keep = keep
        self._items: OrderedDict[str, list[Item]] = OrderedDict()
        self._subscribers: list[Subscriber] = []

    def publish(self, match_id: str, item: Item) -> None:
        """Pass a new item of a record to all subscribers; one that raises is removed."""
        self._items.setdefault(match_id, []).append(item)
        over = [name for name, items in self._items.items() if isinstance(items[-1], Result)]
        for name in over[: max(len(self._items) - self._keep, 0)]:
            del self._items[name]
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(match_id, item)
            except Exception:  # a viewer must not end the match
                self._remove(subscriber)

    def matches(self) -> list[tuple[str, list[Item]]]:
        """The kept matches, oldest first: (id, items so far)."""
        return [(match_id, list(items)) for match_id, items in self._items.items()]

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call `callback(match_id, item)` for every new item; returns a function that ends this."""
        self._subscribers.append(callback)
        return lambda: self._remove(callback)

    def _remove(self, subscriber: Subscriber) -> None:
        with suppress(ValueError):
            self._subscribers.remove(subscriber)
