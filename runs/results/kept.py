"""Episodes of an earlier run that a new one keeps, instead of playing them again."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from bonspiel.runs.results.rows import Batch
from bonspiel.runs.results.store import Store

CHUNK = 10_000  # episodes in memory


def take(old: Store, new: Store) -> None:
    """Add the episodes that a new run has in common with an old one, of budgets in simulations.

    The problem and the planner are the same with all their parameters, and the seed. The sources may differ: who keeps
    episodes knows which planners have changed since.
    """
    known = set(old.suite.settings())
    for setting, numbers in new.pending().items():
        same = all(old.resolved.get(text) == new.resolved[text] for text in (setting.env, setting.planner))
        if setting in known and setting.unit == "simulations" and same:
            missing = set(numbers)
            found = (one for one in old.episodes(setting) if one.number in missing)
            while chunk := list(islice(found, CHUNK)):
                new.add(Batch(setting, [*chunk], 0.0))


def provenance(facts: Mapping[str, Any], old: Store) -> dict[str, Any]:
    """The facts of a new run and, as for merged runs, those of the run whose episodes it keeps."""
    own = {"run": f"episodes kept of {old.folder}", **old.provenance}
    return {**facts, "merged": own.get("merged", [own])}
