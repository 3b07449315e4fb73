"""The verb `map`: positions of curling, from records and from JSON files, and their pictures."""

import argparse
from pathlib import Path

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.analysis import value_map_picture
from bonspiel.curling.analysis.match import states_of
from bonspiel.curling.analysis.position import analyse
from bonspiel.curling.checks import check_match_state
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.logs import match_files
from bonspiel.curling.match.state import TIME
from bonspiel.curling.model import Curling
from bonspiel.curling.records.position_file import read_positions
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Budget, unsupported
from bonspiel.runs.experiment import UsageError, number, parsed
from bonspiel.runs.files import check_writable, unused, writing
from bonspiel.runs.runner.episode import failures_named

LONGEST = 600_000.0  # ms
PICTURES = ".png", ".svg", ".pdf", ".jpg"


def from_record(path: Path, end: int, shot: int) -> tuple[Curling, Array]:
    """The match and the state before a shot of a recorded or logged game, or before the one that is to be decided.

    Ends and shots count from 1.

    Raises:
        ValueError: no record, or it has no such shot.
    """
    game = match_files.read_match(path, partial=True)
    model, states = game.match.model(), states_of(game)
    ends = 1 + int(states[-1][TIME]) // STONES
    require(1 <= end <= ends, "end", end, f"from 1 to {ends}, the ends of this game")
    require(1 <= shot <= model.end_shots, "shot", shot, f"from 1 to {model.end_shots}")
    here = [state for state in states if int(state[TIME]) // STONES == end - 1]
    require(shot <= len(here), "shot", shot, f"at most {len(here)}, the last one of this end that is known")
    return model, here[shot - 1]


def from_json(path: Path) -> tuple[Curling, Array]:
    """The match and the state of a file that holds one position; see `curling.records.position_file`.

    Raises:
        UsageError: none, or more than one.
    """
    found = read_positions(path)
    if len(found) > 1:
        raise UsageError(f"{path} holds {len(found)} positions: must be one")
    position, _ = found[0]
    return position.model(), position.state()


def read_position(path: Path, end: int | None, shot: int | None) -> tuple[Curling, Array]:
    """The match and the state of a JSON file, or of a record before a shot.

    Raises:
        UsageError: it cannot be read, or cannot occur in a match.
    """
    try:
        if path.suffix == ".json":
            if end is not None or shot is not None:
                raise UsageError("--end and --shot are for records only (.jsonl); a .json file is one position")
            return from_json(path)
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
        named = str(error).startswith(str(path))  # the readers of records and of positions name the file
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
    planner = parsed(players.parse, text)
    match, state = read_position(arguments.position, arguments.end, arguments.shot)
    if reason := unsupported(planner, match.planning()):
        raise UsageError(f"{text} cannot play curling: {reason}")
    with failures_named(text, "this position"):
        found = analyse(match, state, planner, name, budget, rng)
    out = arguments.out or unused("map", PICTURES[0])  # another one may have been written meanwhile
    with writing(out):
        value_map_picture.save(found, out)
    print(f"{value_map_picture.situation(found)}\n{value_map_picture.choice(found)}\n{out}")
    return 0
