"""`bonspiel map`: a position of curling, the shot that a planner chooses, and the values of all aims."""

import argparse

import numpy as np

from bonspiel.curling.analysis import value_map_picture
from bonspiel.curling.analysis.position import analyse, parse_presearch
from bonspiel.curling.analysis.position_file import read_position
from bonspiel.planners.planner import Budget
from bonspiel.runs.experiment import RunError, number
from bonspiel.runs.files import check_writable, unused, writing

LONGEST = 600_000.0  # ms
PICTURES = ".png", ".svg", ".pdf", ".jpg"


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
