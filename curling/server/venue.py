"""What all matches of a server share, and the record that each leaves."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from curling.match_data import End, Match, RecordedShot, Result
from curling.model import Curling
from curling.record import Writer, line_of
from curling.server.feed import Feed
from curling.server.ice import Ice
from curling.server.match import Errors, Referee, Times, errors_of
from planners.base import Rng


@dataclass(frozen=True)
class Venue:
    """The rules and the ice of a server.

    Attributes:
        match: what is played; the players are filled in for each match.
        model: `match.model()`.
        times: thinking time.
        ice: of this model.
        seed: of all errors of execution, together with the number of the match.
        ids: source of the ids that clients are told.
        text: the above in a few words.
        say: told one line about each thing that happens.
        name: what the ids of matches and the files of records begin with.
        records: folder of the records, which exists; None keeps none.
        feed: told every line of every record; None if nobody can watch.
        clock: s.
        numbers: of the matches, in the order in which they begin.
        errors: where the errors of execution of a match come from, by the seed and its number.
    """

    match: Match
    model: Curling
    times: Times
    ice: Ice
    seed: int
    ids: Rng
    text: str
    say: Callable[[str], None]
    name: str
    records: Path | None = None
    feed: Feed | None = None
    clock: Callable[[], float] = time.monotonic
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    errors: Callable[[Curling, tuple[int, int]], Errors] = errors_of

    def referee(self, number: int, players: tuple[str, str]) -> tuple[Referee, "Ledger"]:
        """The referee of a match that begins, and what its record goes to."""
        name = f"{self.name}-{number:04}"
        path = self.records and self.records / f"{name}.jsonl"
        ledger = Ledger(name, path, self.feed, lambda trouble: self.say(f"match {number}: {trouble}"))
        match = replace(self.match, players=players, pair=number)
        return Referee(match, self.model, self.times, self.errors(self.model, (self.seed, number)), ledger.keep), ledger


class Ledger:
    """Passes the parts of a match's record on to its file and to those who watch.

    Args:
        match_id: of the match.
        path: of the file; None if there is none.
        feed: None if nobody watches.
        say: told if the file cannot be written, after which the match goes on without.

    Attributes:
        path: of the file; None if there is none, or if it could not be written to its end.
    """

    def __init__(self, match_id: str, path: Path | None, feed: Feed | None, say: Callable[[str], None]) -> None:
        """A ledger without lines."""
        self._id, self.path, self._feed, self._say = match_id, path, feed, say
        self._writer: Writer | None = None

    def keep(self, item: Match | RecordedShot | End | Result) -> None:
        """Take the next part of the record."""
        try:
            self._write(item)
        except OSError as error:
            self._say(f"no record is kept from here on: {error.strerror or error} ({self.path})")
            self.close()
            self.path = None
        if self._feed is not None:
            self._feed.publish(self._id, json.loads(line_of(item)))

    def close(self) -> None:
        """Close the file; further parts go to those who watch alone."""
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()
        self._writer = None

    def _write(self, item: Match | RecordedShot | End | Result) -> None:
        match item:
            case Match() if self.path is not None:
                self._writer = Writer(self.path, item)
            case RecordedShot() if self._writer is not None:
                self._writer.shot(item)
            case End() if self._writer is not None:
                self._writer.end(item)
            case Result() if self._writer is not None:
                self._writer.result(item)
