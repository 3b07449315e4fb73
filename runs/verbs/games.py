"""The verbs of two-player games: tournaments, charts of strength, and pages of recorded games."""

import argparse
import itertools
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import unused
from bonspiel.runs.verbs import command_line
from bonspiel.runs.verbs.options import flag, option

LONGEST_NAME = 100  # of a folder that is named after the planners


def match(arguments: argparse.Namespace) -> int:
    """Play a tournament, then print its results."""
    from bonspiel.runs import provenance
    from bonspiel.runs.games import match, tournament

    jobs = command_line.workers(arguments.jobs)
    game = _named(arguments.game)
    if arguments.game_options:
        given = ",".join(f"{key}={value}" for key, value in dict(arguments.game_options).items())
        game += f"{',' if ':' in game else ':'}{given}"
    budgets = arguments.budget, arguments.milliseconds
    entrants = [one for text in arguments.planners for one in command_line.grid(text)]
    chosen = tournament.make_tournament(entrants, game, arguments.seed, *budgets)
    name = re.sub(r"[^\w.=-]+", "-", "-vs-".join(arguments.planners))[:LONGEST_NAME]
    folder = arguments.out or Path("results") / name
    facts = provenance.collect(arguments.line, match.sources_of(chosen.game))
    with command_line.resumable(arguments, folder):
        play = match.by_workers(chosen, jobs)
        results, text, unplayed = match.play_match(chosen, arguments.games, folder, play, arguments.resume, facts)
    return print_results(arguments, results, f"{text}\n\nrecords {folder / match.RECORDS}", unplayed)


def _named(game: str | None) -> str:
    """The text of a game."""
    from bonspiel.runs.games.game import GAMES

    if game is None:
        known = ", ".join([*GAMES.guests(), *GAMES.installed()]) or "none is installed"
        raise UsageError(f"name the game by --game GAME ({known})")
    return game


def print_results(arguments: argparse.Namespace, results: Any, text: str, unplayed: Sequence[str]) -> int:
    """Print the results of a tournament as `runs.games.match.play_match` returns them; the exit status."""
    print(text, file=sys.stderr if arguments.json else sys.stdout)
    if arguments.json:
        print(json.dumps(results))
    for reason in unplayed:
        print(f"bonspiel {arguments.verb}: {reason}", file=sys.stderr)
    return command_line.FAILED if unplayed else command_line.DONE


def strength(arguments: argparse.Namespace) -> int:
    """Chart a planner's win rate against its budget."""
    from bonspiel.runs.games import strength

    return strength.main(arguments.runs, arguments.out or unused("strength", *strength.PICTURES))


def replay(arguments: argparse.Namespace) -> int:
    """Write the page of a recorded game, and open it if asked to."""
    import webbrowser

    from bonspiel.runs.games import record_file
    from bonspiel.runs.games.game import GAMES
    from bonspiel.runs.progress import progress

    file: Path = arguments.file
    with record_file.reading(file):
        game = GAMES.parse(_named(arguments.game))
        record = record_file.read_record(game, file)
        out: Path = arguments.out or file.with_suffix(".html")
        record_file.check_page(out, file)
        count, done, start = game.length(record), itertools.count(1), time.monotonic()
        with progress(count, "moves") as advance:
            page, warning = game.picture(
                record, lambda: advance(1, (time.monotonic() - start) * (count / next(done) - 1.0))
            )
    if warning:
        print(f"bonspiel replay: {file}: {warning}", file=sys.stderr)
    record_file.write_page(out, page)
    print(out)
    if arguments.open and not webbrowser.open(out.resolve().as_uri()):
        print(f"bonspiel replay: no browser found; open {out} yourself", file=sys.stderr)
    return command_line.DONE


def add_verbs(verb: command_line.Verb) -> None:
    """Add the verbs to the command line.

    Packages may add options of single games to `match`, which append a (key, value) of the game to `game_options`, and
    set the default of `game`.
    """
    example = "bonspiel strength results/50ms results/200ms results/1s --out strength.png"
    command = verb("strength", strength, "chart a planner's win rate against its budget, from matches", example)
    option(command, "runs", "RUN", "folder of a match", nargs="+", type=Path)
    text = (
        "file for the chart, PNG, and an SVG beside it (default: strength.png, or strength-2.png, ... if that exists)"
    )
    option(command, "--out", "FILE", text)
    example = "bonspiel replay game.jsonl --open (exit status: 0 done, 2 bad command line or no record, 130 stopped)"
    command = verb("replay", replay, "write an HTML page that shows a recorded game", example)
    option(command, "file", "FILE", "record of a game, also an unfinished one")
    option(command, "--game", "GAME", "a game of `bonspiel list`")
    option(command, "--out", "FILE.html", "file for the page (default: the record's name with .html)")
    flag(command, "--open", "open the page in the default browser")
    example = "bonspiel match abstraction dpw --ends 2 --games 400 --milliseconds 100 --jobs 2 --out results/m"
    command = verb("match", match, "play planners against each other at a game of two players", example)
    text = (
        f"two planners, or more for a round robin: {command_line.PLANNER}, a grid, or your program (in quotes if it "
        "has arguments)"
    )
    option(command, "planners", "PLANNER", text, nargs="+")
    option(command, "--game", "GAME[:key=value,...]", "a game of `bonspiel list`")
    option(command, "--games", "N", "games per pair of planners, half of them with the sides swapped", 100)
    command_line.add_budgets(command, ", one for all planners or one for each")
    option(command, "--seed", "N", "random seed", 1)
    command_line.add_jobs(command)
    option(command, "--out", "FOLDER", "folder for the results (default: results/A-vs-B)")
    flag(command, "--resume", "continue the match in --out; more games extend it")
    flag(command, "--json", "print one JSON object, and the tables on standard error")
    command.set_defaults(game_options=[])
