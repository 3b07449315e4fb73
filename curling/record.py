"""Games on record, as files; see docs/match-records.md.

A record is a file of JSON lines: the match, then shots and ends in the order played, then the result.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Self

from curling.match_data import REASONS, End, Match, Record, RecordedShot, Result, places, score_of
from curling.noise import Noise
from curling.sheet import STONES
from planners.base import require, require_choice

__all__ = [
    "End",
    "Match",
    "Record",
    "RecordedShot",
    "Result",
    "Writer",
    "line_of",
    "parse_line",
    "places",
    "read",
    "write",
]

FORMAT = 1

Line = Match | RecordedShot | End | Result


def line_of(item: Line) -> str:
    """The line that keeps a part of a record, without its end of line.

    Raises:
        ValueError: a number is not finite.
    """
    if isinstance(item, Match):
        return json.dumps({"type": "match", "format": FORMAT, **asdict(item)}, allow_nan=False)
    return json.dumps({"type": type(item).__name__.lower(), **item._asdict()}, allow_nan=False)


def parse_line(line: str | bytes) -> Line:
    """The part of a record that a line keeps.

    Raises:
        ValueError: not a line of a record of this format.
    """
    try:
        given = json.loads(line, parse_constant=_refuse)
        kind = given.pop("type", None) if isinstance(given, dict) else None
        if not isinstance(kind, str) or kind not in _KINDS:
            raise ValueError(f"type={kind!r}: must be one of {', '.join(_KINDS)}")
        item: Line = _KINDS[kind](**{key: _tuples(value) for key, value in given.items()})
    except TypeError as error:  # names the fields that are missing or not known, after the function
        raise ValueError(f"not a line of a record ({str(error).partition('() ')[2] or error})") from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a line of a record ({error})") from error
    return item


def write(path: Path, record: Record) -> None:
    """Write a record; the file has its name when it is complete."""
    draft = path.with_name(path.name + ".new")
    draft.write_text("".join(line_of(item) + "\n" for item in _items(record)), encoding="utf-8")
    draft.replace(path)


def _items(record: Record) -> Iterator[Line]:
    yield record.match
    ends = {end.end: end for end in record.ends}
    for shot in record.shots:
        yield shot
        if shot.shot == STONES - 1 and shot.end in ends:
            yield ends[shot.end]
    yield record.result


class Writer:
    """Writes a record while the game is played: every line is in the file when its method returns.

    Args:
        path: of the file, which must not exist yet.
        match: what is played.

    Raises:
        OSError: it cannot be written, like all methods.
    """

    def __init__(self, path: Path, match: Match) -> None:
        """Write the match."""
        self._file = path.open("x", encoding="utf-8")
        self._write(match)

    def shot(self, shot: RecordedShot) -> None:
        """Add a shot."""
        self._write(shot)

    def end(self, end: End) -> None:
        """Add an end that is over, after its last shot."""
        self._write(end)

    def result(self, result: Result) -> None:
        """Add how the game ended, and close the file."""
        self._write(result)
        self.close()

    def close(self) -> None:
        """Close the file; without a result the record stays unfinished."""
        self._file.close()

    def __enter__(self) -> Self:
        """Nothing more; the file is open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def _write(self, item: Line) -> None:
        self._file.write(line_of(item) + "\n")
        self._file.flush()


def read(path: Path, partial: bool = False) -> Record:
    """Read a record.

    Args:
        path: of the file.
        partial: also take one without a result, even if it breaks off within a line; its result is "unfinished".

    Raises:
        ValueError: the file is no complete record of this format; the message names the line.
    """
    lines = path.read_bytes().splitlines(keepends=True)
    if not lines:
        raise ValueError(f"{path} is empty")
    items: list[Line] = []
    for number, line in enumerate(lines, 1):
        try:
            items.append(parse_line(line))
        except ValueError as error:
            if partial and items and number == len(lines) and not line.endswith(b"\n"):
                break
            raise ValueError(f"{path}, line {number}: {error}") from error
    matches = [item for item in items if isinstance(item, Match)]
    shots = tuple(item for item in items if isinstance(item, RecordedShot))
    ends = tuple(item for item in items if isinstance(item, End))
    results = [item for item in items if isinstance(item, Result)]
    if partial and not results:
        results = [Result(score_of(ends), None, None, "unfinished")]
    if not len(matches) == len(results) == 1:
        raise ValueError(f"{path}: a record has one match line and one result line; this one is not complete")
    return Record(matches[0], shots, ends, results[0])


def _match(format: int, **given: Any) -> Match:
    require(format == FORMAT, "format", format, str(FORMAT))
    if isinstance(given.get("noise"), dict):
        given["noise"] = Noise(**given["noise"])
    given = {"engine": "analytic"} | given  # the only one when the format was young
    missing = [field.name for field in fields(Match) if field.name not in given]
    require(not missing, "match", missing, "complete")
    names = given["players"]
    require(len(names) == 2 and all(isinstance(name, str) for name in names), "players", names, "two names")
    return Match(**given)


def _shot(**given: Any) -> RecordedShot:
    shot = RecordedShot(**given)
    require(all(type(number) is int for number in shot[:4]), "(end, shot, team, hammer)", shot[:4], "whole numbers")
    places = [place for place in shot.stones if place is not None]
    complete = len(shot.stones) == STONES and all(_numbers(place, 2) for place in places)
    require(complete, "stones", shot.stones, "16 places, each [x, y] or null")
    throws = shot.aim, shot.thrown
    require(all(_numbers(throw, 3) for throw in throws), "aim, thrown", throws, "three numbers each")
    known = [number for number in (shot.value, shot.simulations) if number is not None]
    require(_numbers((shot.seconds, *known), 1 + len(known)), "value, simulations, seconds", shot[7:], "numbers")
    return shot


def _end(**given: Any) -> End:
    end = End(**given)
    require(_numbers((end.end, *end.points), 3), "end, points", end, "a number, and the points of two teams")
    return end


def _result(**given: Any) -> Result:
    result = Result(**given)
    require_choice("reason", result.reason, REASONS)
    require(_numbers(result.score, 2), "score", result.score, "the points of two teams")
    return result


def _numbers(values: Sequence[Any], count: int) -> bool:
    return len(values) == count and all(type(x) in (int, float) and math.isfinite(x) for x in values)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


_KINDS: dict[str, Callable[..., Line]] = {"match": _match, "shot": _shot, "end": _end, "result": _result}
