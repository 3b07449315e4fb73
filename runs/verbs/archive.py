"""The verbs of an archive of runs: `verify` and `submit`."""

import argparse

from bonspiel.runs.verbs.command_line import DONE, FAILED, Verb, add_jobs, workers
from bonspiel.runs.verbs.options import option
from bonspiel.runs.verbs.results import ANY


def verify(arguments: argparse.Namespace) -> int:
    """Check a run and print what was found; FAILED if something is wrong."""
    from bonspiel.runs.archive import verify
    from bonspiel.runs.results import packed

    with packed.read_any(arguments.run, sealed=False) as results:
        found = verify.verify(results, arguments.share, arguments.seed, workers(arguments.jobs))
    print(found)
    return DONE if found.good else FAILED


def share(text: str) -> float:
    """A share of the rows, such as 0.02."""
    found = float(text)
    if not 0.0 < found <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} must be above 0 and at most 1")
    return found


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    command = verb(
        "verify",
        verify,
        "check a run's file, replay a share of its episodes and name what differs",
        "bonspiel verify results/quick --share 0.05",
    )
    option(command, "run", "RUN", ANY)
    option(
        command,
        "--share",
        "S",
        "share of the episodes to replay, at least one of each planner and problem",
        0.02,
        type=share,
    )
    option(command, "--seed", "N", "seed of the draw of these episodes", 0)
    add_jobs(command)
