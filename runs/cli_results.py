"""The verbs that look at runs while they go on, and that bring them together."""

import argparse
import json
import shlex
import sys
import time
from pathlib import Path

from runs.command_line import DONE, Verb

CLEAR = "\x1b[H\x1b[2J"


def status(arguments: argparse.Namespace) -> int:
    """Print how far a run is, once or until it is finished or nobody plays it."""
    from runs import status, store

    while True:
        with store.read(arguments.run) as results:
            found = status.status(results)
        if arguments.json:
            print(json.dumps(found.as_json()), flush=True)
        else:
            clear = CLEAR if arguments.watch and sys.stdout.isatty() else ""
            print(f"{clear}{status.text(found)}", flush=True)
        if arguments.watch is None or not found.running:
            return DONE
        time.sleep(arguments.watch)


def merge(arguments: argparse.Namespace) -> int:
    """Bring runs together."""
    from runs import merge

    done, total = merge.merge(arguments.out, arguments.run, shlex.join(["bonspiel", *arguments.line]))
    print(f"{done:,} of {total:,} episodes are in {arguments.out}; draw them with: bonspiel report {arguments.out}")
    return DONE


def seconds(text: str) -> float:
    """A time between two looks."""
    found = float(text)
    if not 0.1 <= found <= 86_400.0:
        raise argparse.ArgumentTypeError(f"{text} must be from 0.1 to 86400 seconds")
    return found


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    command = verb("status", status, "how far a run is, also while it goes on", "bonspiel status results/quick --watch")
    command.add_argument("run", type=Path, metavar="RUN", help="a run's folder")
    command.add_argument("--watch", type=seconds, nargs="?", const=2.0, metavar="SECONDS",
                         help="look again so often (default: 2) while it is played")
    command.add_argument("--json", action="store_true", help="print one JSON object a look, each in one line")
    command = verb("merge", merge, "bring runs of one suite together that were made on several machines",
                   "bonspiel merge results/all results/quick-1-of-2 results/quick-2-of-2")
    command.add_argument("out", type=Path, metavar="OUT", help="the folder of the new run")
    command.add_argument("run", type=Path, nargs="+", metavar="RUN", help="a folder that `bonspiel run` wrote")
