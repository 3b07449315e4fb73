"""The verb `gtp`: a planner as an engine of the Go Text Protocol."""

import argparse
import sys

from runs.verbs.command_line import PLANNER, Verb


def gtp(arguments: argparse.Namespace) -> int:
    """Play Go on standard input and output until "quit"."""
    from planners.base import Budget
    from runs.experiment import number
    from runs.go import gtp

    if arguments.simulations is not None:
        budget = Budget(simulations=int(number("simulations", arguments.simulations, 1, 1e12, whole=True)))
    else:
        budget = Budget(seconds=number("milliseconds", arguments.milliseconds, 1e-3, 1e9, whole=False) / 1000.0)
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    return gtp.main(arguments.planner, budget, arguments.seed, sys.stdin)


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "play Go as an engine of the Go Text Protocol, for programs that show or match such"
    example = "bonspiel gtp --planner uct:leaf=rollout,exploration=0.5 --simulations 5000 (docs/go.md)"
    command = verb("gtp", gtp, summary, example)
    command.add_argument("--planner", required=True, metavar=PLANNER, help="the planner")
    budget = command.add_mutually_exclusive_group(required=True)
    budget.add_argument("--simulations", type=float, metavar="N", help="simulations per move")
    budget.add_argument("--milliseconds", type=float, metavar="T", help="time per move; less where the clock says so")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
