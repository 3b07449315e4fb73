"""The verb `sensitivity`: scores of planners against each parameter of families of problems."""

import argparse
from pathlib import Path

from bonspiel.runs.files import writing
from bonspiel.runs.verbs.command_line import DONE, FAILED, PLANNER, Verb, add_jobs, grid, resumable
from bonspiel.runs.verbs.options import Extended, flag, numbers, option, repeatable
from bonspiel.runs.verbs.results import print_failures

FAMILIES = (
    "families of problems, separated by commas: linear_quadratic, trap, treasure_hunt, donut; repeatable (default: all)"
)
VALUES = (
    "a parameter to vary, with its values or else those of the family, e.g. noise=0.05,0.2; repeatable (default: "
    "every parameter of the family)"
)


def sensitivity(arguments: argparse.Namespace) -> int:
    """Play families with one parameter varied at a time, and write the page of scores against each."""
    from bonspiel.runs import provenance
    from bonspiel.runs.results import store
    from bonspiel.runs.runner import driver
    from bonspiel.runs.sensitivity import page, variations

    varied = variations.variations(arguments.families, arguments.values)
    players = [text for texts in arguments.planner for text in texts]
    sizes = (arguments.budget, arguments.episodes, arguments.instances, arguments.seed)
    chosen = variations.suite(players, varied, *sizes)
    folder = arguments.out
    with resumable(arguments, folder):
        driver.play(chosen, folder, arguments.jobs, arguments.resume, provenance.collect(arguments.line))
        with store.read(folder) as results, writing(folder):
            failures = results.failures()
            found = variations.sensitivities(results, varied, arguments.instances)
            paths = page.write(results, found)
    print(paths[1].read_text(encoding="utf-8"), *paths, sep="\n")
    print_failures(failures)
    return FAILED if failures else DONE


def variation(text: str) -> tuple[str, list[float]]:
    """A parameter and its values, which may be absent."""
    name, equals, values = text.partition("=")
    return name, numbers(values) if equals else []


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    text = "play families of problems with one parameter varied at a time, and chart the scores"
    example = "bonspiel sensitivity adaptive cem --families trap,donut --values noise --values horizon=2,5,10"
    command = verb("sensitivity", sensitivity, text, example)
    option(command, "planner", PLANNER, "planners to play, or grids of planners", nargs="+", type=grid)
    option(command, "--families", "NAME,...", FAMILIES, [], action=Extended, type=lambda names: names.split(","))
    repeatable(command, "--values", "NAME[=V,...]", VALUES, type=variation)
    option(command, "--budget", "N", "simulations per decision", 100)
    option(command, "--episodes", "N", "episodes per planner and problem", 5)
    option(command, "--instances", "N", "problems of each value, from number 1", 5)
    option(command, "--seed", "N", "random seed", 0)
    add_jobs(command)
    option(command, "--out", "FOLDER", "folder for the results", Path("results/sensitivity"))
    flag(command, "--resume", "continue the run in --out; more planners, values, instances or episodes extend it")
