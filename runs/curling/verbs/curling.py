"""The verbs of curling: tournaments, play against a planner, and what matches and positions show."""

import argparse
import re
import sys
from pathlib import Path

from runs.verbs.command_line import DONE, Verb, numbers, stopped, workers

LONGEST_NAME = 100  # of a folder that is named after the planners


def match(arguments: argparse.Namespace) -> int:
    """Play a tournament of curling, then print who is better."""
    import json

    from runs import provenance
    from runs.games import match, tournament

    jobs = workers(arguments.jobs)
    chosen = tournament.tournament(
        arguments.planners,
        ends=arguments.ends,
        physics=arguments.physics,
        noise=arguments.noise,
        extra_ends=arguments.extra_ends,
        ties=arguments.ties,
        seed=arguments.seed,
        simulations=arguments.budget,
        milliseconds=arguments.milliseconds,
    )
    name = re.sub(r"[^\w.=-]+", "-", "-vs-".join(arguments.planners))[:LONGEST_NAME]
    folder = arguments.out or Path("results") / name
    made = provenance.collect(arguments.line, tournament.PLAYED)
    try:
        results, text = match.play(chosen, arguments.games, folder, jobs, arguments.resume, made)
    except KeyboardInterrupt:
        return stopped(arguments, folder)
    print(f"{text}\n\nrecords {folder / tournament.RECORDS}", file=sys.stderr if arguments.json else sys.stdout)
    if arguments.json:
        print(json.dumps(results))
    return DONE


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
    """Estimate how ends of curling are scored from match records."""
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


def strength(arguments: argparse.Namespace) -> int:
    """Chart a planner's win rate against its time."""
    from runs.games import strength

    return strength.main(arguments.runs, arguments.out)


def add_verbs(verb: Verb) -> None:
    """Add the verbs of curling; `verb` makes one from its name, function, summary and example."""
    command = verb(
        "match",
        match,
        "play planners against each other at curling",
        "bonspiel match abstraction dpw --ends 2 --games 400 --milliseconds 100 --jobs 2 --out results/m",
    )
    command.add_argument(
        "planners", nargs="+", metavar="PLANNER", help="NAME[:key=value,...]; two, or more for a round robin"
    )
    command.add_argument("--ends", type=int, default=2, metavar="N", help="ends of a game (default: 2)")
    command.add_argument(
        "--extra-ends", type=int, default=0, metavar="N", help="most extra ends after a tie (default: 0)"
    )
    command.add_argument(
        "--games",
        type=int,
        default=100,
        metavar="N",
        help="for each two planners, in pairs with the hammer swapped (default: 100)",
    )
    command.add_argument(
        "--milliseconds", type=numbers, default=[], metavar="T[,...]", help="time a shot, for all planners or for each"
    )
    command.add_argument(
        "--budget", type=numbers, default=[], metavar="N[,...]", help="simulations a shot, for all planners or for each"
    )
    command.add_argument("--physics", default="fcv1", metavar="NAME", help="fcv1 (default) or dc2")
    command.add_argument(
        "--noise", metavar="NAME", help="normal_dist (default) or none; for dc2: dc2 (default), gat or none"
    )
    command.add_argument(
        "--ties",
        choices=("half", "thesis"),
        default="half",
        help="a draw counts 1/2, or 0.781 for the team that would have the hammer next",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="root of all randomness (default: 1)")
    command.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: all cores)")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where records go (default: results/A-vs-B)")
    command.add_argument("--resume", action="store_true", help="go on where a match in --out stopped")
    command.add_argument("--json", action="store_true", help="end with one JSON object on standard output")
    command = verb(
        "value",
        value,
        "estimate how ends are scored, and what a lead is worth, from match records",
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
    command.add_argument("--rule", metavar="NAME", help="five_rock, four_rock, no_tick or none (default: likewise)")
    command.add_argument(
        "--hammer",
        choices=("me", "them"),
        default="me",
        help="who throws the last stone of the first end (default: me)",
    )
    command.add_argument("--seed", type=int, metavar="N", help="root of all randomness (default: a new one)")
    command.add_argument("--record", type=Path, metavar="FILE", help="keep the game in a file")
    face = command.add_mutually_exclusive_group()
    face.add_argument("--window", action="store_true", help="in a window, with the mouse")
    face.add_argument("--terminal", action="store_true", help="in this terminal, with the keys (the default)")
    command = verb(
        "map",
        value_map,
        "draw a position of curling, the chosen shot, and the values of all aims",
        "bonspiel map results/m/records/1-2-00000.jsonl --end 2 --shot 14 --out map.png",
    )
    command.add_argument(
        "position",
        type=Path,
        metavar="FILE",
        help="a game on record, or a position as in docs/results/positions/1.json",
    )
    command.add_argument("--end", type=int, metavar="N", help="end of the game on record, from 1")
    command.add_argument("--shot", type=int, metavar="N", help="the shot of that end to be chosen, from 1 to 16")
    command.add_argument(
        "--planner", default="presearch", metavar="presearch[:key=value,...]", help="who chooses (default: presearch)"
    )
    command.add_argument("--milliseconds", type=float, default=2000.0, metavar="T", help="its time (default: 2000)")
    command.add_argument("--budget", type=int, metavar="N", help="simulations instead, for the same picture every time")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="root of all randomness (default: 1)")
    command.add_argument("--out", type=Path, default=Path("map.png"), metavar="FILE", help="default: map.png")
    command = verb(
        "strength",
        strength,
        "chart a planner's win rate against its time a shot, from matches",
        "bonspiel strength results/50ms results/200ms results/1s --out strength.png",
    )
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a match's folder")
    command.add_argument(
        "--out",
        type=Path,
        default=Path("strength.png"),
        metavar="FILE",
        help="the SVG is written beside it (default: strength.png)",
    )
