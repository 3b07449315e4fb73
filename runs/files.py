"""Output checks, and the folder lock."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from bonspiel.runs.experiment import UsageError

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK = "run.lock"
READ = ".sqlite", ".sqlite-wal", ".sqlite-shm", "match.json", ".jsonl", ".sgf", LOCK  # of the files of runs and matches
PATIENCE = 0.5  # s; longer than `in_use` of another process holds the lock


@contextmanager
def writing(place: Path, *errors: type[Exception]) -> Iterator[None]:
    """Turn errors of writing a file or a folder into a UsageError that names it; `errors` are caught like OSError."""
    refusals: tuple[type[Exception], ...] = (OSError, *errors)
    try:
        yield
    except refusals as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{place} cannot be written ({reason}); make room there, or choose another place") from error


def check_writable(file: Path, endings: Sequence[str] = ()) -> None:
    """Refuse, before work begins, an output file that cannot be written, or has another ending if some are given."""
    if endings and file.suffix.lower() not in endings:
        raise UsageError(f"{file} cannot be written: its name must end in {' or '.join(endings)}")
    if file.is_dir():
        raise UsageError(f"{file} cannot be written: it is a folder; give the name of a file")
    if not file.parent.is_dir():
        raise UsageError(f"{file} cannot be written: there is no folder {file.parent}")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise UsageError(f"{file} cannot be written: no permission; choose another place")


def check_apart(file: Path, source: Path | str) -> None:
    """Refuse an output file that would replace what is read: a run or a match, or a file of its folder."""
    if not (file.exists() and Path(source).exists()):
        return
    here, read = file.resolve(), Path(source).resolve()
    if here == read or (here.is_relative_to(read) and here.name.endswith(READ)):
        raise UsageError(f"{file} cannot be written: it is one of the files that are read; choose another name")


def unused(name: str, *endings: str) -> Path:
    """A path in the current folder, free with all endings: `name`, else `name-2` and so on, with the first of them."""
    stems = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(Path(stem + endings[0]) for stem in stems if not any(os.path.lexists(stem + one) for one in endings))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder against other drivers; create it if needed. The lock's file is removed with the lock.

    The system releases the lock of a killed process, whose file stays until the folder is locked again.
    """
    from filelock import FileLock, Timeout  # late: --help starts sooner

    lock = FileLock(folder / LOCK, timeout=PATIENCE)
    with writing(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(errno.EACCES, "it is read-only")
            lock.acquire()
        except Timeout as error:
            raise UsageError(f"{folder} is in use by another run; wait, or choose another --out") from error
    try:
        yield
    finally:
        _remove(folder, lock)


def _remove(folder: Path, lock: "BaseFileLock") -> None:
    """Release a lock and remove its file, first the file: nobody else can have locked it then.

    Who has opened it before takes the lock anew, as filelock gives no lock of a file that was removed.
    """
    with suppress(OSError):  # of a folder that is read-only or gone; of a file in use, where these cannot be removed
        (folder / LOCK).unlink()
    lock.release()


def in_use(folder: Path) -> bool:
    """True if a driver has locked the folder; False too where this user may not open the lock."""
    from filelock import FileLock, Timeout

    if not (folder / LOCK).exists():
        return False
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return True
    except OSError:
        return False
    _remove(folder, lock)  # which a killed driver has left
    return False
