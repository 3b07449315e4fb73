"""Settings and services shared by all matches of a server, and the publishing of their records."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import numpy as np

from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Item, Match
from bonspiel.curling.records.record import Writer
from bonspiel.curling.server.record_feed import RecordFeed
from bonspiel.curling.server.referee import ErrorSampler, Referee, ThinkingTimes, error_sampler
from bonspiel.curling.server.shot_executor import ShotExecutor
from bonspiel.planners.model import Array, Rng


@dataclass(frozen=True)
class ServerContext:
    """Settings and services shared by all matches of a server.

    Attributes:
        match: rules of the matches; the players are filled in for each.
        model: `match.model()`.
        times: thinking times.
        executor: simulates the shots.
        seed: of all execution errors, together with the number of the match.
        ids: random source of the ids sent to clients.
        summary: the settings, for people.
        report: takes one line about each event.
        name: prefix of the ids of matches and of the files of records.
        records: existing folder for the records; None keeps none.
        feed: takes every item of every record; None if nobody can watch.
        clock: s.
        numbers: of the matches, in the order in which they begin.
        make_errors: makes execution errors from the model and a random generator.
        errors_by_team: whether each team has errors of its own, so that its n-th throw meets the same error in all
            matches of one number, in whatever order the teams throw; else the n-th throw of the match does.
        start: the state in which the matches begin, before a shot; None: as matches begin.
    """

    match: Match
    model: Curling
    times: ThinkingTimes
    executor: ShotExecutor
    seed: int
    ids: Rng
    summary: str
    report: Callable[[str], None]
    name: str
    records: Path | None = None
    feed: RecordFeed | None = None
    clock: Callable[[], float] = time.monotonic
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    make_errors: Callable[[Curling, Rng], ErrorSampler] = error_sampler
    errors_by_team: bool = False
    start: Array | None = None

    def new_referee(self, number: int, players: tuple[str, str]) -> tuple[Referee, "RecordPublisher"]:
        """The referee of a new match, and the publisher of its record."""
        publisher = self.new_record(number)
        match = replace(self.match, players=players, pair=number)
        errors = [self.make_errors(self.model, rng) for rng in self.error_rngs(number)]
        return Referee(match, self.model, self.times, errors, publisher.publish, self.start), publisher

    def error_rngs(self, number: int) -> tuple[Rng, Rng]:
        """The random generators of the execution errors of team 0 and of team 1 in a match."""
        if self.errors_by_team:
            return np.random.default_rng((self.seed, number, 0)), np.random.default_rng((self.seed, number, 1))
        shared = np.random.default_rng((self.seed, number))
        return shared, shared

    def new_record(self, number: int) -> "RecordPublisher":
        """The publisher of the record of a new match."""
        name = f"{self.name}-{number:04}"
        path = self.records and self.records / f"{name}.jsonl"
        return RecordPublisher(name, path, self.feed, lambda text: self.report(f"match {number}: {text}"))


@dataclass
class RecordPublisher:
    """Passes the items of a match's record to its file and to viewers.

    Attributes:
        path: of the file; None if there is none, or if it is incomplete.
        report: called if the file cannot be written; the match continues without it.
    """

    match_id: str
    path: Path | None
    feed: RecordFeed | None
    report: Callable[[str], None]
    _writer: Writer | None = None

    def publish(self, item: Item) -> None:
        """Write the next item of the record."""
        try:
            if self._writer is not None:
                self._writer.add(item)
            elif isinstance(item, Match) and self.path is not None:
                self._writer = Writer(self.path, item)
        except OSError as error:
            self.report(f"the record ends here: {error.strerror or error} ({self.path})")
            if self._writer is not None:
                with suppress(OSError):
                    self._writer.close()
            self._writer = self.path = None
        if self.feed is not None:
            self.feed.publish(self.match_id, item)
