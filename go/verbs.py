"""The verbs of Go: `gtp`, a planner as an engine of the Go Text Protocol, and `solve`, life and death."""

import argparse
import sys

from bonspiel.runs.verbs.command_line import PLANNER, Verb
from bonspiel.runs.verbs.options import flag, option


def gtp(arguments: argparse.Namespace) -> int:
    """Play Go on standard input and output until "quit"."""
    from bonspiel.go.gtp import serve
    from bonspiel.planners.planner import Budget
    from bonspiel.runs.experiment import number

    if arguments.simulations is not None:
        budget = Budget(simulations=int(number("simulations", arguments.simulations, 1, 1e12, whole=True)))
    else:
        budget = Budget(seconds=number("milliseconds", arguments.milliseconds, 1e-3, 1e9, whole=False) / 1000.0)
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    return serve.main(arguments.planner, budget, arguments.seed, sys.stdin)


def solve(arguments: argparse.Namespace) -> int:
    """Solve a problem of life and death."""
    from bonspiel.go.tsumego import solve
    from bonspiel.planners.dfpn.solve import ProofLimits
    from bonspiel.runs.experiment import number

    nodes = int(number("nodes", arguments.nodes, 1, 1e15, whole=True))
    seconds = float(number("seconds", arguments.seconds, 1e-3, 1e9, whole=False))
    megabytes = float(number("memory", arguments.memory, 0.01, 1e6, whole=False))
    limits = ProofLimits(nodes, seconds, megabytes)
    given = arguments.problem, arguments.switches, limits, arguments.json, arguments.picture, arguments.out
    return solve.main(*given)


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    _add_gtp(verb)
    command = verb(
        "solve",
        solve,
        "solve a problem of life and death in Go",
        "bonspiel solve corner.sgf --picture corner.png (docs/go/life-and-death.md)",
    )
    option(
        command, "problem", "PROBLEM.sgf", "SGF file: stones AB and AW, player to move PL, region SL, crucial stones TR"
    )
    option(
        command,
        "--switches",
        "NAME,...",
        "parts of the solver: none, all, or some of connections,forced,simulation,estimate,widening",
        "all",
    )
    option(command, "--nodes", "N", "maximum of nodes per search (default: no limit)", 1e15, type=float)
    option(command, "--seconds", "T", "maximum of CPU time per search, in seconds", 60.0)
    option(command, "--memory", "MB", "size of the table in MB", 200.0)
    flag(command, "--json", "print one JSON object")
    option(command, "--picture", "FILE", "file for a picture of the first move, PNG or SVG")
    option(command, "--out", "FILE.sgf", "file for the problem with its verdict and main line")


def _add_gtp(verb: Verb) -> None:
    """Add `gtp`."""
    command = verb(
        "gtp",
        gtp,
        "play Go as an engine of the Go Text Protocol (GTP), for graphical boards and tournament programs",
        "bonspiel gtp --planner uct:leaf=rollout,exploration=0.5 --simulations 5000 (docs/go/index.md)",
    )
    option(command, "--planner", PLANNER, "planner", required=True)
    budget = command.add_mutually_exclusive_group(required=True)
    option(budget, "--simulations", "N", "simulations per decision", type=float)
    option(
        budget, "--milliseconds", "T", "time per decision in milliseconds, at most; less if the game's clock demands it"
    )
    option(command, "--seed", "N", "random seed", 1)
