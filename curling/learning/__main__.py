"""Learn the weights of the curling network by self-play.

Everything is kept in FOLDER, and what is there already is not done again: stop with Ctrl-C and call again to go on.
"""

import argparse
import shutil
import sys
from pathlib import Path

from bonspiel.curling.learning.end_weights import FILE
from bonspiel.curling.learning.rounds import Learning

# of each round; round 0 is the default policy's, and 256 aims make an end take twenty times as long
ENDS = (240_000, 160_000, 320_000, 640_000, 48_000, 72_000, 72_000, 72_000, 72_000)
AIMS = (0, 0, 0, 0, 64, 64, 64, 256, 256)
EPOCHS = (6, 6, 8, 8, 4, 4, 4, 4, 4)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bonspiel.curling.learning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    helps = {
        "generate": "play the ends of one round",
        "train": "train the weights of one round",
        "evaluate": "judge the weights of one round by ends held out",
        "all": "all rounds, some 70 minutes on two cores; the weights go to FOLDER/end_network.npz",
        "ship": f"make FOLDER/end_network.npz the weights of the package, {FILE.name}",
    }
    for step, text in helps.items():
        command = steps.add_parser(step, help=text, description=text)
        command.add_argument("folder", metavar="FOLDER", type=Path, help="for all that is made")
        if step in ("generate", "all"):
            command.add_argument("--seed", type=int, help="of everything random (2026), when the folder is begun")
            command.add_argument(
                "--samples", type=int, help="errors of execution that the best shots meet (8), likewise"
            )
            command.add_argument("--jobs", type=int, default=-1, help="worker processes (one for each core)")
        if step in ("generate", "train", "evaluate"):
            command.add_argument("--round", type=int, default=0, help="0 is the default policy's (0)")
        if step == "generate":
            command.add_argument("--ends", type=int, default=ENDS[0], help=f"to play ({ENDS[0]})")
            command.add_argument("--aims", type=int, default=0, help="of the grid that each shot tries (0)")
        if step == "train":
            command.add_argument("--epochs", type=int, default=EPOCHS[0], help=f"through all positions ({EPOCHS[0]})")
    options = parser.parse_args(arguments)
    try:
        _run(options)
    except (ValueError, OSError) as error:
        print(f"python -m bonspiel.curling.learning: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    return 0


def _run(options: argparse.Namespace) -> None:
    result = options.folder / FILE.name
    if options.step == "ship":
        shutil.copyfile(result, FILE)
        return
    given = {name: getattr(options, name, None) for name in ("seed", "samples")}
    learning = Learning.of_folder(options.folder, **given)
    if options.step == "generate":
        learning.generate(options.round, options.ends, options.aims, options.jobs)
    elif options.step == "train":
        learning.train(options.round, options.epochs)
    elif options.step == "evaluate":
        print(learning.evaluate(options.round))
    else:
        for number, (ends, tried, epochs) in enumerate(zip(ENDS, AIMS, EPOCHS, strict=True)):
            learning.generate(number, ends, tried, options.jobs)
            learning.train(number, epochs)
            print(f"round {number}: {learning.evaluate(number)}", flush=True)
        shutil.copyfile(learning.weights(number), result)


if __name__ == "__main__":
    raise SystemExit(main())
