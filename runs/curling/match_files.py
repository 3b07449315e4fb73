"""Reads a match from any file that holds one: a record, or the log of a client or server of Digital Curling 3."""

from pathlib import Path

from bonspiel.curling.match import record
from bonspiel.curling.match.match_data import Record
from bonspiel.runs.curling.analysis import client_log


def read_match(path: Path, partial: bool = False) -> Record:
    """Read a match; a `partial` one may break off, and may come from a log.

    Raises:
        ValueError: the file holds no match; the message names the files that do.
    """
    if not partial:
        return record.read(path)
    if client_log.is_log(path):
        return client_log.read_log(path).record
    try:
        return record.read(path, partial=True)
    except ValueError as error:
        if client_log.first_object(path).get("type") in record.TYPES:
            raise
        raise ValueError(f"{error}; {client_log.READABLE}") from error
