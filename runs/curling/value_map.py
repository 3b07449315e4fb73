"""`bonspiel map`: a position of curling, the shot that a planner chooses, and the values of all aims."""

from pathlib import Path

import numpy as np

from planners.base import Budget
from runs.curling import value_map_picture
from runs.curling.analysis import analyse, parse_presearch
from runs.curling.position import read_position
from runs.experiment import RunError, number
from runs.files import check_writable, writing

LONGEST = 600_000.0  # ms
PICTURES = ".png", ".svg", ".pdf", ".jpg"


def main(
    path: Path,
    end: int | None,
    shot: int | None,
    text: str,
    milliseconds: float,
    budget: int | None,
    seed: int,
    out: Path,
) -> int:
    """Write the picture of a position, and print a summary.

    Args:
        path: the record of a game, or a position as a JSON file.
        end: of the record, from 1.
        shot: see end.
        text: the planner, a pre-search.
        milliseconds: its time.
        budget: simulations instead, or None.
        seed: of the planner.
        out: the picture's file.

    Raises:
        UsageError: something is unknown, out of range or cannot be read or written.
        RunError: the planner failed.
    """
    check_writable(out, PICTURES)
    if budget is None:
        spend = Budget(seconds=number("milliseconds", milliseconds, 1, LONGEST, whole=False) / 1000.0)
        name = f"{text}, {milliseconds:g} ms"
    else:
        spend = Budget(simulations=number("budget", budget, 1, 1e12, whole=True))
        name = text
    rng = np.random.default_rng(number("seed", seed, 0, 2**32 - 1, whole=True))
    planner, position = parse_presearch(text), read_position(path, end, shot)
    try:
        found = analyse(position, planner, name, spend, rng)
    except (ValueError, TypeError) as error:
        raise RunError(f"{text} cannot play this position: {error}") from error
    with writing(out):
        value_map_picture.save(found, out)
    print(f"{value_map_picture.situation(found)}\n{value_map_picture.choice(found)}\n{out}")
    return 0
