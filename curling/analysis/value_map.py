"""The verb `map`: positions of curling, from records and from JSON files, and their pictures."""

import argparse
import json
from pathlib import Path

import numpy as np

from bonspiel.curling.analysis import value_map_picture
from bonspiel.curling.analysis.match import thrown_shots
from bonspiel.curling.analysis.position import analyse, parse_presearch
from bonspiel.curling.checks import check_match_state
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.logs import match_files
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position import MatchPosition
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Budget
from bonspiel.planners.registry import unknown
from bonspiel.runs.experiment import RunError, UsageError, number
from bonspiel.runs.files import check_writable, unused, writing

LONGEST = 600_000.0  # ms
PICTURES = ".png", ".svg", ".pdf", ".jpg"
KEYS = "stones", "shot", "hammer", "end", "lead", "ends", "physics"  # of a file; those of a standard game


def from_record(path: Path, end: int, shot: int) -> tuple[Curling, Array]:
    """The match and the state before a shot of a recorded or logged game; ends and shots count from 1.

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
    return model, thrown_shots(game)[index].state


def from_json(path: Path) -> tuple[Curling, Array]:
    """The match and the state of a file that holds one JSON object.

    Its keys are those of `KEYS`, as in `curling.records.position.MatchPosition`; all but stones and shot are optional.

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
    for key in ("shot", "hammer", "end", "lead"):
        if key in given:
            number(key, given[key], -1_000, 1_000, whole=True)
    position = MatchPosition.from_json(given)
    match = position.model()
    require(position.end < match.ends, "end", position.end, f"below ends={match.ends}, as it counts from 0")
    return match, position.state()


def read_position(path: Path, end: int | None, shot: int | None) -> tuple[Curling, Array]:
    """The match and the state of a JSON file, or of a record before a shot.

    Raises:
        UsageError: it cannot be read, or cannot occur in a match.
    """
    try:
        if path.suffix == ".json":
            if end is not None or shot is not None:
                raise UsageError("--end and --shot are for records only (.jsonl); a .json file is one position")
            match, state = from_json(path)
        else:
            path.stat()  # report a wrong name before missing options
            if end is None or shot is None:
                raise UsageError("not .json, so the record of a game or a log: choose a position with --end N --shot N")
            match, state = from_record(path, end, shot)
        return match, check_match_state(match, state)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from error
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deeply") from error
    except (ValueError, TypeError, UsageError) as error:
        named = str(error).startswith(str(path))  # the reader of records names file and line
        raise UsageError(str(error) if named else f"{path}: {error}") from error


def main(arguments: argparse.Namespace) -> int:
    """Write the picture of a position as the arguments of `bonspiel map` say, and print a summary.

    Raises:
        UsageError: something is unknown, out of range or cannot be read or written.
        RunError: the planner failed.
    """
    text, milliseconds = arguments.planner, arguments.milliseconds
    out = arguments.out or unused("map", PICTURES[0])
    check_writable(out, PICTURES)
    if arguments.budget is None:
        budget = Budget(seconds=number("milliseconds", milliseconds, 1, LONGEST, whole=False) / 1000.0)
        name = f"{text}, {milliseconds:g} ms"
    else:
        budget, name = Budget(simulations=number("budget", arguments.budget, 1, 1e12, whole=True)), text
    rng = np.random.default_rng(number("seed", arguments.seed, 0, 2**32 - 1, whole=True))
    planner = parse_presearch(text)
    match, state = read_position(arguments.position, arguments.end, arguments.shot)
    try:
        found = analyse(match, state, planner, name, budget, rng)
    except (ValueError, TypeError) as error:
        raise RunError(f"{text} cannot play this position: {error}") from error
    with writing(out):
        value_map_picture.save(found, out)
    print(f"{value_map_picture.situation(found)}\n{value_map_picture.choice(found)}\n{out}")
    return 0
