"""The verb `compare`."""

import argparse
import json
from pathlib import Path

from runs.verbs.command_line import DONE, Verb, numbers


def compare(arguments: argparse.Namespace) -> int:
    """Print the paired difference of two planners, or one JSON object."""
    from runs.results import store
    from runs.statistics import compare

    with store.read(arguments.run) as results:
        found = compare.compare(
            results, arguments.a, arguments.b, arguments.env, arguments.budget, arguments.milliseconds
        )
    if arguments.json:
        print(json.dumps({"run": str(arguments.run), "comparisons": [compare.as_json(one) for one in found]}, indent=1))
    else:
        print(compare.table(found))
    return DONE


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    command = verb(
        "compare",
        compare,
        "paired difference of two planners of a run, and the episodes needed to settle it",
        "bonspiel compare results/quick abstraction dpw --budget 1000",
    )
    command.add_argument("run", type=Path, metavar="RUN", help="a run's folder")
    command.add_argument("a", metavar="A", help="a planner, by its name in the run's tables or its full text")
    command.add_argument("b", metavar="B", help="another one; the difference is A - B")
    command.add_argument(
        "--env", action="append", default=[], metavar="ENV", help="an environment of the run; repeatable (default: all)"
    )
    command.add_argument(
        "--budget",
        type=numbers,
        default=[],
        metavar="N,...",
        help="simulations per decision (default: all budgets, of both units)",
    )
    command.add_argument("--milliseconds", type=numbers, default=[], metavar="T,...", help="time per decision")
    command.add_argument("--json", action="store_true", help="print one JSON object")
