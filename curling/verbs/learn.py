"""The verb `learn`: train the network of curling by self-play."""

import argparse
import shutil
import sys

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.verbs.command_line import DONE, Parser, Verb
from bonspiel.runs.verbs.options import option

# of each round; round 0 is the default policy's, and 256 aims make an end take twenty times as long
ENDS = (240_000, 160_000, 320_000, 640_000, 48_000, 72_000, 72_000, 72_000, 72_000)
AIMS = (0, 0, 0, 0, 64, 64, 64, 256, 256)
EPOCHS = (6, 6, 8, 8, 4, 4, 4, 4, 4)
RESULT = "end_network.npz"  # in the folder
STEPS = {
    "generate": "play the ends of one round",
    "train": "train the weights of one round",
    "evaluate": "judge the weights of one round by ends held out",
    "all": f"run all rounds, some 70 minutes on two cores; the weights go to FOLDER/{RESULT}",
    "ship": f"make FOLDER/{RESULT} the weights of the installed package",
}


def learn(arguments: argparse.Namespace) -> int:
    """Run a step.

    Raises:
        UsageError: a number out of range, a missing step before this one, or a file that cannot be read or written.
    """
    try:
        _run(arguments)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
    except KeyboardInterrupt:
        print("stopped; the same command continues", file=sys.stderr)
        raise
    return DONE


def _run(arguments: argparse.Namespace) -> None:
    from bonspiel.curling.learning.rounds import Learning
    from bonspiel.curling.network import end_weights

    result = arguments.folder / RESULT
    if arguments.step == "ship":
        _, provenance = end_weights.load(result.resolve())
        shutil.copyfile(result, provenance.file)
        return
    given = {name: getattr(arguments, name, None) for name in ("seed", "samples", "game", "noise")}
    learning = Learning.of_folder(arguments.folder, **given)
    if arguments.step == "generate":
        learning.generate(arguments.round, arguments.ends, arguments.aims, arguments.jobs)
    elif arguments.step == "train":
        learning.train(arguments.round, arguments.epochs)
    elif arguments.step == "evaluate":
        print(learning.evaluate(arguments.round))
    else:
        for number, (ends, tried, epochs) in enumerate(zip(ENDS, AIMS, EPOCHS, strict=True)):
            learning.generate(number, ends, tried, arguments.jobs)
            learning.train(number, epochs)
            print(f"round {number}: {learning.evaluate(number)}", flush=True)
        shutil.copyfile(learning.weights(number), result)


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "train the network of curling by self-play; a stopped step continues"
    example = "bonspiel learn all results/learning"
    command = verb("learn", learn, summary, example)
    steps = command.add_subparsers(dest="step", required=True, metavar="STEP", parser_class=Parser)
    for step, text in STEPS.items():
        _add_options(steps.add_parser(step, help=text, description=f"{text[0].upper()}{text[1:]}."), step)


def _add_options(command: argparse.ArgumentParser, step: str) -> None:
    option(command, "folder", "FOLDER", "folder for self-play, training and weights")
    if step in ("generate", "all"):
        text = "random seed (default: 2026 when the folder is begun, afterwards that of the folder)"
        option(command, "--seed", "N", text)
        option(
            command,
            "--samples",
            "N",
            (
                "errors of execution that the best shots meet in self-play (default: 8 when the folder is begun, "
                "afterwards that of the folder)"
            ),
        )
        text = "game to learn (default: standard when the folder is begun, afterwards that of the folder)"
        option(command, "--game", ("standard", "mixed_doubles"), text)
        option(
            command,
            "--noise",
            "NAME",
            "noise of the throws, e.g. 2*normal_dist (default: normal_dist when begun, afterwards that of the folder)",
        )
        option(command, "--jobs", "N", "worker processes (default: all cores)", -1)
    if step in ("generate", "train", "evaluate"):
        option(command, "--round", "N", "round; 0 learns from the default policy", 0)
    if step == "generate":
        option(command, "--ends", "N", "ends to play, in parts of 4,000, and two parts more to test with", ENDS[0])
        option(command, "--aims", "N", "aims of a grid that each shot tries", 0)
    if step == "train":
        option(command, "--epochs", "N", "passes over all positions", EPOCHS[0])
