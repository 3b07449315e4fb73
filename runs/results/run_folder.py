"""The folder of a run, for the one driver that writes it: created, locked, extended, or refused; and what it keeps."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from bonspiel.runs.experiment import WHOLE, RunError, RunPart, Setting, UsageError
from bonspiel.runs.files import LOCK, locked, writing
from bonspiel.runs.provenance import changed, other_version
from bonspiel.runs.results import seal
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.results.schema import create
from bonspiel.runs.results.store import FILE, MATCH, Store, opened, plan, read
from bonspiel.runs.suite import Suite

DRAFT = "results.sqlite.new"
# what is made of results
DERIVED = re.compile(r"(chart\.(png|svg)|report\.(html|md)|(leaderboard|sensitivity)(-\w+)?\.(html|md|png|svg))")

Facts = Mapping[str, Any]  # the provenance of a run


@contextmanager
def write(
    folder: Path,
    suite: Suite,
    resolved: Mapping[str, str],
    provenance: Facts,
    resume: bool,
    part: RunPart = WHOLE,
    earlier: Sequence[Store] = (),
) -> Iterator[Store]:
    """Open the results of a run for the one driver that plays it.

    A new run is created unless there is one to resume; a suite that plays more than that run extends it.
    A new one keeps the episodes that it has in common with earlier ones; of two that have one, the first's.
    """
    # Checked before it is locked too, so that a refused folder is left as it is, without even a lock in it.
    _holds_run(folder, suite, resolved, provenance, resume, part)
    with locked(folder):
        if not _holds_run(folder, suite, resolved, provenance, resume, part):
            with drafted(folder, suite, resolved, with_kept(provenance, earlier), part) as draft:
                for old in earlier:
                    take(old, draft)
        with closing(opened(folder, "rw", True)) as store:
            try:
                store.begin(suite, resolved)
                yield store
                seal.attach(store)
            except sqlite3.OperationalError as error:
                reason = f"cannot be written ({error}); its content is safe: continue with --resume"
                raise RunError(f"{folder / FILE} {reason}") from error
            except sqlite3.IntegrityError:
                raise
            except sqlite3.DatabaseError as error:
                reason = f"was damaged during the run ({error}): restore it, or move it away ({FILE}*) and run again"
                raise RunError(f"{folder / FILE} {reason}") from error


def holds(folder: Path) -> bool:
    """True if the folder holds a run; it may also be missing, or have nothing but the files of reports."""
    files = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if FILE in files:
        return True
    kept = (name for name in files if name != LOCK and not name.startswith(DRAFT) and not _is_rest(folder / name))
    others = [name for name in kept if not DERIVED.fullmatch(name)]
    if others:
        raise UsageError(f"{folder} holds no run but other files ({others[0]}, ...); choose another --out")
    return False


def _is_rest(path: Path) -> bool:
    """True for SQLite's helper files without content, which stay where a results file was moved away."""
    return path.name == f"{FILE}-shm" or (path.name == f"{FILE}-wal" and path.stat().st_size == 0)


def _difference(before: Suite, now: Suite) -> str | None:
    """The reason why a suite does not extend another, in words; None if it plays all of it."""
    seeds, episodes = ({setting[:4]: setting.seed for setting in now.settings()}, now.episodes())
    for setting, count in before.episodes().items():
        where, seed = setting.words, setting.seed
        if setting[:4] not in seeds:
            return f"{where} is not in the new one"
        if seeds[setting[:4]] != seed:
            return f"its seed is {seed}, not {seeds[setting[:4]]}"
        if episodes[setting] < count:
            return f"it has {count} episodes of {where}, not {episodes[setting]}"
    return None


def _holds_run(
    folder: Path, suite: Suite, resolved: Mapping[str, str], provenance: Facts, resume: bool, part: RunPart
) -> bool:
    """True if the folder holds a run to continue; refuse anything else in it."""
    if not holds(folder):
        return False
    with read(folder, matches=True) as store:
        other, mixed = "choose another --out", "and results of two versions do not mix"
        if difference := _difference(store.suite, suite):
            raise UsageError(f"{folder} holds another run ({store.suite.name}): {difference}; {other}")
        if store.part != part:
            now = f"continue with --part {store.part}, or {other}"
            raise UsageError(f"{folder} holds part {store.part} of this run; {now}")
        if not resume:
            raise UsageError(f"{folder} holds this run already; add --resume to continue it, or {other}")
        if text := changed(store.resolved, resolved):
            meanings = f"{store.resolved[text]} when the run began and is {resolved[text]} now"
            raise UsageError(f"{folder}: {text} was {meanings}; {other}")
        if store.provenance.get("sources") != provenance.get("sources"):
            commit = f"other sources (commit {store.provenance.get('commit') or 'unknown'})"
            raise UsageError(f"{folder} was begun with {commit}, {mixed}: {other}, or check out that version")
        if found := other_version(store.provenance, provenance):
            raise UsageError(f"{folder} was begun with {found}, {mixed}: {other}, or install that version")
        if not (folder / MATCH).exists():  # whose records count, and bring its rows up to date
            seal.check(store)
    return True


@contextmanager
def drafted(
    folder: Path, suite: Suite, resolved: Mapping[str, str], provenance: Facts, part: RunPart = WHOLE
) -> Iterator[Store]:
    """A new run's results, in a locked folder; the file gets its name if the block succeeds, else it is removed."""
    meta = plan(suite, resolved) | {"part": str(part), "provenance": json.dumps(provenance)}
    with writing(folder, sqlite3.Error):
        _remove_draft(folder)
        try:
            create(folder / DRAFT, meta, suite.episodes())
            with closing(opened(folder, "rw", False, DRAFT)) as store:
                yield store
                seal.attach(store)
                store.settle()  # closing would do it too, but hide a failure
            (folder / DRAFT).rename(folder / FILE)
        finally:
            _remove_draft(folder)


def _remove_draft(folder: Path) -> None:
    for leftover in folder.glob(f"{DRAFT}*"):  # SQLite keeps more files with it
        leftover.unlink()


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


def with_kept(facts: Mapping[str, Any], earlier: Sequence[Store]) -> dict[str, Any]:
    """The facts of a new run and, as for merged runs, those of the runs whose episodes it keeps, and of theirs."""
    merged = []
    for old in earlier:
        own = {"run": _kept_of(old), **old.provenance}
        merged += [own, *own.pop("merged", [])]
    return {**facts, "merged": merged} if merged else {**facts}
