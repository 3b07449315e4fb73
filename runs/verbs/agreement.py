"""The verb `agreement`: parallel searches judged position by position."""

import argparse
import re
from pathlib import Path

from bonspiel.runs.verbs.command_line import DONE, PLANNER, Verb, add_cluster, add_environment, resumable
from bonspiel.runs.verbs.options import flag, listed, option, reader, repeatable

WORKERS = (
    "numbers of workers to compare; the largest number searches every position, and smaller ones use the first of "
    "these searches; repeatable (default: 1,4,16,64)"
)
COMBINE = (
    "rule that combines workers: sum, mean, max, majority, similarity_vote, similarity_merge, or tries (the workers "
    "share cells); repeatable, e.g. similarity_merge:bandwidth=0.1, majority:cells=20, tries:rounds=4 (default: all "
    "rules that fit the planner, except tries)"
)
POSITIONS = "positions to search, from the planner's episodes with one random action in five"
REFERENCE = "if the optimum is unknown, search for the best action with N times the budget"
BANDWIDTH = (
    "for planners that sample actions: actions within H count as the same, and the similarity rules use H; as a "
    "fraction of the range of actions, or noise, the standard deviation of the execution (default: 0.05; for two "
    "coordinates 0.16, for three 0.23, so that a tenth of the range lies within H)"
)


def agreement(arguments: argparse.Namespace) -> int:
    """Search positions of a planner's episodes by many workers, and print how often their decisions are best."""
    from bonspiel.runs.agreement import agreement
    from bonspiel.runs.agreement.study import AgreementStudy
    from bonspiel.runs.runner import backends
    from bonspiel.runs.suites.lookup import qualified

    place = backends.Place(arguments.backend, arguments.address)
    backends.check(place)
    names = ("planner", "budget", "workers", "positions", "reference", "bandwidth", "seed")
    given = {name: getattr(arguments, name) for name in names}
    env = qualified(arguments.env, [arguments.planner])
    study = AgreementStudy(env, rules=tuple(arguments.combine), **given)
    name = re.sub(r"[^\w.=-]+", "-", f"agreement-{arguments.env}-{arguments.planner}-{arguments.budget}")
    folder = arguments.out or Path("results") / name
    with resumable(arguments, folder):
        agreement.main(study, folder, arguments.resume, arguments.jobs, place)
    return DONE


width = reader(lambda text: text if text == "noise" else float(text), "a number above 0, or noise")


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    text = "measure how often parallel searches choose the best action"
    example = "bonspiel agreement trap --planner abstraction --budget 300 --workers 1,4,16 --positions 100"
    command = verb("agreement", agreement, text, example)
    add_environment(command)
    option(command, "--planner", PLANNER, "planner of every worker", required=True)
    option(command, "--budget", "N", "simulations per decision of each worker", 1000)
    listed(command, "--workers", "W,...", WORKERS, [1, 4, 16, 64])
    repeatable(command, "--combine", "RULE[:key=value,...]", COMBINE)
    option(command, "--positions", "N", POSITIONS, 500)
    option(command, "--reference", "N", REFERENCE, 100)
    option(command, "--bandwidth", "H", BANDWIDTH, type=width)
    option(command, "--seed", "N", "random seed", 0)
    add_cluster(command)
    option(command, "--out", "FOLDER", "folder for the results (default: results/agreement-...)")
    flag(command, "--resume", "continue the study in --out; more positions, workers and rules extend it")
