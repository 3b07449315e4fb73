"""Whose planners a leaderboard ranks: their names in it, and where each run is from."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bonspiel.planners.model import Array
from bonspiel.runs.experiment import Setting, UsageError
from bonspiel.runs.provenance import of_all_parts
from bonspiel.runs.reporting.notes import DIGEST, facts
from bonspiel.runs.results.store import Store

SHORT = 10  # digits of a commit
HEAD = "run", "from", "commit", "version", "machine", "begun", "seed", DIGEST, "licence", "command"


def runs(stores: Sequence[Store]) -> list[str]:
    """The names of runs: of who submitted it, else of its folder or file; longer where two would be the same."""
    found = [store.submission.get("who") or store.folder.resolve().name for store in stores]
    for more in (lambda store: store.folder.name, lambda store: str(store.folder.resolve())):
        times = Counter(found)
        found = [
            f"{name}, {more(store)}" if times[name] > 1 else name for name, store in zip(found, stores, strict=True)
        ]
    return found


def names(stores: Sequence[Store]) -> list[dict[tuple[str, str], str]]:
    """The names of each run's planners in tables, by environment and text.

    Those of others, and a name that several runs have, get the name of their run, "dpw (mine)".
    """
    found = [
        {(of.env, text): name for of in store.suite.experiment for text, name in store.suite.names(of.env).items()}
        for store in stores
    ]
    times = Counter(name for of_run in found for name in set(of_run.values()))
    foreign = [place > 0 and not store.ours for place, store in enumerate(stores)]
    return [
        {key: f"{name} ({run})" if other or times[name] > 1 else name for key, name in of_run.items()}
        for run, other, of_run in zip(runs(stores), foreign, found, strict=True)
    ]


def is_one_of(store: Store, setting: Setting, planners: Sequence[str]) -> bool:
    """True if a planner of a run is among these: names in the run's tables, full texts, or names of planners."""
    text = setting.planner
    return not {store.suite.names(setting.env)[text], text, text.partition(":")[0]}.isdisjoint(planners)


def check_names(stores: Sequence[Store], planners: Sequence[str]) -> None:
    """Refuse names of planners that no run has."""
    settings = [(store, setting) for store in stores for setting in store.suite.settings()]
    for name in planners:
        if not any(is_one_of(store, setting, [name]) for store, setting in settings):
            known = dict.fromkeys(store.suite.names(setting.env)[setting.planner] for store, setting in settings)
            raise UsageError(f"--planner {name}: no run has it; they have {', '.join(known)}")


def rows(stores: Sequence[Store]) -> list[Sequence[str]]:
    """A table that says where each run is from, its head first."""
    return [HEAD, *(_row(run, store) for run, store in zip(runs(stores), stores, strict=True))]


def _row(run: str, store: Store) -> list[str]:
    own: dict[str, Any] = facts(store)
    parts = of_all_parts(own)
    commits = ", ".join(dict.fromkeys(str(part.get("commit") or "unknown")[:SHORT] for part in parts))
    machines = "; ".join(dict.fromkeys(str(part.get("cpu", "unknown")) for part in parts))
    place = store.submission.get("where", "bonspiel" if store.ours else str(store.folder))
    shown = (own.get(name, "unknown") for name in ("started", "seed", DIGEST))
    licence, command = store.submission.get("licence", ""), f"`{own.get('command', 'unknown')}`"
    return [run, place, commits, str(own.get("version", "unknown")), machines, *map(str, shown), licence, command]


def other_problems(stores: Sequence[Store]) -> list[set[str]]:
    """For each run, its problems that have the name of one of the first run, but other parameters or sources."""
    first = stores[0].resolved
    environments = {setting.env for setting in stores[0].suite.settings()}
    return [
        {env for env in environments & store.resolved.keys() if store.resolved[env] != first[env]} for store in stores
    ]


def returns(stores: Sequence[Store]) -> list[dict[Setting, Array]]:
    """The returns of each run in the settings that it has played, without its `other_problems`."""
    return [
        {setting: sample for setting, sample in store.returns().items() if len(sample) and setting.env not in differ}
        for store, differ in zip(stores, other_problems(stores), strict=True)
    ]


def left_out_problems(stores: Sequence[Store]) -> Iterator[str]:
    """A line for each run with `other_problems`."""
    for store, envs in zip(stores, other_problems(stores), strict=True):
        if envs:
            yield f"Left out of {store.folder}: {', '.join(sorted(envs))}, with other parameters or sources there."
