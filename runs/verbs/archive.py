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


def submit(arguments: argparse.Namespace) -> int:
    """Check a run and write it as one file for others."""
    from bonspiel.runs.archive.croissant import Submission
    from bonspiel.runs.archive.submission import submit
    from bonspiel.runs.results import packed

    given = Submission.of(arguments.who, arguments.where, arguments.licence)
    with packed.read_any(arguments.run) as results:
        print(submit(results, given, arguments.out, workers(arguments.jobs), arguments.seed))
    print(f"submission {arguments.out}")
    return DONE


def share(text: str) -> float:
    """A share of the rows, such as 0.02."""
    found = float(text)
    if not 0.0 < found <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} must be above 0 and at most 1")
    return found


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    example = "bonspiel verify results/quick --share 0.05"
    command = verb(
        "verify", verify, "check a run's file, replay a share of its episodes and name what differs", example
    )
    option(command, "run", "RUN", ANY)
    text = "share of the episodes to replay, at least one of each planner and problem"
    option(command, "--share", "S", text, 0.02, type=share)
    option(command, "--seed", "N", "seed of the draw of these episodes", 0)
    add_jobs(command)
    command = verb(
        "submit",
        submit,
        "check a run and write it as one file for others, with metadata and a citation",
        "bonspiel submit results/mine --who 'A. Author' --where https://example.org/mine --licence CC-BY-4.0 "
        "--out mine.tar.xz",
    )
    option(command, "run", "RUN", ANY)
    option(command, "--who", "NAME", "name of the authors, which labels their planners", required=True)
    option(command, "--where", "URL", "address of the authors, or of the code of their planners", required=True)
    option(command, "--licence", "SPDX", "licence of the results, e.g. CC-BY-4.0", required=True)
    option(command, "--out", "FILE", "file *.tar.xz to write", required=True)
    option(command, "--seed", "N", "seed of the draw of the episodes that are replayed", 0)
    add_jobs(command)
