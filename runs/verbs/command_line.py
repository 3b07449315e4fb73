"""Shared by all verbs: the parser, common arguments, exit statuses."""

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from bonspiel.runs.experiment import number, planner_for
from bonspiel.runs.verbs.options import Extended, listed, option, reader

if TYPE_CHECKING:
    from bonspiel.planners import Budget, Model, Planner

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
# entry points: a verb's name = "module:function", which adds the verb, or adds options to its parser
GROUP, OPTIONS = "bonspiel.verbs", "bonspiel.options"
PLANNER = "NAME[:key=value,...]"

Command = Callable[[argparse.Namespace], int]
"""A verb's function: its arguments -> the exit status."""

Verb = Callable[[str, Command, str, str], argparse.ArgumentParser]
"""Adds a verb to the command line: its name, function, summary and example -> its parser."""

AddVerbs = Callable[[Verb], None]
"""Adds some verbs by calling its argument."""


class Parser(argparse.ArgumentParser):
    """An argument parser with errors in one line, which name what is allowed and the verb to ask for help."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.register("type", int, reader(int, "a whole number"))
        self.register("type", float, reader(float, "a number"))

    def error(self, message: str) -> NoReturn:
        """Print the message and the command for help, and exit."""
        self.exit(USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of argparse, but a verb refuses unknown arguments itself."""
        namespace, unknown = super().parse_known_args(args, namespace)
        # before Python 3.13 argparse gives names that may be absent nothing if an option stands before them
        if getattr(namespace, "names", None) == [] and not any(text.startswith("-") for text in unknown):
            namespace.names, unknown = unknown, []
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown


class PrintAndExit(argparse.Action):
    """An option that prints a text, made by `text` from the parser and the option's value, and exits."""

    def __init__(self, *, text: Callable[[argparse.ArgumentParser, Any], str], **given: Any) -> None:
        super().__init__(**given)
        self._text = text

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None) -> NoReturn:
        """Print and exit."""
        print(self._text(parser, values))
        parser.exit()


def add_budgets(command: argparse.ArgumentParser, note: str = "") -> None:
    """Add the budget of a decision, in simulations or in milliseconds."""
    listed(command, "--budget", "N,...", f"simulations per decision; repeatable{note}")
    listed(command, "--milliseconds", "T,...", f"time per decision in milliseconds; repeatable{note}")


def add_steps(command: argparse.ArgumentParser, note: str) -> None:
    """Add the budget of a decision in steps of the model."""
    listed(command, "--steps", "N,...", f"model steps per decision; repeatable{note}")


def add_planners(command: argparse.ArgumentParser, name: str, text: str, **given: Any) -> None:
    """Add a repeatable option whose value is a planner, or a grid of planners."""
    option(command, name, PLANNER, text, [], action=Extended, type=grid, **given)


def grid(text: str) -> list[str]:
    """The texts of the planners that one text stands for."""
    from bonspiel import planners

    try:
        return planners.REGISTRY.expand(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def workers(jobs: int | None) -> int:
    """The number of worker processes: all cores if None."""
    from bonspiel.runs.runner.backends import job_count

    return job_count(jobs)


def add_environment(command: argparse.ArgumentParser) -> None:
    """Add the environment."""
    option(command, "env", "ENV", "an environment, e.g. trap:noise_range=0.1")


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add the number of worker processes of this machine."""
    option(command, "--jobs", "N", "worker processes (default: all cores)")


def add_cluster(command: argparse.ArgumentParser, condition: str = "") -> None:
    """Add the number of worker processes and the options for a cluster, as `runs.runner.backends.Place` takes them.

    `condition` begins the help of `--jobs`.
    """
    from bonspiel.runs.runner import backends

    text = f"{condition}worker processes (default: all cores, or all workers of the cluster at --address)"
    option(command, "--jobs", "N", text)
    text = "run the workers as processes on this machine (loky), or on a Dask or Ray cluster"
    option(command, "--backend", backends.NAMES, text, "loky")
    text = "address of a Dask or Ray cluster, e.g. tcp://10.0.0.1:8786 (default: start one here, for this run only)"
    option(command, "--address", "ADDRESS", text)


@contextmanager
def resumable(arguments: argparse.Namespace, folder: Path | None) -> Iterator[None]:
    """Print how to continue a run into this folder, if it keeps its results, when a signal ends it."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is not None:
            again = arguments.line if arguments.resume else [*arguments.line, "--resume"]
            command = shlex.join(["bonspiel", *again])
            print(f"\nstopped; the results so far are in {folder}. Continue with: {command}", file=sys.stderr)
        raise


def prepared(arguments: argparse.Namespace, model: "Model") -> "tuple[Planner, Budget, int]":
    """The planner of a verb, which can search a model of its environment as a brief check shows; budget and seed."""
    from bonspiel import planners
    from bonspiel.runs.suite import model_of, refuse_broken

    planner = planner_for(arguments.planner, model, arguments.env)
    refuse_broken(arguments.planner, arguments.env, planners.parse, lambda: model_of(arguments.env))
    budget = planners.Budget(simulations=number("budget", arguments.budget, 1, 1e7, whole=True))
    return planner, budget, number("seed", arguments.seed, 0, 2**32 - 1, whole=True)


def add_decision(command: argparse.ArgumentParser, planner: str, budget: int) -> None:
    """Add the environment, and what `prepared` reads."""
    add_environment(command)
    option(command, "--planner", PLANNER, "planner", planner)
    option(command, "--budget", "N", "simulations per decision", budget)
    option(command, "--seed", "N", "random seed", 0)
