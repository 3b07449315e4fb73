"""The schema of a results file: its tables and migrations; creating and checking a file."""

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from bonspiel.runs.experiment import Setting, UsageError
from bonspiel.runs.results.rows import Episode

APPLICATION = 0x626F6E73  # "bons", in the file's header

FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE setting (
    id INTEGER PRIMARY KEY, env TEXT NOT NULL, planner TEXT NOT NULL, budget NUMERIC NOT NULL, unit TEXT NOT NULL,
    seed INTEGER NOT NULL, episodes INTEGER NOT NULL, UNIQUE (env, planner, budget, unit));
CREATE TABLE episode (
    setting INTEGER NOT NULL REFERENCES setting, episode INTEGER NOT NULL, total REAL NOT NULL, steps INTEGER NOT NULL,
    seconds REAL NOT NULL, PRIMARY KEY (setting, episode)) WITHOUT ROWID;
CREATE TABLE failure (
    setting INTEGER NOT NULL REFERENCES setting, episode INTEGER NOT NULL, error TEXT NOT NULL,
    PRIMARY KEY (setting, episode)) WITHOUT ROWID;
"""

ACTIVE = "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view')"

# From each schema to the next; a new file is created by the same steps.
MIGRATIONS = (
    """
ALTER TABLE episode ADD COLUMN simulations INTEGER;
ALTER TABLE episode ADD COLUMN first_action BLOB;
ALTER TABLE episode ADD COLUMN times BLOB;
""",
    """
ALTER TABLE episode ADD COLUMN invalid INTEGER;
""",
)
SCHEMA = 1 + len(MIGRATIONS)

# Of the table `episode`, after `setting`. A new column is a field of Episode and a migration.
FIELDS = {name: "episode" if name == "number" else name for name in Episode._fields}
COLUMNS, VALUES = ", ".join(FIELDS.values()), ", ".join(f":{name}" for name in FIELDS)


def connect(file: Path, mode: str, checked: bool) -> sqlite3.Connection:
    """Connect to an existing results file after a check of its application and schema.

    A file of an older schema is migrated; opened for reading only, it is shown as if it were. A reader sees the file as
    of the first query, whatever a driver adds later. The `mode` is "ro" or "rw"; if `checked` all of the file is, which
    takes about a second for a million episodes. Other errors than a newer version's are ValueError or of sqlite3.
    """
    connection = sqlite3.connect(_address(file, mode), uri=True, check_same_thread=False)
    try:
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        if application != APPLICATION:
            raise ValueError("it was not written by bonspiel")
        if version > SCHEMA:
            known = f"this version of bonspiel knows up to {SCHEMA}"
            advice = "read it with the version that wrote it, or a newer one"
            raise UsageError(f"{file} has results of schema {version}, {known}; {advice}")
        with closing(sqlite3.connect(":memory:")) as fresh:
            fresh.executescript(_script(0, version))
            missing = _tables(fresh) - _tables(connection)
        if missing:
            raise ValueError(f"its table {min(missing)[0]} is missing or changed")
        if active := connection.execute(ACTIVE).fetchall():  # a stranger's could change what is read or written
            raise ValueError(f"it has something that no run has, {active[0][0]}")
        if checked:
            (check,), *_ = connection.execute("PRAGMA quick_check(1)")
            if check != "ok":
                raise ValueError(check)
        if mode == "rw":
            connection.execute("PRAGMA synchronous = NORMAL")  # safe with the write-ahead log, and fast
            if version < SCHEMA:
                connection.executescript(f"BEGIN IMMEDIATE; {_script(version, SCHEMA)} COMMIT;")
        else:
            _add_missing_columns(connection)
            connection.execute("PRAGMA query_only = ON")
            connection.execute("BEGIN")  # all that is read is of one moment
    except BaseException:
        connection.close()
        raise
    return connection


def _address(file: Path, mode: str) -> str:
    """The address for SQLite, whose helper files must not stay next to a file that is only read.

    Whoever closes the file last removes them, if it may write; where it may not, a file at rest is read without them.
    """
    log = Path(f"{file}-wal")
    if mode == "ro" and os.access(file.parent, os.W_OK):
        mode = "rw"
    at_rest = mode == "ro" and not (log.exists() and log.stat().st_size)
    return f"{file.resolve().as_uri()}?mode={mode}{'&immutable=1' if at_rest else ''}"


def _add_missing_columns(connection: sqlite3.Connection) -> None:
    """Show an old file, which is only read, with the columns that later schemas added, all NULL."""
    present = {name for _, name, *_ in connection.execute("PRAGMA table_info(episode)")}
    if missing := [f"NULL AS {name}" for name in FIELDS.values() if name not in present]:
        connection.execute(f"CREATE TEMP VIEW episode AS SELECT *, {', '.join(missing)} FROM main.episode")


def _script(version: int, goal: int) -> str:
    """The steps from one schema (0: an empty file) to a later one."""
    return "".join((FIRST, *MIGRATIONS)[version:goal]) + f"PRAGMA user_version = {goal};"


def _tables(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


def create(file: Path, meta: Mapping[str, str], episodes: Mapping[Setting, int]) -> None:
    """Write a new results file: the content of its table `meta`, and the number of episodes of each setting."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"{_script(0, SCHEMA)} PRAGMA application_id = {APPLICATION};")
        with connection:
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            add_settings(connection, episodes)


def add_settings(connection: sqlite3.Connection, episodes: Mapping[Setting, int]) -> None:
    """Add settings with their numbers of episodes; update the numbers of known ones."""
    insert = """INSERT INTO setting (env, planner, budget, unit, seed, episodes)
        VALUES (:env, :planner, :budget, :unit, :seed, :episodes)
        ON CONFLICT (env, planner, budget, unit) DO UPDATE SET episodes = excluded.episodes"""
    connection.executemany(insert, [{**setting._asdict(), "episodes": count} for setting, count in episodes.items()])
