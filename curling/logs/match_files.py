"""Reads a match from any file that holds one: a record, or a log of Digital Curling 3 or 4."""

import sys
from pathlib import Path

from bonspiel.curling.logs import client_log
from bonspiel.curling.logs.logged_match import LoggedMatch
from bonspiel.curling.records import record
from bonspiel.curling.records.match_data import Record


def read_match(path: Path, partial: bool = False) -> Record:
    """Read a match; a `partial` one may break off, and may come from a log, whose notes go to standard error.

    Raises:
        ValueError: the file holds no match; the message names the files that do.
    """
    if not partial:
        return record.read(path)
    if client_log.is_log(path):
        return read_log(path).record
    try:
        return record.read(path, partial=True)
    except ValueError as error:
        if client_log.first_object(path).get("type") in record.TYPES:
            raise
        raise ValueError(f"{error}; {client_log.READABLE}") from error


def read_log(path: Path) -> LoggedMatch:
    """Read the match of a log; what its record holds otherwise is printed on standard error.

    Raises:
        ValueError: see `client_log.read_log`.
    """
    logged = client_log.read_log(path)
    for note in logged.notes:
        print(f"bonspiel: {path}: {note}", file=sys.stderr)
    return logged
