"""The form of a results file: whose it is, which tables it has, how it comes into being and is looked over."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from runs.experiment import Setting, UsageError

APPLICATION, SCHEMA = 0x626F6E73, 1  # "bons": says in the file's header whose it is

TABLES = """
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


def connect(file: Path, mode: str) -> sqlite3.Connection:
    """Connect to an existing results file after a look at whose it is, which version, and whether it is whole.

    Args:
        file: the results file.
        mode: "ro" or "rw".

    Raises:
        UsageError: another version's file.
        ValueError, sqlite3.DatabaseError: not a results file, or a damaged one.
    """
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode={mode}", uri=True, check_same_thread=False)
    try:
        (application,), = connection.execute("PRAGMA application_id")
        (version,), = connection.execute("PRAGMA user_version")
        if application != APPLICATION:
            raise ValueError("it was not written by bonspiel")
        if version != SCHEMA:
            raise UsageError(f"{file} has results of schema {version}; this version of bonspiel reads schema {SCHEMA}")
        with closing(sqlite3.connect(":memory:")) as fresh:
            fresh.executescript(TABLES)
            missing = _tables(fresh) - _tables(connection)
        if missing:
            raise ValueError(f"its table {min(missing)[0]} is missing or changed")
        if mode == "rw":
            (check,), *_ = connection.execute("PRAGMA quick_check(1)")
            if check != "ok":
                raise ValueError(check)
            connection.execute("PRAGMA synchronous = NORMAL")  # safe with the write-ahead log, and fast
    except BaseException:
        connection.close()
        raise
    return connection


def _tables(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Names and definitions."""
    return set(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


def create(file: Path, meta: Mapping[str, str], episodes: Mapping[Setting, int]) -> None:
    """Write a results file without results.

    Args:
        file: must not exist.
        meta: what the table of that name holds.
        episodes: how many episodes each setting is played for.

    Raises:
        sqlite3.Error: it could not be written.
    """
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"{TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA};")
        with connection:
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            columns = "INSERT INTO setting (env, planner, budget, unit, seed, episodes) VALUES (?, ?, ?, ?, ?, ?)"
            connection.executemany(columns, [(*setting, count) for setting, count in episodes.items()])
