"""What the logs of all protocols share: their lines, the client's estimates, and the match that was logged."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bonspiel.curling.protocols import Finite
from bonspiel.curling.records.match_data import Record
from bonspiel.runs.progress import counted

Entry = tuple[int, dict[str, Any]]  # a line's number and its object


class Estimate(Finite, frozen=True):
    """The client's estimate of its own probability to win, if any, and the simulations that it ran."""

    chance: float | None
    simulations: int

    def of_team(self, team: int) -> tuple[float | None, int]:
        """The estimate of team 0's probability, for a client of this team, and the simulations."""
        own = self.chance
        return own if own is None or team == 0 else 1.0 - own, self.simulations


class LoggedMatch(NamedTuple):
    """A match as far as its log goes.

    Attributes:
        record: the match; aims that are not known are as thrown.
        aims: the teams whose aims are known.
        notes: lines for the user, on what the record holds otherwise than the log.
    """

    record: Record
    aims: tuple[int, ...]
    notes: tuple[str, ...] = ()


def without_aims(shots: int) -> str:
    """The note on a team's own shots whose aims its log should hold, but does not, as after a restart."""
    return f"the log lacks the aims of {counted(shots, 'own shot')}: they are judged as thrown"


def entries(file: Path) -> Iterator[Entry]:
    """The objects of the lines of a log, without empty lines and a last one that is cut off.

    Only a line feed ends a line: names of teams may have other line ends of Unicode.

    Raises:
        ValueError: a line is no JSON object in UTF-8; the message names file and line.
    """
    lines = file.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line.decode()) if line.strip() else {}
            if not isinstance(entry, dict):
                raise ValueError(f"not a line of a log ({type(entry).__name__} instead of an object)")
        except (ValueError, RecursionError) as error:
            if number == len(lines):
                return
            raise at_line(file, number, error) from error
        if entry:
            yield number, entry


def at_line(file: Path, number: int, error: Exception) -> ValueError:
    """The error with the place of its cause."""
    return ValueError(f"{file}, line {number}: {error}")
