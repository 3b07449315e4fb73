"""Episodes of earlier runs that a new one keeps, instead of playing them again."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from bonspiel.runs.experiment import Setting, UsageError
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.results.store import Store

CHUNK = 10_000  # episodes in memory


def take(old: Store, new: Store) -> None:
    """Add the episodes that a new run has in common with an old one, of budgets that are not times.

    The problem and the planner are the same with all their parameters, and the seed. The sources may differ: who keeps
    episodes knows which planners have changed since.
    """
    known = set(old.suite.settings())
    for setting, numbers in new.pending().items():
        same = all(old.resolved.get(text) == new.resolved[text] for text in (setting.env, setting.planner))
        if setting in known and setting.unit != "ms" and same:
            missing = set(numbers)
            add_all(new, setting, (one for one in old.episodes(setting) if one.number in missing))


def add_all(store: Store, setting: Setting, episodes: Iterator[Episode]) -> None:
    """Add episodes of a setting that were played before, some at a time."""
    while chunk := list(islice(episodes, CHUNK)):
        store.add(Batch(setting, [*chunk], 0.0))


def check_kept(begun: Store, earlier: Sequence[Store]) -> None:
    """Refuse to go on with runs to keep of which nothing was kept when the run began."""
    known = {one.get("run") for one in begun.provenance.get("merged", [])}
    for old in earlier:
        if _kept_of(old) not in known:
            raise UsageError(
                f"--keep {old.folder}: episodes are kept when a run begins, and {begun.folder} began without; leave "
                "--keep out, or choose another --out"
            )


def _kept_of(old: Store) -> str:
    return f"episodes kept of {old.folder}"


def provenance(facts: Mapping[str, Any], earlier: Sequence[Store]) -> dict[str, Any]:
    """The facts of a new run and, as for merged runs, those of the runs whose episodes it keeps, and of theirs."""
    merged = []
    for old in earlier:
        own = {"run": _kept_of(old), **old.provenance}
        merged += [own, *own.pop("merged", [])]
    return {**facts, "merged": merged} if merged else {**facts}
