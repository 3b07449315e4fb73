"""The verbs of curling: play against a planner, the value of leads, maps of positions, analyses of matches."""

import argparse
from pathlib import Path
from typing import Any

from bonspiel.runs.verbs.command_line import DONE, PLANNER, Verb

NOISE = "normal_dist (default) or none; for dc2: dc2 (default), gat or none"


def play(arguments: argparse.Namespace) -> int:
    """Play curling against a planner."""
    from bonspiel.runs.curling.play import main

    main.main(arguments)
    return DONE


def value(arguments: argparse.Namespace) -> int:
    """Estimate the distribution of points of an end from match records."""
    from bonspiel.runs.curling import value

    return value.main(arguments.match, arguments.out)


def value_map(arguments: argparse.Namespace) -> int:
    """Draw a position of curling, the shot that a planner chooses, and the values of all aims."""
    from bonspiel.runs.curling import value_map

    return value_map.main(arguments)


def analyse(arguments: argparse.Namespace) -> int:
    """Judge every shot of a recorded match."""
    from bonspiel.runs.curling.analysis import main

    return main.main(arguments)


def add_match_options(command: argparse.ArgumentParser) -> None:
    """Add the short forms of curling's parameters to the verb `match`."""
    options = command.add_argument_group("options of curling, short for --game curling:key=value,...")
    for key, metavar, meaning in (
        ("ends", "N", "ends of a game (default: 2)"),
        ("extra_ends", "N", "maximum of extra ends after a tie (default: 0)"),
        ("physics", "NAME", "fcv1 (default), dc2 or dc4"),
        ("noise", "NAME", NOISE),
        ("ties", "NAME", "half (default): a draw counts 1/2; thesis: 0.781 for the team with the next hammer"),
    ):
        given: dict[str, Any] = {"type": lambda value, key=key: (key, value), "metavar": metavar, "help": meaning}
        options.add_argument(f"--{key.replace('_', '-')}", dest="game_options", action="append", **given)


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    summary = "estimate the points of an end and the value of a lead from match records"
    command = verb("value", value, summary, "bonspiel value results/match --out table.json")
    command.add_argument("match", type=Path, metavar="MATCH", help="a match's folder")
    out = "write the table here, e.g. for curling:reward=win_probability,table=FILE"
    command.add_argument("--out", type=Path, metavar="FILE", help=out)
    summary = "play curling against a planner, in the terminal, in a window or in a browser"
    _add_play_options(verb("play", play, summary, "bonspiel play --against expectimax --window"))
    summary = "draw a position of curling, the chosen shot and the values of all aims"
    example = "bonspiel map results/m/records/1-2-00000.jsonl --end 2 --shot 14 --out map.png"
    _add_map_options(verb("map", value_map, summary, example))
    summary = "judge every shot of a recorded match: win probability lost, blunders, luck"
    example = "bonspiel analyse results/server/MATCH.jsonl --milliseconds 2000 --out analysis.html"
    _add_analyse_options(verb("analyse", analyse, summary, example))


def _add_play_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--against", default="presearch", metavar=PLANNER, help="the planner (default: presearch)")
    add("--milliseconds", type=float, default=500.0, metavar="T", help="its time for a shot (default: 500)")
    add("--ends", type=int, default=2, metavar="N", help="ends of the match (default: 2)")
    add("--game", choices=("standard", "mixed_doubles"), default="standard", help="default: standard")
    pattern = "place of the guards in mixed doubles, 0 (nearest the house) to 5 (default: 0)"
    add("--pattern", type=int, metavar="N", help=pattern)
    add("--physics", metavar="NAME", help="fcv1 (the default), dc2 or dc4 (the default in mixed doubles)")
    add("--noise", metavar="NAME", help=NOISE)
    add("--rule", metavar="NAME", help="five_rock, four_rock, no_tick or none (default: of the physics)")
    hammer = "team with the last stone of the first end, in mixed doubles the one that sets it up (default: me)"
    add("--hammer", choices=("me", "them"), default="me", help=hammer)
    add("--seed", type=int, metavar="N", help="random seed (default: a new one)")
    add("--record", type=Path, metavar="FILE", help="write the game to a file")
    place = command.add_mutually_exclusive_group()
    place.add_argument("--window", action="store_true", help="in a window, with the mouse")
    place.add_argument("--web", action="store_true", help="in a browser, with the mouse, touch or the keys (extra web)")
    place.add_argument("--terminal", action="store_true", help="in this terminal, with the keys (the default)")
    bind = "with --web: where to serve the page, such as this machine's address in the network (default: 127.0.0.1)"
    add("--bind", metavar="ADDRESS", help=bind)
    add("--port", type=int, metavar="P", help="with --web: port of the page (default: any free one)")


def _add_map_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    position = "a recorded game, the log of one (see analyse), or a position as in docs/results/positions/1.json"
    add("position", type=Path, metavar="FILE", help=position)
    add("--end", type=int, metavar="N", help="end of the recorded game, from 1")
    add("--shot", type=int, metavar="N", help="shot of that end, from 1 to 16")
    add("--planner", default="presearch", metavar="presearch[:key=value,...]", help="default: presearch")
    add("--milliseconds", type=float, default=2000.0, metavar="T", help="its time (default: 2000)")
    add("--budget", type=int, metavar="N", help="simulations instead, for a reproducible picture")
    add("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    picture = "PNG, SVG, PDF or JPG (default: map.png, or map-2.png and so on beside others)"
    add("--out", type=Path, metavar="FILE", help=picture)


def _add_analyse_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "record",
        type=Path,
        metavar="RECORD",
        help="the record of a match, which may break off, or a log of Digital Curling 3: a client's, or game.dcl2",
    )
    add("--planner", default="champion", metavar=PLANNER, help="the judge (default: champion)")
    budget = command.add_mutually_exclusive_group()
    time = "its time for a shot, and again for the value of each aim (default: 1000)"
    budget.add_argument("--milliseconds", type=float, default=1000.0, metavar="T", help=time)
    simulations = "simulations instead, for the same result every time"
    budget.add_argument("--simulations", type=int, metavar="N", help=simulations)
    add("--team", choices=("team0", "team1"), help="judge the shots of one team (default: both)")
    add("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    add("--jobs", type=int, metavar="N", help="worker processes (default: all cores)")
    add("--out", type=Path, metavar="FILE.html", help="write the page of the match with the judgements here")
