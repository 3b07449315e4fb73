"""The verbs of curling: play against a planner, the value of leads, maps of positions, analyses of matches."""

import argparse

from bonspiel.runs.verbs.command_line import DONE, PLANNER, Verb, add_jobs
from bonspiel.runs.verbs.options import flag, option

NOISE = (
    "errors of execution: normal_dist, human or none (default: normal_dist); in dc2: dc2, gat or none (default: dc2); "
    "with a factor: 2*normal_dist"
)


def play(arguments: argparse.Namespace) -> int:
    """Play curling against a planner."""
    from bonspiel.curling.play import main

    main.main(arguments)
    return DONE


def value(arguments: argparse.Namespace) -> int:
    """Estimate the distribution of points of an end from match records."""
    from bonspiel.curling.analysis import value

    return value.main(arguments.match, arguments.out)


def value_map(arguments: argparse.Namespace) -> int:
    """Draw a position of curling, the shot that a planner chooses, and the values of all aims."""
    from bonspiel.curling.analysis import value_map

    return value_map.main(arguments)


def analyse(arguments: argparse.Namespace) -> int:
    """Judge every shot of a recorded match."""
    from bonspiel.curling.analysis import main

    return main.main(arguments)


def add_match_options(command: argparse.ArgumentParser) -> None:
    """Make curling the default of `match`, and add the short forms of its parameters."""
    command.set_defaults(game="curling")
    options = command.add_argument_group("options of curling, the default, short for --game curling:key=value,...")
    _add_parameter(options, "--ends", "N", "ends of a game (default: 2)")
    _add_parameter(options, "--extra-ends", "N", "maximum of extra ends after a draw (default: 0)")
    _add_parameter(options, "--physics", "NAME", "physics: fcv1, dc2 or dc4 (default: fcv1)")
    _add_parameter(options, "--noise", "NAME", NOISE)
    text = "value of a draw: half (1/2), or thesis (0.781 for the team with the next hammer) (default: half)"
    _add_parameter(options, "--ties", "NAME", text)


def add_replay_options(command: argparse.ArgumentParser) -> None:
    """Make curling the default of `replay`."""
    command.set_defaults(game="curling")
    command.epilog = f"{command.epilog}; logs of Digital Curling clients and servers are records too (game.dcl2)"


def _add_parameter(options: "argparse._ArgumentGroup", flag: str, metavar: str, text: str) -> None:
    """Add an option that appends a parameter of the game and its value to `game_options`."""
    key = flag.removeprefix("--").replace("-", "_")
    option(options, flag, metavar, text, type=lambda value: (key, value), dest="game_options", action="append")


def add_verbs(verb: Verb) -> None:
    """Add the verbs to the command line."""
    summary = "estimate the points of an end and the value of a lead from match records"
    example = "bonspiel value results/match --out table.json"
    command = verb("value", value, summary, example)
    option(command, "match", "MATCH", "folder of a match")
    text = "file for the table, e.g. for curling:reward=win_probability,table=FILE (default: do not write it)"
    option(command, "--out", "FILE", text)
    summary = "play curling against a planner, in the terminal or in a browser"
    example = "bonspiel play --against expectimax --web"
    command = verb("play", play, summary, example)
    _add_play_options(command)
    summary = "draw a position of curling, the chosen shot and the values of all aims"
    example = "bonspiel map results/m/records/1-2-00000.jsonl --end 2 --shot 14 --out map.png"
    command = verb("map", value_map, summary, example)
    _add_map_options(command)
    summary = "judge every shot of a recorded match: win probability lost, blunders, luck"
    example = "bonspiel analyse results/server/MATCH.jsonl --milliseconds 2000 --out analysis.html"
    command = verb("analyse", analyse, summary, example)
    _add_analyse_options(command)


def _add_play_options(command: argparse.ArgumentParser) -> None:
    option(command, "--against", PLANNER, "opponent, a planner", "presearch")
    option(command, "--milliseconds", "T", "time per decision of the opponent in milliseconds", 500.0)
    option(command, "--ends", "N", "ends of the match", 2)
    option(command, "--game", ("standard", "mixed_doubles"), "game", "standard")
    text = "position of the guards in mixed doubles, from 0 (nearest the house) to 5 (default: 0)"
    option(command, "--pattern", "N", text)
    option(command, "--physics", "NAME", "physics: fcv1, dc2 or dc4 (default: fcv1; in mixed doubles dc4)")
    option(command, "--noise", "NAME", NOISE)
    text = "free guard zone rule: five_rock, four_rock, no_tick or none (default: that of the physics)"
    option(command, "--rule", "NAME", text)
    text = "team with the hammer in the first end; in mixed doubles the team that places the stones"
    option(command, "--hammer", ("me", "them"), text, "me")
    option(command, "--seed", "N", "random seed (default: a new one)")
    option(command, "--record", "FILE", "file for the record of the game")
    place = command.add_mutually_exclusive_group()
    place.add_argument("--window", action="store_true", help=argparse.SUPPRESS)
    flag(place, "--web", "play in a browser, with mouse, touch or keys (extra web)")
    flag(place, "--terminal", "play in this terminal, with the keys (default)")
    text = "with --web: address to bind to, e.g. that of this machine in its network (default: 127.0.0.1)"
    option(command, "--bind", "ADDRESS", text)
    option(command, "--port", "P", "with --web: port of the page (default: any free port)")


def _add_map_options(command: argparse.ArgumentParser) -> None:
    text = "record or log of a game (as for analyse), or a JSON position as for regret (docs/results/positions/1.json)"
    option(command, "position", "FILE", text)
    option(command, "--end", "N", "end of the game, from 1 (records and logs only)")
    option(command, "--shot", "N", "shot of that end, from 1, also the next one (records and logs only)")
    option(command, "--planner", PLANNER, "planner", "champion")
    option(command, "--milliseconds", "T", "time per decision in milliseconds", 2000.0)
    option(command, "--budget", "N", "simulations per decision instead, for a reproducible picture")
    option(command, "--seed", "N", "random seed", 1)
    text = "file for the picture, PNG, SVG, PDF or JPG (default: map.png, or map-2.png, ... if that exists)"
    option(command, "--out", "FILE", text)


def _add_analyse_options(command: argparse.ArgumentParser) -> None:
    text = "record of a match, also an unfinished one, or log of a Digital Curling 3 client or server (game.dcl2)"
    option(command, "record", "RECORD", text)
    option(command, "--planner", PLANNER, "planner that judges", "champion")
    budget = command.add_mutually_exclusive_group()
    option(
        budget, "--milliseconds", "T", "time per shot in milliseconds, and once more for the value of each aim", 1000.0
    )
    option(budget, "--simulations", "N", "simulations instead, for a reproducible result")
    option(command, "--team", ("team0", "team1"), "team to judge (default: both)")
    option(command, "--seed", "N", "random seed", 1)
    add_jobs(command)
    option(command, "--out", "FILE.html", "file for the page of the match with the judgements")
