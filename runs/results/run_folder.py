"""The folder of a run, for the one driver that writes it: made, locked, or refused."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from runs.experiment import RunError, UsageError
from runs.files import LOCK, locked, writing
from runs.part import WHOLE, Part
from runs.provenance import other_version
from runs.results.schema import create
from runs.results.store import FILE, Store, opened, read
from runs.suite import Suite

DRAFT = "results.sqlite.new"


@contextmanager
def write(
    folder: Path,
    suite: Suite,
    resolved: Mapping[str, str],
    provenance: Mapping[str, Any],
    resume: bool,
    part: Part = WHOLE,
) -> Iterator[Store]:
    """A run's results, for the one driver that plays it; a new run unless there is one to resume.

    Args:
        folder: where the run is or shall be.
        suite: what is to be played.
        resolved: the full parameters behind the suite's texts, as from `Suite.resolve`.
        provenance: as from `runs.provenance.collect`.
        resume: whether to go on with a run that is there.
        part: the share of the episodes to play.

    Raises:
        UsageError: the folder cannot be written, holds something else, another run or one by other sources or packages,
            or is in use; or it holds this run and `resume` is not set.
        RunError: the file could not be written while the run went on.
    """
    # Looked at before it is locked, so that a refused folder is left as it is, without even a lock in it.
    _holds_run(folder, suite, resolved, provenance, resume, part)
    with locked(folder):
        if not _holds_run(folder, suite, resolved, provenance, resume, part):
            with drafted(folder, suite, resolved, provenance, part):
                pass
        with closing(opened(folder, "rw", True)) as store:
            try:
                store.begin()
                yield store
            except sqlite3.OperationalError as error:
                raise RunError(
                    f"{folder / FILE} cannot be written ({error}); what it holds is safe, go on with --resume"
                ) from error
            except sqlite3.IntegrityError:
                raise
            except sqlite3.DatabaseError as error:
                raise RunError(
                    f"{folder / FILE} was damaged while the run went on ({error}): restore it, or move it "
                    "away and run again"
                ) from error


def holds(folder: Path) -> bool:
    """Whether there is a run in the folder, which may also be empty or missing.

    Raises:
        UsageError: it has no run, but files of others.
    """
    files = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if FILE in files:
        return True
    others = [name for name in files if name != LOCK and not name.startswith(DRAFT)]
    if others:
        raise UsageError(f"{folder} holds no run but other files ({others[0]}, ...); choose another --out")
    return False


def _holds_run(
    folder: Path, suite: Suite, resolved: Mapping[str, str], provenance: Mapping[str, Any], resume: bool, part: Part
) -> bool:
    """Whether the run to go on with is there; anything else in the folder is refused."""
    if not holds(folder):
        return False
    with read(folder) as store:
        if store.suite.digest() != suite.digest():
            raise UsageError(f"{folder} holds another experiment ({store.suite.name}); choose another --out")
        if store.part != part:
            raise UsageError(
                f"{folder} holds part {store.part} of this run; go on with --part {store.part}, or choose another --out"
            )
        if not resume:
            raise UsageError(f"{folder} holds this run already; add --resume to go on with it, or choose another --out")
        changed = [text for text, meaning in resolved.items() if store.resolved.get(text, meaning) != meaning]
        if changed:
            raise UsageError(
                f"{folder}: {changed[0]} was {store.resolved[changed[0]]} when the run began and is "
                f"{resolved[changed[0]]} now; choose another --out"
            )
        if store.provenance.get("sources") != provenance.get("sources"):
            commit = store.provenance.get("commit") or "unknown"
            raise UsageError(
                f"{folder} was begun by other sources (commit {commit}), and results of two versions "
                "do not mix: choose another --out, or go back to that version"
            )
        if found := other_version(store.provenance, provenance):
            raise UsageError(
                f"{folder} was begun with {found}, and results of two versions do not mix: choose another "
                "--out, or install that version"
            )
    return True


@contextmanager
def drafted(
    folder: Path, suite: Suite, resolved: Mapping[str, str], provenance: Mapping[str, Any], part: Part = WHOLE
) -> Iterator[Store]:
    """A new run's results, in a locked folder; the file gets its name when the block ends well, or is removed.

    Raises:
        UsageError: it could not be written.
    """
    meta = {
        "name": suite.name,
        "suite": suite.to_json(),
        "digest": suite.digest(),
        "part": str(part),
        "resolved": json.dumps(resolved),
        "provenance": json.dumps(provenance),
    }
    with writing(folder, sqlite3.Error):
        _remove_draft(folder)
        try:
            create(folder / DRAFT, meta, suite.episodes())
            with closing(opened(folder, "rw", False, DRAFT)) as store:
                yield store
                store.settle()  # closing would try as well, but not tell when it fails
            (folder / DRAFT).rename(folder / FILE)
        finally:
            _remove_draft(folder)


def _remove_draft(folder: Path) -> None:
    """With SQLite's files beside it."""
    for leftover in folder.glob(f"{DRAFT}*"):
        leftover.unlink()
