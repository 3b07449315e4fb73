"""The verb `regret`: what the shots of curling clients lose in positions."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bonspiel.runs.experiment import UsageError, number
from bonspiel.runs.verbs.command_line import DONE, FAILED, Verb, add_jobs, resumable, workers
from bonspiel.runs.verbs.options import flag, option, repeatable

if TYPE_CHECKING:
    from bonspiel.curling.arena.clients import Client
    from bonspiel.curling.regret.clients import Question
    from bonspiel.curling.regret.positions import TestPosition

LONGEST_START = 900.0  # s
MOST_DRAWN = 100_000
POSITIONS = "positions.json"  # that were judged, for --file


def regret(arguments: argparse.Namespace) -> int:
    """Put clients before positions, judge their shots, and write the page of the results.

    Raises:
        UsageError: an option is out of range, a client cannot be started, or the folder holds something else.
        RunError: a server failed, or workers died.
    """
    from bonspiel.curling.regret.earlier import changes, earlier_results
    from bonspiel.curling.regret.examine import examine_all
    from bonspiel.curling.regret.page import PAGE, write_page
    from bonspiel.curling.regret.positions import text_of
    from bonspiel.curling.regret.results import RegretFolder
    from bonspiel.curling.regret.summary import to_json
    from bonspiel.runs.files import locked, writing

    jobs, folder = workers(arguments.jobs), arguments.out
    places, made = _places(arguments)
    last = arguments.against_last
    clients, question = _clients(arguments, places)
    commands = any(client.planner is None for client in clients)
    if commands:
        from bonspiel.curling.regret.clients import served

        places = served(places, arguments.spoken)
    settings = _settings(arguments, clients, made)
    earlier = None if last is None else earlier_results(last, places, clients, settings)
    with resumable(arguments, folder), locked(folder):
        kept = RegretFolder(folder, settings, places, arguments.resume)
        with writing(folder):
            (folder / POSITIONS).write_text(text_of(places, made), encoding="utf-8")
            if commands:
                question.outputs.mkdir(exist_ok=True)
        examined = examine_all(kept, places, clients, question, jobs)
        text = write_page(folder, clients, examined, places)
    if earlier is not None:
        text += f"\n\nsince {last}, in the same positions\n{changes(earlier, examined, clients)}"
    seconds = sum(one.seconds for one in examined) / len(examined)
    text += f"\n\nthe referees took {seconds:.1f} s of a core a position\npage {folder / PAGE}"
    print(text, file=sys.stderr if arguments.json else sys.stdout)
    if arguments.json:
        print(json.dumps(to_json(clients, examined, places), allow_nan=False))
    names = [client.name for client in clients if not any(client.name in one.verdicts for one in examined)]
    for name in names:
        print(f"bonspiel regret: {name} gave no shot in any position", file=sys.stderr)
    return FAILED if names else DONE


def _places(arguments: argparse.Namespace) -> "tuple[list[TestPosition], str]":
    """The positions of the options, and where they are from."""
    from bonspiel.curling.regret import positions

    count, file, match, drawn = arguments.positions, arguments.file, getattr(arguments, "from"), arguments.draw
    if sum(given is not None for given in (file, match, drawn)) > 1:
        raise UsageError("--file, --from, --draw: give one of them, or none for the positions of the package")
    if drawn is not None:
        drawn = number("--draw", drawn, 1, MOST_DRAWN, whole=True)
        found, made = positions.drawn(drawn, arguments.seed), f"{drawn} drawn by seed {arguments.seed}"
    elif file is not None:
        found, made = positions.read_file(file), str(file)
    elif match is not None:
        found, made = positions.of_match(match), str(match)
    else:
        found, made = positions.shipped(), "those of the package"
    if count is not None:
        count = number("--positions", count, 1, len(found), whole=True)
        found = found[:count]
    return found, made


def _clients(arguments: argparse.Namespace, places: "list[TestPosition]") -> "tuple[tuple[Client, ...], Question]":
    """The clients of the options, and how they are asked."""
    from bonspiel.curling import players
    from bonspiel.curling.arena.clients import parse_clients
    from bonspiel.curling.regret.clients import Question
    from bonspiel.curling.regret.sources import judging
    from bonspiel.curling.web_extra import needing_web
    from bonspiel.planners.planner import Budget, unsupported
    from bonspiel.runs.experiment import parsed

    clients = parse_clients(arguments.client, arguments.spoken, [])
    for place in places:
        judging(place.match)
    for client in clients:
        if client.planner is not None:
            planner = parsed(players.parse, client.planner)
            if reason := unsupported(planner, places[0].match.planning()):
                raise UsageError(f"{client.planner} cannot play curling: {reason}")
        elif arguments.spoken == "dc4":
            with needing_web("Digital Curling 4", "dc4"):
                import bonspiel.curling.arena.venue_dc4  # noqa: F401 - needs the extra
    seconds = number("--seconds", arguments.seconds, 0.01, 3600.0, whole=False)
    budget = Budget(seconds=seconds)
    if arguments.simulations is not None:
        budget = Budget(simulations=number("--simulations", arguments.simulations, 1, 1e12, whole=True))
    start = number("--start", arguments.start, 0.1, LONGEST_START, whole=False)
    seed = number("--seed", arguments.seed, 0, 2**32 - 1, whole=True)
    return clients, Question(arguments.spoken, budget, seconds, start, seed, arguments.out / "outputs")


def _settings(arguments: argparse.Namespace, clients: "tuple[Client, ...]", made: str) -> dict[str, Any]:
    """What the results depend on."""
    from bonspiel.curling import players
    from bonspiel.version import __version__

    versions = {
        client.name: client.version if client.planner is None else repr(players.parse(client.planner))
        for client in clients
    }
    time = f"{arguments.seconds:g} s" if arguments.simulations is None else f"{arguments.simulations} simulations"
    if arguments.simulations is not None and any(client.planner is None for client in clients):
        time += f", of commands {arguments.seconds:g} s"
    facts = {"version": __version__, "positions": made, "protocol": arguments.spoken, "seed": arguments.seed}
    return facts | {"a shot": time, "clients": versions}


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "judge the shots of curling clients in positions: what they lose, where, and why"
    example = (
        'bonspiel regret --client "mine=./my_client {host} {port}" --client champion --positions 100 --out results/r'
    )
    command = verb("regret", regret, summary, example)
    text = (
        "a client; repeat this for others. COMMAND is as for bonspiel arena; a planner of `bonspiel list`, such as "
        "champion, instead of NAME=COMMAND chooses without a server"
    )
    repeatable(command, "--client", "NAME=COMMAND", text, required=True)
    option(command, "--protocol", ("dc3", "dc4"), "of the server that commands connect to", "dc3", dest="spoken")
    option(command, "--positions", "N", "number of positions, the first ones (default: all)")
    option(command, "--file", "FILE", "JSON file of your own positions (default: the 500 of the package)")
    option(command, "--from", "FILE", "record or log of a match: the positions before its shots")
    option(command, "--draw", "N", "draw so many positions from new matches of players of this package, by --seed")
    option(command, "--seconds", "S", "time a shot; the clock of a command has it for each shot that is left", 0.5)
    option(command, "--simulations", "N", "simulations a shot of planners instead, for a reproducible result")
    option(command, "--start", "S", "seconds from its start in which a command must be ready", 120.0)
    option(command, "--seed", "N", "random seed", 1)
    add_jobs(command)
    option(command, "--out", "FOLDER", "folder for the results", Path("results/regret"))
    flag(command, "--resume", "continue the run in --out; more positions extend it")
    text = "an earlier run: compare each client with its version there, in the positions of both"
    option(command, "--against-last", "FOLDER", text)
    flag(command, "--json", "print one JSON object, and the tables on standard error")
