"""The verbs of curling: play against a planner, the value of leads, maps of positions, analyses of matches."""

import argparse
from pathlib import Path
from typing import Any

from bonspiel.runs.verbs.command_line import ALL_CORES, DONE, PLANNER, Verb

NOISE = "errors of execution: normal_dist or none (default: normal_dist); in dc2: dc2, gat or none (default: dc2)"
PHYSICS = "physics: fcv1, dc2 or dc4 (default: fcv1)"


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
        ("extra_ends", "N", "maximum of extra ends after a draw (default: 0)"),
        ("physics", "NAME", PHYSICS),
        ("noise", "NAME", NOISE),
        (
            "ties",
            "NAME",
            "value of a draw: half (1/2), or thesis (0.781 for the team with the next hammer) (default: half)",
        ),
    ):
        given: dict[str, Any] = {"type": lambda value, key=key: (key, value), "metavar": metavar, "help": meaning}
        options.add_argument(f"--{key.replace('_', '-')}", dest="game_options", action="append", **given)


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    summary = "estimate the points of an end and the value of a lead from match records"
    command = verb("value", value, summary, "bonspiel value results/match --out table.json")
    command.add_argument("match", type=Path, metavar="MATCH", help="folder of a match")
    out = "file for the table, e.g. for curling:reward=win_probability,table=FILE (default: do not write it)"
    command.add_argument("--out", type=Path, metavar="FILE", help=out)
    summary = "play curling against a planner, in the terminal or in a browser"
    _add_play_options(verb("play", play, summary, "bonspiel play --against expectimax --web"))
    summary = "draw a position of curling, the chosen shot and the values of all aims"
    example = "bonspiel map results/m/records/1-2-00000.jsonl --end 2 --shot 14 --out map.png"
    _add_map_options(verb("map", value_map, summary, example))
    summary = "judge every shot of a recorded match: win probability lost, blunders, luck"
    example = "bonspiel analyse results/server/MATCH.jsonl --milliseconds 2000 --out analysis.html"
    _add_analyse_options(verb("analyse", analyse, summary, example))


def _add_play_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--against", default="presearch", metavar=PLANNER, help="opponent, a planner (default: presearch)")
    time = "time per decision of the opponent in milliseconds (default: 500)"
    add("--milliseconds", type=float, default=500.0, metavar="T", help=time)
    add("--ends", type=int, default=2, metavar="N", help="ends of the match (default: 2)")
    add("--game", choices=("standard", "mixed_doubles"), default="standard", help="game (default: standard)")
    pattern = "position of the guards in mixed doubles, from 0 (nearest the house) to 5 (default: 0)"
    add("--pattern", type=int, metavar="N", help=pattern)
    add("--physics", metavar="NAME", help=f"{PHYSICS[:-1]}; in mixed doubles dc4)")
    add("--noise", metavar="NAME", help=NOISE)
    rule = "free guard zone rule: five_rock, four_rock, no_tick or none (default: that of the physics)"
    add("--rule", metavar="NAME", help=rule)
    hammer = "team with the hammer in the first end; in mixed doubles the team that places the stones (default: me)"
    add("--hammer", choices=("me", "them"), default="me", help=hammer)
    add("--seed", type=int, metavar="N", help="random seed (default: a new one)")
    add("--record", type=Path, metavar="FILE", help="file for the record of the game")
    place = command.add_mutually_exclusive_group()
    place.add_argument("--window", action="store_true", help=argparse.SUPPRESS)
    place.add_argument("--web", action="store_true", help="play in a browser, with mouse, touch or keys (extra web)")
    place.add_argument("--terminal", action="store_true", help="play in this terminal, with the keys (default)")
    bind = "with --web: address to bind to, e.g. that of this machine in its network (default: 127.0.0.1)"
    add("--bind", metavar="ADDRESS", help=bind)
    add("--port", type=int, metavar="P", help="with --web: port of the page (default: any free port)")


def _add_map_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    position = "record or log of a game (as for analyse), or a JSON position such as docs/results/positions/1.json"
    add("position", type=Path, metavar="FILE", help=position)
    add("--end", type=int, metavar="N", help="end of the game, from 1 (records and logs only)")
    add("--shot", type=int, metavar="N", help="shot of that end, from 1 (records and logs only)")
    add("--planner", default="presearch", metavar="presearch[:key=value,...]", help="planner (default: presearch)")
    time = "time per decision in milliseconds (default: 2000)"
    add("--milliseconds", type=float, default=2000.0, metavar="T", help=time)
    add("--budget", type=int, metavar="N", help="simulations per decision instead, for a reproducible picture")
    add("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    picture = "file for the picture, PNG, SVG, PDF or JPG (default: map.png, or map-2.png, ... if that exists)"
    add("--out", type=Path, metavar="FILE", help=picture)


def _add_analyse_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "record",
        type=Path,
        metavar="RECORD",
        help="record of a match, also an unfinished one, or log of a Digital Curling 3 client or server (game.dcl2)",
    )
    add("--planner", default="champion", metavar=PLANNER, help="planner that judges (default: champion)")
    budget = command.add_mutually_exclusive_group()
    time = "time per shot in milliseconds, and once more for the value of each aim (default: 1000)"
    budget.add_argument("--milliseconds", type=float, default=1000.0, metavar="T", help=time)
    simulations = "simulations instead, for a reproducible result"
    budget.add_argument("--simulations", type=int, metavar="N", help=simulations)
    add("--team", choices=("team0", "team1"), help="team to judge (default: both)")
    add("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    add("--jobs", type=int, metavar="N", help=ALL_CORES)
    add("--out", type=Path, metavar="FILE.html", help="file for the page of the match with the judgements")
