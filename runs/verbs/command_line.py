"""What the verbs of the command line share."""

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and name the verb whose help tells more."""

    def error(self, message: str) -> NoReturn:
        """Print the message and where help is, and exit."""
        self.exit(USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of argparse, which would leave it to the whole command line to refuse what a verb does not know."""
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown


def numbers(text: str) -> list[float]:
    """Numbers separated by commas."""
    try:
        return [float(item) for item in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be numbers separated by commas, e.g. 100,1000") from None


def workers(jobs: int | None) -> int:
    """How many worker processes were asked for: all cores if nothing was.

    Raises:
        UsageError: out of range.
    """
    from runs.runner.backends import job_count

    return job_count(jobs)


def add_place(command: argparse.ArgumentParser) -> None:
    """Add the options for a cluster, as `runs.runner.backends.Place` takes them."""
    from runs.runner import backends

    command.add_argument(
        "--backend",
        choices=backends.NAMES,
        default="loky",
        help="what the workers belong to: loky, processes of this machine (default), or a cluster",
    )
    command.add_argument(
        "--address",
        metavar="ADDRESS",
        help="a Dask or Ray cluster that is there, e.g. "
        "tcp://10.0.0.1:8786; without it one is started here, for this run",
    )


def stopped(arguments: argparse.Namespace, folder: Path) -> int:
    """Say how an interrupted run goes on."""
    again = arguments.line if arguments.resume else [*arguments.line, "--resume"]
    print(
        f"\nstopped; the results so far are in {folder}. Go on with: {shlex.join(['bonspiel', *again])}",
        file=sys.stderr,
    )
    return INTERRUPTED


Verb = Callable[[str, Callable[[argparse.Namespace], int], str, str], argparse.ArgumentParser]
