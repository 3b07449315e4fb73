"""The verbs of curling: play against a planner, the value of leads, maps of positions."""

import argparse
from functools import partial
from pathlib import Path

from runs.verbs.command_line import DONE, Verb


def play(arguments: argparse.Namespace) -> int:
    """Play curling against a planner."""
    from runs.curling.play import main

    match = {name: getattr(arguments, name) for name in ("ends", "physics", "noise", "rule")}
    main.main(
        arguments.against,
        arguments.milliseconds,
        match,
        arguments.hammer,
        arguments.seed,
        arguments.record,
        arguments.window,
    )
    return DONE


def value(arguments: argparse.Namespace) -> int:
    """Estimate the distribution of points of an end from match records."""
    from runs.curling import value

    return value.main(arguments.match, arguments.out)


def value_map(arguments: argparse.Namespace) -> int:
    """Draw a position of curling, the shot that a planner chooses, and the values of all aims."""
    from runs.curling import value_map

    return value_map.main(
        arguments.position,
        arguments.end,
        arguments.shot,
        arguments.planner,
        arguments.milliseconds,
        arguments.budget,
        arguments.seed,
        arguments.out,
    )


def _parameter(key: str, value: str) -> tuple[str, str]:
    return key, value


def add_match_options(command: argparse.ArgumentParser) -> None:
    """Add the short forms of curling's parameters to the verb `match`."""
    options = command.add_argument_group("options of curling, short for --game curling:key=value,...")
    for key, metavar, meaning in (
        ("ends", "N", "ends of a game (default: 2)"),
        ("extra_ends", "N", "maximum of extra ends after a tie (default: 0)"),
        ("physics", "NAME", "fcv1 (default) or dc2"),
        ("noise", "NAME", "normal_dist (default) or none; for dc2: dc2 (default), gat or none"),
        ("ties", "NAME", "half (default): a draw counts 1/2; thesis: 0.781 for the team with the next hammer"),
    ):
        options.add_argument(
            f"--{key.replace('_', '-')}",
            dest="game_options",
            action="append",
            type=partial(_parameter, key),
            metavar=metavar,
            help=meaning,
        )


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    command = verb(
        "value",
        value,
        "estimate the points of an end and the value of a lead from match records",
        "bonspiel value results/match --out table.json",
    )
    command.add_argument("match", type=Path, metavar="MATCH", help="a match's folder")
    command.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the table here, e.g. for curling:reward=win_probability,table=FILE",
    )
    command = verb(
        "play",
        play,
        "play curling against a planner, in the terminal or in a window",
        "bonspiel play --against expectimax --window",
    )
    command.add_argument(
        "--against", default="presearch", metavar="NAME[:key=value,...]", help="the planner (default: presearch)"
    )
    command.add_argument(
        "--milliseconds", type=float, default=500.0, metavar="T", help="its time for a shot (default: 500)"
    )
    command.add_argument("--ends", type=int, default=2, metavar="N", help="ends of the match (default: 2)")
    command.add_argument("--physics", default="fcv1", metavar="NAME", help="fcv1 (the default) or dc2")
    command.add_argument(
        "--noise", metavar="NAME", help="normal_dist (default) or none; for dc2: dc2 (default), gat or none"
    )
    command.add_argument(
        "--rule", metavar="NAME", help="five_rock, four_rock, no_tick or none (default: of the physics)"
    )
    command.add_argument(
        "--hammer", choices=("me", "them"), default="me", help="team with the last stone of the first end (default: me)"
    )
    command.add_argument("--seed", type=int, metavar="N", help="random seed (default: a new one)")
    command.add_argument("--record", type=Path, metavar="FILE", help="write the game to a file")
    face = command.add_mutually_exclusive_group()
    face.add_argument("--window", action="store_true", help="in a window, with the mouse")
    face.add_argument("--terminal", action="store_true", help="in this terminal, with the keys (the default)")
    command = verb(
        "map",
        value_map,
        "draw a position of curling, the chosen shot and the values of all aims",
        "bonspiel map results/m/records/1-2-00000.jsonl --end 2 --shot 14 --out map.png",
    )
    command.add_argument(
        "position", type=Path, metavar="FILE", help="a recorded game, or a position as in docs/results/positions/1.json"
    )
    command.add_argument("--end", type=int, metavar="N", help="end of the recorded game, from 1")
    command.add_argument("--shot", type=int, metavar="N", help="shot of that end, from 1 to 16")
    command.add_argument(
        "--planner", default="presearch", metavar="presearch[:key=value,...]", help="default: presearch"
    )
    command.add_argument("--milliseconds", type=float, default=2000.0, metavar="T", help="its time (default: 2000)")
    command.add_argument("--budget", type=int, metavar="N", help="simulations instead, for a reproducible picture")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    command.add_argument("--out", type=Path, default=Path("map.png"), metavar="FILE", help="default: map.png")
