"""Episodes of a run played again, each by the problem, planner, budget and seed that its row names."""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from math import ceil
from typing import Any, NamedTuple

from bonspiel import planners
from bonspiel.runs import seeding
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import Setting, UsageError, parsed
from bonspiel.runs.progress import progress
from bonspiel.runs.results.rows import Episode, Failure, different
from bonspiel.runs.results.store import Store
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule
from bonspiel.runs.statistics.curves import varies
from bonspiel.runs.suite import model_of

AFFORDABLE = 60.0  # s; a dearer episode is replayed only if the share falls on it

Rows = dict[Setting, list[int]]


class Difference(NamedTuple):
    """A row that comes out otherwise when it is played again."""

    setting: Setting
    number: int  # of the episode
    name: str  # of the first value that differs
    stored: Any  # in the file
    replayed: Any  # now; the error if the episode failed

    def __str__(self) -> str:
        row = f"{self.setting.words}, seed {self.setting.seed}, episode {self.number}"
        shown = [one.hex() if isinstance(one, bytes) else one for one in (self.stored, self.replayed)]
        return f"{row}: {self.name} is {shown[0]} in the file and {shown[1]} when it is replayed"


def unrepeatable(store: Store) -> dict[Setting, str]:
    """The settings whose episodes cannot come out the same again, or cannot be played here, and why."""
    unseeded = seeding.notes(store.resolved)
    found, refused = {}, functools.cache(_refused)
    for setting in store.suite.settings():
        if reason := refused(model_of, setting.env) or refused(planners.parse, setting.planner):
            found[setting] = f"{HERE} ({reason})"
        elif setting.unit == "ms":
            found[setting] = "budgets by the clock"
        elif varies(setting.planner):
            found[setting] = "planners that decide otherwise when they are run again"
        elif any(note.startswith(f"{setting.env} ") for note in unseeded):
            found[setting] = "environments that were played unseeded"
    return found


HERE = "what cannot be played here"


def _refused(make: Callable[[str], Any], text: str) -> str | None:
    """Why a text names no planner or no model here; None if it does."""
    try:
        parsed(make, text)
    except UsageError as error:
        return str(error)
    return None


def draw(store: Store, share: float, seed: int, left_out: Mapping[Setting, str]) -> Rows:
    """Draw rows to replay: the share, in (0, 1], rounded up, and more if a planner has none in one of its problems."""
    settings = [setting for setting in store.suite.settings() if setting not in left_out]
    rows = [
        (setting, one.number, isinstance(one.seconds, float) and one.seconds <= AFFORDABLE)
        for setting in settings
        for one in store.episodes(setting)
        if isinstance(one.number, int)  # others are faults of the file, as are times that are no numbers
    ]
    order = named_rng("verify", seed, 0).permutation(len(rows))
    of_each: dict[tuple[str, str], int] = {}
    for index in order:
        setting, _, affordable = rows[index]
        if affordable:
            of_each.setdefault(setting[:2], index)
    chosen = dict.fromkeys([*of_each.values(), *order])
    most = max(ceil(share * len(rows)), len(of_each))
    result: Rows = {}
    for index in sorted([*chosen][:most]):
        result.setdefault(rows[index][0], []).append(rows[index][1])
    return result


def differences(store: Store, drawn: Rows, jobs: int) -> list[Difference]:
    """Replay rows, with progress shown; the differences in order of the run.

    The last ones come first, so that what a planner keeps from episode to episode shows.
    """
    backwards = {setting: numbers[::-1] for setting, numbers in reversed(drawn.items())}
    schedule, found = Schedule(backwards, jobs), list[Difference]()
    with progress(sum(map(len, drawn.values()))) as advance, closing(parallel.run(schedule)) as batches:
        for batch in batches:
            numbers = {one.number for one in batch.results}
            stored = {one.number: one for one in store.episodes(batch.setting) if one.number in numbers}
            found += _compared(batch.setting, stored, batch.results)
            advance(len(batch.results), schedule.seconds_left(), f", {len(found)} differ" if found else "")
    order = {setting: place for place, setting in enumerate(drawn)}
    return sorted(found, key=lambda one: (order[one.setting], one.number))


def _compared(
    setting: Setting, stored: Mapping[int, Episode], replayed: Sequence[Episode | Failure]
) -> Iterator[Difference]:
    for now in replayed:
        before = stored[now.number]
        if isinstance(now, Failure):
            yield Difference(setting, now.number, "return", before.total, f"an error ({now.error})")
        elif found := different(before, now):
            yield Difference(setting, now.number, *found)


def counts(store: Store, left_out: Mapping[Setting, str]) -> dict[str, int]:
    """The number of rows that are not replayed, by reason."""
    found: Counter[str] = Counter()
    for setting, count in store.counts().items():
        if setting in left_out and count.done:
            found[left_out[setting]] += count.done
    return dict(found)
