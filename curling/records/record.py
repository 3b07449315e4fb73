"""Match records as files of JSON lines: the match, its set-ups, shots and ends in the order played, the result.

docs/curling/records.md describes the format.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, get_type_hints

import msgspec

from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.setup_value import CHOICES
from bonspiel.curling.records.match_data import REASONS, End, Item, Match, Record, RecordedShot, Result, Setup, score_of
from bonspiel.planners.checks import require, require_choice
from bonspiel.replacing import replacing

__all__ = [
    "End",
    "Match",
    "Record",
    "RecordedShot",
    "Result",
    "Setup",
    "Writer",
    "line_of",
    "parse_line",
    "read",
    "write",
]

MOST_SD = 1000.0  # m/s, rad; of errors of execution, and of top speeds
LONGEST_NAME, LONGEST_REASON = 40, 300  # characters
FORMAT = 2  # 1 knew only standard games
# in the order of the file
MATCH_KEYS = (
    *("players", "physics", "rule", "noise", "ends", "extra_ends", "tie", "budgets", "seed", "pair", "engine"),
    *("game", "pattern", "throwers"),
)
# by `type` of their lines
TYPES: dict[str, type] = {"match": Match, "setup": Setup, "shot": RecordedShot, "end": End, "result": Result}
# fields that old records lack
DEFAULTS = {"engine": "analytic", "detail": None, "game": "standard", "pattern": 0, "throwers": None}


def _decoder() -> msgspec.json.Decoder[Any]:
    lines: Any = None
    for name, kind in TYPES.items():
        hints = get_type_hints(kind, include_extras=True)
        if kind is Match:  # the model refuses names that are unknown
            hints = {key: hints[key] for key in MATCH_KEYS} | {"physics": str, "game": str, "format": Literal[1, 2]}
        fields = [(key, hint, DEFAULTS[key]) if key in DEFAULTS else (key, hint) for key, hint in hints.items()]
        struct = msgspec.defstruct(name, fields, tag=name, kw_only=True, forbid_unknown_fields=True)
        lines = struct if lines is None else lines | struct
    return msgspec.json.Decoder(lines)


_DECODER = _decoder()


def line_of(item: Item) -> str:
    """The JSON line of one part of a record, without its end of line.

    Raises:
        ValueError: a number is not finite.
    """
    name = next(name for name, kind in TYPES.items() if isinstance(item, kind))
    if isinstance(item, Match):
        given = asdict(item)
        fields = {"format": FORMAT, **{key: given[key] for key in MATCH_KEYS}}
    else:
        fields = item._asdict()
    return json.dumps({"type": name, **fields}, allow_nan=False)


def parse_line(line: str | bytes) -> Item:
    """The part of a record that a JSON line holds.

    Raises:
        ValueError: not a line of a record of this format.
    """
    try:
        decoded = _DECODER.decode(line)
        fields = msgspec.structs.asdict(decoded)
        fields.pop("format", None)
        item: Item = TYPES[type(decoded).__name__](**fields)
        if isinstance(item, Result):
            require_choice("reason", item.reason, REASONS)
        if isinstance(item, Setup):
            require_choice("choice", item.choice, CHOICES)
        if isinstance(item, Match):
            _check_errors(item)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a line of a record ({printable(str(error), LONGEST_REASON)})") from error
    return item


def check_noise(noise: Noise) -> None:
    """Check that errors of execution are such as there can be.

    Raises:
        ValueError: one is not.
    """
    require(max(noise.sds) <= MOST_SD, "noise", noise, f"at most {MOST_SD:g} each")


def printable(text: str, longest: int = LONGEST_NAME) -> str:
    """A text from elsewhere in one short line without control characters."""
    short = text if len(text) <= longest else text[: longest - 3] + "..."
    return "".join(character if character.isprintable() else "?" for character in short)


def _check_errors(match: Match) -> None:
    """Check the errors of execution of a match, and the top speeds."""
    throwers = [thrower for pair in match.throwers or () for thrower in pair]
    for noise in (match.noise, *(thrower.noise for thrower in throwers)):
        if isinstance(noise, Noise):
            check_noise(noise)
    for thrower in throwers:
        require(thrower.max_speed <= MOST_SD, "max_speed", thrower.max_speed, f"at most {MOST_SD:g}")


def write(path: Path, record: Record) -> None:
    """Write a record, which is never incomplete."""
    with replacing(path) as draft:
        draft.write_text("".join(line_of(item) + "\n" for item in _lines(record)), encoding="utf-8")


def _lines(record: Record) -> Iterator[Item]:
    yield record.match
    ends, setups = {end.end: end for end in record.ends}, {setup.end: setup for setup in record.setups}
    for shot in record.shots:
        if shot.end in setups:
            yield setups.pop(shot.end)
        yield shot
        if shot.shot == STONES - 1 and shot.end in ends:
            yield ends[shot.end]
    yield from setups.values()
    yield record.result


class Writer:
    """Writes the record of a match to a new file while it is played; methods return when their line is in the file.

    Raises:
        OSError: the file cannot be written; all methods raise it.
    """

    def __init__(self, path: Path, match: Match) -> None:
        self._file = path.open("x", encoding="utf-8")
        self.add(match)

    def add(self, item: Item) -> None:
        """Add a set-up, a shot, an end after its last shot, or the result; the result closes the file."""
        self._file.write(line_of(item) + "\n")
        self._file.flush()
        if isinstance(item, Result):
            self.close()

    def close(self) -> None:
        """Close the file; without a result the record stays unfinished."""
        self._file.close()


def read(path: Path, partial: bool = False) -> Record:
    """Read a record; a `partial` one may lack a result, then "unfinished", and its last line may be cut.

    Raises:
        ValueError: the file is not a complete record of this format; the message names the line.
    """
    lines = path.read_bytes().removeprefix(BOM_UTF8).splitlines(keepends=True)
    if not any(map(bytes.strip, lines)):
        raise ValueError(f"{path} is empty")
    items: list[Item] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            items.append(parse_line(line))
        except ValueError as error:
            if partial and items and number == len(lines) and not line.endswith(b"\n"):
                break
            raise ValueError(f"{path}, line {number}: {error}") from error
    matches = [item for item in items if isinstance(item, Match)]
    shots = tuple(item for item in items if isinstance(item, RecordedShot))
    setups = tuple(item for item in items if isinstance(item, Setup))
    ends = tuple(item for item in items if isinstance(item, End))
    results = [item for item in items if isinstance(item, Result)]
    if partial and not results:
        results = [Result(score_of(ends), None, None, "unfinished")]
    if not len(matches) == len(results) == 1:
        raise ValueError(f"{path}: not complete, a record has one match line and one result line")
    return Record(matches[0], shots, ends, results[0], setups)
