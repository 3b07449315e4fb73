"""The match in a log, as a record: real servers give their clients none."""

import json
from pathlib import Path
from typing import Any

from bonspiel.curling.logs import dc3_log, dc4_log
from bonspiel.curling.logs.logged_match import LoggedMatch, entries

READABLE = (
    "a match is read from a record, the log of a client of Digital Curling 3 or 4 (results/client/dc3-TIME.jsonl), the "
    "game.dcl2 of a server of Digital Curling 3, or the log of a program with dc4client (logs/dc4_TEAM_TIME.jsonl)"
)
OF_CLIENT, OF_SERVER, OF_PACKAGE = {"dir"}, {"tag", "log"}, {"logger", "message"}  # keys of the lines


def first_object(file: Path) -> dict[str, Any]:
    """The JSON object in the first line of a file; empty if it is none.

    Raises:
        OSError: the file cannot be read.
    """
    with file.open("rb") as stream:
        try:
            first = json.loads(stream.readline())
        except (ValueError, RecursionError):
            return {}
    return first if isinstance(first, dict) else {}


def is_log(file: Path) -> bool:
    """True if a file is the log of a client, of any protocol, or of a server of Digital Curling 3.

    Raises:
        OSError: it cannot be read.
    """
    return any(keys <= first_object(file).keys() for keys in (OF_CLIENT, OF_SERVER, OF_PACKAGE))


def read_log(file: Path) -> LoggedMatch:
    """The match of a log.

    Raises:
        ValueError: another protocol, no match, or one that a record cannot hold.
    """
    keys, lines = first_object(file).keys(), list(entries(file))
    if OF_CLIENT <= keys:
        of_dc4 = any(dc4_log.is_state(entry.get("msg")) for _, entry in lines)
        found = dc4_log.read_client(file, lines) if of_dc4 else dc3_log.read(file, lines, of_server=False)
    elif OF_SERVER <= keys:
        found = dc3_log.read(file, lines, of_server=True)
    else:
        found = dc4_log.read_package(file, lines)
    if found is None:
        raise ValueError(f"{file} is a log, but holds no match of Digital Curling 3 or 4; {READABLE}")
    return found
