"""The verb `targets`: the budgets at which planners reach mean scores."""

import argparse
import json
from contextlib import ExitStack
from pathlib import Path

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import check_writable, writing
from bonspiel.runs.verbs.command_line import DONE, Verb
from bonspiel.runs.verbs.options import flag, option, repeatable
from bonspiel.runs.verbs.results import ANY, check_beside, nothing_played, print_failures

COSTS = "simulations", "model steps", "milliseconds"


def targets(arguments: argparse.Namespace) -> int:
    """Print the runtimes to targets, or one JSON object; draw the shares of targets reached if asked."""
    from bonspiel.runs.reporting import targets as of_runs
    from bonspiel.runs.results import packed

    check_beside(arguments)
    if arguments.out is not None:
        check_writable(arguments.out, (".png",))
    with ExitStack() as stack:
        stores = [stack.enter_context(packed.read_any(one)) for one in (arguments.run, *arguments.beside)]
        found = of_runs.targets(stores, arguments.cost or of_runs.default_cost(stores[0]))
        print_failures([one for store in stores for one in store.failures()])
    if not (found.runtimes or found.notes):
        raise nothing_played(arguments.run)
    paths: list[Path] = []
    if arguments.out is not None:
        from bonspiel.runs.reporting import targets_chart

        if not found.shares:
            reason = "; ".join(found.notes)
            raise UsageError(f"there is nothing to draw: no planner has targets in all problems of the run ({reason})")
        with writing(arguments.out):
            paths = targets_chart.save(found, arguments.out)
    if arguments.json:
        print(json.dumps({"run": str(arguments.run), **of_runs.as_json(found)}, indent=1))
    else:
        print(of_runs.text(found), *paths, sep="\n")
    return DONE


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    example = "bonspiel targets peers --out targets.png"
    command = verb(
        "targets", targets, "print the budgets at which planners reach mean scores from 0.5 to 0.99", example
    )
    option(command, "run", "RUN", ANY)
    text = "another run, whose planners stand among RUN's own in its problems, as for `report`; repeatable"
    repeatable(command, "--beside", "RUN", text)
    text = "what a budget is counted in (default: the first of these that budgets of the run are in)"
    option(command, "--cost", COSTS, text)
    option(command, "--out", "FILE", "file for the chart of shares of targets reached, PNG, and an SVG beside it")
    flag(command, "--json", "print one JSON object")
