"""A run as one small file, to ship or to share: its results without what only its own reports need, compressed."""

import json
import lzma
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import writing
from bonspiel.runs.results import seal
from bonspiel.runs.results.store import FILE, SEAL, Store, opened, read

ENDING = f".{FILE.partition('.')[2]}.xz"
SHIPPED = Path(__file__).with_name("shipped")
# first actions and times of decisions are most of a file; of the seconds only sums are read
REDUCE = """
UPDATE episode SET first_action = NULL, times = NULL, seconds = mean.seconds
    FROM (SELECT setting, avg(seconds) AS seconds FROM episode GROUP BY setting) AS mean
    WHERE mean.setting = episode.setting;
"""


def shipped() -> list[str]:
    """The names of the runs that come with this package."""
    return sorted(file.name.removesuffix(ENDING) for file in SHIPPED.glob(f"*{ENDING}"))


def pack(store: Store, file: Path, model_steps: Mapping[str, float | None] | None = None) -> None:
    """Write a run as one file: returns, steps and simulations of each episode, and the mean of the seconds.

    Args:
        store: the run.
        file: to be written.
        model_steps: counts to keep with it, see `Store.model_steps`; by default those that the run has.

    Raises:
        UsageError: it cannot be written, or its name does not end in ENDING.
    """
    if not file.name.endswith(ENDING):
        raise UsageError(f"{file} cannot be written: its name must end in {ENDING}")
    with TemporaryDirectory() as folder, writing(file, sqlite3.Error):
        copy = Path(folder, FILE)
        store.copy(copy)
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.executescript(REDUCE)
            counts = json.dumps(store.model_steps if model_steps is None else model_steps)
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('model_steps', ?)", [counts])
            connection.execute("DELETE FROM meta WHERE key = ?", [SEAL])
            connection.execute("VACUUM")
        with closing(opened(copy.parent, "rw", False)) as small:
            seal.attach(small)
            small.settle()
        with copy.open("rb") as source, lzma.open(file, "wb", preset=9) as target:
            shutil.copyfileobj(source, target)


@contextmanager
def read_any(given: Path, matches: bool = False, sealed: bool = True) -> Iterator[Store]:
    """A run's results for reading, from its folder, from a packed file, or by the name of one that is shipped.

    Args:
        given: one of these.
        matches: whether a folder may also be that of a match, as for `read`.
        sealed: whether to refuse a run that was changed after it was complete.

    Raises:
        UsageError: it is none of these, or cannot be read.
    """
    file, called = given, given
    if not given.exists():
        file, called = SHIPPED / f"{given}{ENDING}", Path(f"bonspiel's {given}")
        if str(given) not in shipped():
            known = ", ".join(shipped())
            raise UsageError(
                f"{given} holds no run: it is no folder, no file *{ENDING}, and not shipped with bonspiel ({known})"
            )
    elif given.is_dir() or not given.name.endswith(ENDING):
        with read(given, matches=matches) as store:
            if sealed:
                seal.check(store)
            yield store
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder, FILE)
        try:
            with lzma.open(file) as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (lzma.LZMAError, EOFError) as error:
            raise UsageError(f"{file} is not a packed run ({error})") from error
        with read(copy.parent, checked=True) as store:
            store.folder = called  # names the run in tables
            if sealed:
                seal.check(store)
            yield store
