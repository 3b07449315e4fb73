"""The verb for shots of people."""

import argparse

from bonspiel.runs.experiment import number
from bonspiel.runs.verbs.command_line import Verb
from bonspiel.runs.verbs.options import flag, option

MOST_ENDS = 1_000_000


def people(arguments: argparse.Namespace) -> int:
    """Summarise the shots of people in the tables of CSAS 2026."""
    from bonspiel.curling.people import report

    every = None if arguments.fit is None else number("--fit", arguments.fit, 1, MOST_ENDS, whole=True)
    return report.main(arguments.folder, arguments.errors, every)


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "summarise shots of people: the tables of mixed doubles of the data challenge CSAS 2026"
    command = verb("people", people, summary, "bonspiel people tables --errors")
    option(command, "folder", "FOLDER", "folder with Stones.csv, Ends.csv and Games.csv")
    flag(command, "--errors", "estimate the errors of execution: Gauss against Student's t (a minute)")
    option(command, "--fit", "N", "find the throws that explain the shots of every N-th end (all ends: six minutes)")
