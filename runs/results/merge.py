"""Merges runs of one suite that were made on several machines."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

from bonspiel.runs.experiment import Setting, UsageError
from bonspiel.runs.files import locked
from bonspiel.runs.provenance import changed, other_version
from bonspiel.runs.results import seal
from bonspiel.runs.results.rows import Batch, Episode, Failure, different
from bonspiel.runs.results.run_folder import add_all, drafted, holds
from bonspiel.runs.results.store import Count, Store, read


def merge(folder: Path, runs: Sequence[Path], command: str) -> tuple[int, int]:
    """Write a run with the episodes of several; nothing is written if they do not match.

    Episodes that were played more than once must have come out the same, apart from the time that they took: the first
    run's is kept. Returns the episodes played, and in all.
    """
    with ExitStack() as opened:
        stores = [opened.enter_context(read(run, checked=True)) for run in runs]
        for store in stores:
            seal.check(store)
        for store in stores[1:]:
            _check(stores[0], store)
        resolved = {text: meaning for store in stores for text, meaning in store.resolved.items()}
        _check_free(folder)  # before it is locked, so that a refused folder is left as it is
        opened.enter_context(locked(folder))
        _check_free(folder)
        with drafted(folder, stores[0].suite, resolved, provenance(stores, command)) as merged:
            for env, planner, budget, unit, episode, error in (row for store in stores for row in store.failures()):
                setting = next(s for s in merged.suite.settings() if s[:4] == (env, planner, budget, unit))
                merged.add(Batch(setting, [Failure(episode, error)], 0.0))
            for setting in merged.suite.settings():
                add_all(merged, setting, _episodes(setting, stores))
            done, _, _, total = Count.of(merged.counts())
            return done, total


def _check_free(folder: Path) -> None:
    if holds(folder):
        raise UsageError(f"{folder} holds a run already; choose another place for the merged one")


def _check(first: Store, other: Store) -> None:
    mixed = "and results of two versions do not mix"
    if other.suite.digest() != first.suite.digest():
        names = f"{other.folder} holds another run ({other.suite.name}) than {first.folder} ({first.suite.name})"
        raise UsageError(f"{names}: only runs of the same suite, budgets, episodes and seed are merged")
    if other.provenance.get("sources") != first.provenance.get("sources"):
        theirs, ours = (f"(commit {store.provenance.get('commit') or 'unknown'})" for store in (other, first))
        raise UsageError(f"{other.folder} was made by other sources {theirs} than {first.folder} {ours}, {mixed}")
    if found := other_version(other.provenance, first.provenance):
        raise UsageError(f"{other.folder} was made with {found} as {first.folder}, {mixed}")
    if text := changed(other.resolved, first.resolved):
        meanings = f"{other.resolved[text]} in {other.folder} and {first.resolved[text]} in {first.folder}"
        raise UsageError(f"{text} was {meanings}")


def _episodes(setting: Setting, stores: Sequence[Store]) -> Iterator[Episode]:
    """Every episode of a setting once, in order."""
    streams = [zip(store.episodes(setting), repeat(store), strict=False) for store in stores]
    for _, group in groupby(heapq.merge(*streams, key=lambda found: found[0].number), lambda found: found[0].number):
        (first, origin), *others = group
        for other, store in others:
            if found := different(first, other):
                places = f"{store.folder} than in {origin.folder}{TIMED * (setting.unit == 'ms')}"
                found_in = f"episode {first.number} of {setting.words} has another {found[0]} in {places}"
                raise UsageError(f"{found_in}; nothing was merged")
        yield first


TIMED = " (time budgets never come out the same: play each episode on one machine, with --part)"


def provenance(stores: Sequence[Store], command: str) -> dict[str, Any]:
    """The facts that all runs share, and those of each run."""
    own = [{"run": str(store.folder), "part": str(store.part), **store.provenance} for store in stores]
    every = [facts for one in own for facts in one.get("merged", [one])]
    packages = _shared([one.get("packages", {}) for one in every])
    return {**_shared(every), **({"packages": packages} if packages else {}), "command": command, "merged": every}


def _shared(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in facts[0].items() if all(one.get(key) == value for one in facts)}
