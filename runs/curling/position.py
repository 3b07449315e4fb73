"""Positions of curling, from records and from JSON files."""

import json
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bonspiel.curling.checks import check_match_state
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array
from bonspiel.planners.registry import unknown
from bonspiel.runs.curling import match_files
from bonspiel.runs.curling.analysis.match import thrown_shots
from bonspiel.runs.experiment import UsageError, number

KEYS = {"stones": None, "shot": None, "hammer": 1, "end": 0, "lead": 0, "ends": 1, "physics": "fcv1"}


class MatchPosition(NamedTuple):
    """A match and its state before a shot."""

    match: Curling
    state: Array


def from_record(path: Path, end: int, shot: int) -> MatchPosition:
    """The position before a shot of a recorded or logged game; ends and shots count from 1.

    Raises:
        ValueError: no record, or it has no such shot.
    """
    game = match_files.read_match(path, partial=True)
    ends = 1 + max((shot.end for shot in game.shots), default=0)
    require(1 <= end <= ends, "end", end, f"from 1 to {ends}, the ends of this game")
    model = game.match.model()
    require(1 <= shot <= model.end_shots, "shot", shot, f"from 1 to {model.end_shots}")
    index = (end - 1) * model.end_shots + shot - 1
    last = len(game.shots) - (end - 1) * model.end_shots
    require(shot <= last, "shot", shot, f"at most {last}, the last of this end on record")
    return MatchPosition(model, thrown_shots(game)[index].state)


def from_json(path: Path) -> MatchPosition:
    """The position in a file that holds one JSON object.

    Its keys are those of `KEYS`, with defaults where they are optional: stones, 16 places [x, y] in m or null; shot,
    hammer, end, lead (as of `curling.match.state.state_of`), ends and physics (as of `Curling`).

    Raises:
        ValueError, UsageError: no such object, or no position of such a match.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise UsageError("nested too deeply: must be a position") from None
    require(isinstance(given, dict), "position", given, f"a JSON object with the keys {', '.join(KEYS)}")
    for key in given:
        if key not in KEYS:
            raise unknown("key of a position", key, KEYS)
    for key, allowed in (("stones", f"{STONES} places, each [x, y] or null"), ("shot", f"0 to {STONES - 1}")):
        if key not in given:
            raise UsageError(f"{key} is missing ({allowed})")
    full = KEYS | given
    stones, match = full["stones"], Curling(ends=full["ends"], physics=full["physics"])
    listed = isinstance(stones, list) and len(stones) == STONES
    pairs = listed and all(place is None or (isinstance(place, list) and len(place) == 2) for place in stones)
    require(pairs, "stones", stones, f"{STONES} places, each [x, y] or null")
    for i, place in enumerate(stones):
        finite = place is None or all(type(v) in (int, float) and isfinite(v) for v in place)
        require(finite, f"stones[{i}]", place, "two finite numbers or null")
    places = np.array([(np.nan, np.nan) if place is None else place for place in stones], np.float64)
    numbers = {key: number(key, full[key], -1_000, 1_000, whole=True) for key in ("shot", "hammer", "end", "lead")}
    require(numbers["end"] < match.ends, "end", numbers["end"], f"below ends={match.ends}, as it counts from 0")
    return MatchPosition(match, state_of(places, **numbers))


def read_position(path: Path, end: int | None, shot: int | None) -> MatchPosition:
    """The position of a JSON file, or of a record before a shot.

    Raises:
        UsageError: it cannot be read, or cannot occur in a match.
    """
    try:
        if path.suffix == ".json":
            if end is not None or shot is not None:
                raise UsageError("--end and --shot are for records only (.jsonl); a .json file is one position")
            found = from_json(path)
        else:
            path.stat()  # report a wrong name before missing options
            if end is None or shot is None:
                raise UsageError("not .json, so the record of a game or a log: choose a position with --end N --shot N")
            found = from_record(path, end, shot)
        return found._replace(state=check_match_state(found.match, found.state))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from error
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deeply") from error
    except (ValueError, TypeError, UsageError) as error:
        named = str(error).startswith(str(path))  # the reader of records names file and line
        raise UsageError(str(error) if named else f"{path}: {error}") from error
