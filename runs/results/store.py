"""The results of one run: an SQLite file with every episode exactly once. `runs.results.run_folder` has it written."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.runs.experiment import WHOLE, RunPart, Setting, UsageError
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.results.schema import COLUMNS, VALUES, add_settings, connect
from bonspiel.runs.suite import Suite

FILE = "results.sqlite"
MATCH = "match.json"  # in the folder of a match
DRIVER, SEAL = "driver", "seal"  # entries of the table `meta` that change while all else stays
NUMBERS = {"total", "steps", "seconds", "simulations", "invalid"}  # columns of `episode`; old files lack some
DAMAGE = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # other errors come from around the file


class Count(NamedTuple):
    """Progress of a setting: finished episodes, their seconds of planning, failed episodes, all episodes."""

    done: int
    seconds: float
    failed: int
    total: int

    @classmethod
    def of(cls, counts: Mapping[Setting, "Count"]) -> "Count":
        """The sum of the progress of several settings."""
        return cls(*map(sum, zip(*counts.values(), strict=True)))


class Effort(NamedTuple):
    """Sums over the episodes of a setting; simulations are None where they were not kept."""

    steps: int
    seconds: float
    simulations: int | None


class Store:
    """A run's results; made by `read`, and by `runs.results.run_folder.write` for the driver.

    Attributes:
        folder: the run's folder.
        suite: of the run.
        resolved: the full parameters behind the suite's texts.
        provenance: machine, time, sources and command of the run.
        part: the share of the suite's episodes that belongs here.
        driver: of the last driver the start ("began", seconds since the epoch), and the "episodes" played and "seconds"
            of planning before it; empty without one.
        ours: whether it comes with this package, and was not submitted by others; set by who reads it.
        submission: who submitted the run ("who", "where", "licence"); empty unless it was, by `bonspiel submit`.
        model_steps: counts that `runs.results.packed` kept with the run, as from `runs.reporting.model_steps.by_key`.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        """Read the facts of the run; `connection` holds a checked results file.

        Raises:
            ValueError, KeyError, TypeError, AttributeError: its parts do not fit together.
        """
        self.folder = folder
        self._connection = connection
        meta = self.entries()
        try:
            self.suite = Suite.of(meta["name"], json.loads(meta["suite"]))
            self.part = RunPart.parse(meta.get("part", str(WHOLE)))
        except UsageError as error:
            raise ValueError(f"its suite is damaged: {error}") from error
        self.resolved: dict[str, str] = json.loads(meta["resolved"])
        self.provenance: dict[str, Any] = json.loads(meta["provenance"])
        self.driver: dict[str, float] = json.loads(meta.get(DRIVER, "{}"))
        self.ours = False
        self.submission = {name: str(fact) for name, fact in json.loads(meta.get("submission", "{}")).items()}
        self.model_steps: dict[str, float | None] = json.loads(meta.get("model_steps", "{}"))
        self._read_settings()

    def _read_settings(self) -> None:
        query = "SELECT env, planner, budget, unit, seed, episodes, id FROM setting"
        rows = [(Setting(*row[:5]), *row[5:]) for row in self._connection.execute(query)]
        if {setting: episodes for setting, episodes, _ in rows} != self.suite.episodes():
            raise ValueError("its settings are not those of its suite")
        columns = {name for (name,) in self._connection.execute("SELECT name FROM pragma_table_info('episode')")}
        for column in NUMBERS & columns:
            query = f"SELECT {column} FROM episode WHERE typeof({column}) NOT IN ('real', 'integer', 'null') LIMIT 1"
            for (value,) in self._connection.execute(query):
                raise ValueError(f"an episode's {column} is {value!r:.40}, not a number")
        self._ids = {setting: key for setting, _, key in rows}

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def entries(self) -> dict[str, str]:
        """The facts of the run as they are in the file, as JSON by name."""
        return dict(self._connection.execute("SELECT key, value FROM meta"))

    def note(self, name: str, text: str) -> None:
        """Add a fact, or replace it."""
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, text))

    def add(self, batch: Batch) -> None:
        """Keep a batch, all of it or nothing; a result replaces an earlier failure of the episode.

        Raises:
            sqlite3.IntegrityError: an episode is in the file already.
        """
        key = self._ids[batch.setting]
        played = [{"setting": key, **one._asdict()} for one in batch.results if isinstance(one, Episode)]
        failed = [{"setting": key, **one._asdict()} for one in batch.results if not isinstance(one, Episode)]
        insert = f"INSERT INTO episode (setting, {COLUMNS}) VALUES (:setting, {VALUES})"
        with self._connection:
            self._break_seal()
            self._connection.executemany(insert, played)
            self._connection.executemany("DELETE FROM failure WHERE setting = :setting AND episode = :number", played)
            self._connection.executemany("INSERT OR REPLACE INTO failure VALUES (:setting, :number, :error)", failed)

    def discard(self, setting: Setting, numbers: Iterable[int]) -> None:
        """Remove episodes, which are played again."""
        keys = ((self._ids[setting], number) for number in numbers)
        with self._connection:
            self._break_seal()
            self._connection.executemany("DELETE FROM episode WHERE setting = ? AND episode = ?", keys)

    def _break_seal(self) -> None:
        self._connection.execute("DELETE FROM meta WHERE key = ?", (SEAL,))

    def settle(self) -> None:
        """Move the write-ahead log, which SQLite keeps next to the file, into the file itself.

        Raises:
            sqlite3.OperationalError: the disk is full, or another process is reading.
        """
        ((busy, *_),) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise sqlite3.OperationalError("another process is reading it")

    def pending(self) -> dict[Setting, list[int]]:
        """The indices of the episodes still to play, failed ones included."""
        result = {}
        for setting, episodes in self.suite.episodes().items():
            found = self._connection.execute("SELECT episode FROM episode WHERE setting = ?", (self._ids[setting],))
            done = {index for (index,) in found}
            result[setting] = [index for index in self.part.episodes(episodes) if index not in done]
        return result

    def begin(self, suite: Suite, resolved: Mapping[str, str]) -> None:
        """Note that a driver begins now, with a suite that is the run's own or extends it."""
        progress = Count.of(self.counts())
        self.driver = {"began": time.time(), "episodes": progress.done, "seconds": progress.seconds}
        extended = suite.digest() != self.suite.digest()
        if extended:
            self.suite, self.resolved = suite, {**self.resolved, **resolved}
        meta = plan(self.suite, self.resolved) | {DRIVER: json.dumps(self.driver)}
        with self._connection:
            if extended:
                self._break_seal()
            self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
            add_settings(self._connection, self.suite.episodes())
        self._read_settings()

    def counts(self) -> dict[Setting, Count]:
        """Progress of each setting."""
        done = "SELECT setting, count(*), sum(seconds) FROM episode GROUP BY setting"
        played = {key: (count, seconds) for key, count, seconds in self._connection.execute(done)}
        failed = dict(self._connection.execute("SELECT setting, count(*) FROM failure GROUP BY setting"))
        result = {}
        for setting, episodes in self.suite.episodes().items():
            key, total = self._ids[setting], len(self.part.episodes(episodes))
            result[setting] = Count(*played.get(key, (0, 0.0)), failed.get(key, 0), total)
        return result

    def efforts(self) -> dict[Setting, Effort]:
        """The sums of each setting with at least one result."""
        query = "SELECT setting, sum(steps), sum(seconds), sum(simulations) FROM episode GROUP BY setting"
        found = {key: Effort(*sums) for key, *sums in self._connection.execute(query)}
        return {setting: found[key] for setting, key in self._ids.items() if key in found}

    def invalid(self) -> dict[Setting, tuple[int, int]]:
        """Invalid rollouts, and all simulations, of each setting that met an invalid one."""
        query = "SELECT setting, sum(invalid), sum(simulations) FROM episode GROUP BY setting HAVING sum(invalid) > 0"
        found = {key: (invalid, simulations) for key, invalid, simulations in self._connection.execute(query)}
        return {setting: found[key] for setting, key in self._ids.items() if key in found}

    def values(self, column: str) -> dict[Setting, NDArray[np.float64]]:
        """A column of numbers: for every setting its episodes in order, [n]; NaN where nothing was kept.

        Args:
            column: "episode", "total", "steps", "seconds", "simulations" or "invalid".
        """
        return {setting: np.array([*found], np.float64) for setting, found in self._columns(column)}  # NaN for None

    def returns(self) -> dict[Setting, NDArray[np.float64]]:
        """The returns of every setting, in order of the episodes."""
        return self.values("total")

    def returns_of(self, setting: Setting) -> dict[int, float]:
        """The returns of a setting's episodes by their numbers, read together, as the run may be running."""
        return {episode.number: episode.total for episode in self.episodes(setting)}

    def first_actions(self) -> Iterator[tuple[Setting, NDArray[np.float64]]]:
        """The first action of each setting's episodes in order, [n, action_dim]; NaN where none was kept."""
        for setting, found in self._columns("first_action"):
            blobs = list(found)
            size = max((len(blob) for blob in blobs if blob), default=0) // 8
            nothing = np.full(size, np.nan, "<f8").tobytes()
            yield setting, np.frombuffer(b"".join(blob or nothing for blob in blobs), "<f8").reshape(len(blobs), size)

    def times(self) -> Iterator[tuple[Setting, NDArray[np.float32]]]:
        """The seconds of all decisions of each setting with a time budget, one after the other, [decisions]."""
        for setting, found in self._columns("times"):
            if setting.unit == "ms":
                yield setting, np.frombuffer(b"".join(blob for blob in found if blob), "<f4")

    def _columns(self, name: str) -> Iterator[tuple[Setting, Iterator[Any]]]:
        query = f"SELECT {name} FROM episode WHERE setting = ? ORDER BY episode"
        for setting in self.suite.settings():
            yield setting, (value for (value,) in self._connection.execute(query, (self._ids[setting],)))

    def episodes(self, setting: Setting) -> Iterator[Episode]:
        """The episodes of a setting, in order."""
        query = f"SELECT {COLUMNS} FROM episode WHERE setting = ? ORDER BY episode"
        return map(Episode._make, self._connection.execute(query, (self._ids[setting],)))

    def copy(self, file: Path) -> None:
        """Copy the results into a new file, as they are now.

        Raises:
            sqlite3.Error: it could not be written.
        """
        with closing(sqlite3.connect(file)) as other:
            self._connection.backup(other)

    def strays(self) -> int:
        """The number of results of settings that the run does not have; 0 unless the file was changed by hand."""
        query = """SELECT count(*) FROM (SELECT setting FROM episode UNION ALL SELECT setting FROM failure)
            WHERE setting NOT IN (SELECT id FROM setting)"""
        ((count,),) = self._connection.execute(query)
        return int(count)

    def failures(self) -> list[tuple[str, str, int | float, str, int, str]]:
        """(env, planner, budget, unit, episode, error) of every episode that failed."""
        query = """SELECT env, planner, budget, unit, episode, error FROM failure
            JOIN setting ON setting.id = failure.setting ORDER BY setting, episode"""
        return self._connection.execute(query).fetchall()


def plan(suite: Suite, resolved: Mapping[str, str]) -> dict[str, str]:
    """The entries of the table `meta` that describe the suite of a run."""
    return {"name": suite.name, "suite": suite.to_json(), "digest": suite.digest(), "resolved": json.dumps(resolved)}


def unreadable(file: Path, error: Exception) -> UsageError:
    """The error of a results file that could not be read: damaged, or not accessible."""
    reason = " ".join(str(error).split())
    if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF not in DAMAGE:
        advice = (
            "its contents are safe: check the free space on its disk and your permission to read it, then try again"
        )
        return UsageError(f"{file} cannot be opened now ({reason}); {advice}")
    advice = f"nothing was changed: restore it, or move it away ({file.name}*) and run again"
    return UsageError(f"{file} is not a readable results file ({reason}); {advice}")


def opened(folder: Path, mode: str, checked: bool, name: str = FILE) -> Store:
    """The store in this folder; mode and checked are `schema.connect`'s.

    Raises:
        UsageError: it cannot be read.
    """
    file = folder / name
    try:
        connection = connect(file, mode, checked)
        try:
            return Store(folder, connection)
        except BaseException:
            connection.close()
            raise
    except (sqlite3.DatabaseError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise unreadable(file, error) from error


@contextmanager
def read(folder: Path, checked: bool = False, matches: bool = False) -> Iterator[Store]:
    """A run's results, for reading; also while it runs, and then as they are at this moment.

    Args:
        folder: of the run.
        checked: whether to look for damage in all of the file first, rather than meet it where it is read.
        matches: whether the folder may also be that of a match, whose games are the episodes.

    Raises:
        UsageError: no run there, or a results file that cannot be read.
    """
    if (folder / MATCH).is_file() and not matches:
        raise UsageError(f"{folder} holds a match: `bonspiel strength` charts matches, `status` and `export` read them")
    if folder.name == FILE and folder.is_file():
        raise UsageError(f"{folder} is the file of a run: give its folder, {folder.parent}")
    if not (folder / FILE).is_file():
        raise UsageError(f"{folder} holds no run (no {FILE}); give a folder that `bonspiel run` wrote")
    with closing(opened(folder, "ro", checked)) as store:
        try:
            yield store
        except sqlite3.DatabaseError as error:
            raise unreadable(folder / FILE, error) from error
