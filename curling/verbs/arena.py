"""The verb `arena`: a tournament of any clients of Digital Curling."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bonspiel.curling.verbs.server_options import NOISES
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.verbs.command_line import Parser, Verb, resumable
from bonspiel.runs.verbs.options import flag, option, repeatable

if TYPE_CHECKING:
    from bonspiel.curling.arena.tournament import Arena

CLOCK = 21.9  # s an end, and for an extra end, as in the example of the reference server: 219 s for ten ends
LONGEST_NAME = 100  # of a folder that is named after the clients


def arena(arguments: argparse.Namespace) -> int:
    """Play a tournament of clients, then print its results.

    Raises:
        UsageError: an option is out of range, a client cannot be started, or the folder holds something else.
    """
    from bonspiel.curling.arena import against_last, cores
    from bonspiel.curling.arena.driver import by_servers
    from bonspiel.runs import provenance
    from bonspiel.runs.games import match
    from bonspiel.runs.runner.backends import job_count
    from bonspiel.runs.verbs.games import print_results

    chosen = _arena(arguments)
    jobs = max(1, len(cores.available()) // cores.SEATS) if arguments.jobs is None else job_count(arguments.jobs)
    names = "-vs-".join(client.file_name for client in chosen.clients)
    folder = arguments.out or Path("results") / f"arena-{names}"[:LONGEST_NAME]
    last = None if arguments.against_last is None else against_last.read(arguments.against_last, chosen)
    play = by_servers(chosen, folder, jobs, arguments.cores)
    facts = provenance.collect(arguments.line, match.sources_of(chosen.game))
    with resumable(arguments, folder):
        results, text, unplayed = match.play_match(chosen, arguments.games, folder, play, arguments.resume, facts)
    text += f"\n\nrecords, and the outputs of the clients: {folder / match.RECORDS}"
    if last is not None:
        changes = against_last.compare(last, folder, chosen)
        text += f"\n\n{against_last.text_of(changes, last)}"
        results = {**results, "against_last": [change.to_json() for change in changes]}
    return print_results(arguments, results, text, unplayed)


def _arena(arguments: argparse.Namespace) -> "Arena":
    """The tournament of the options; a UsageError if they do not fit together."""
    from bonspiel.curling.arena.clients import parse_clients
    from bonspiel.curling.arena.tournament import make_arena
    from bonspiel.curling.web_extra import needing_web

    protocol, settings, own = arguments.protocol, dict[str, Any](ends=arguments.ends, noise=arguments.noise), []
    mixed = getattr(arguments, "game", "standard") == "mixed_doubles"
    if protocol == "dc4":
        with needing_web("Digital Curling 4", "dc4"):
            import bonspiel.curling.arena.venue_dc4  # noqa: F401 - needs the extra
        own = ["--game", arguments.game] + (["--noise", arguments.noise] if arguments.noise != "normal_dist" else [])
    if mixed:
        if arguments.rule is not None:
            raise UsageError("--rule: only for standard games, mixed doubles has a rule of its own")
        settings["pattern"] = 0 if arguments.pattern is None else arguments.pattern
    else:
        if getattr(arguments, "pattern", None) is not None:
            raise UsageError("--pattern: only for --game mixed_doubles")
        settings["rule"] = arguments.rule or "five_rock"
        own += ["--rule", settings["rule"]] if protocol == "dc4" else []
        settings["physics"] = "dc4" if protocol == "dc4" else "fcv1"
    clock = CLOCK * arguments.ends if arguments.clock is None else arguments.clock
    clients = parse_clients(arguments.client, protocol, own)
    times = clock, arguments.extra_clock, arguments.start
    return make_arena(protocol, clients, settings, mixed, *times, arguments.seed)


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "play any clients of Digital Curling against each other, and say who is better"
    example = 'bonspiel arena dc3 --client "mine=./my_client --host {host} --port {port}" --client champion --games 100'
    command = verb("arena", arena, summary, example)
    protocols = command.add_subparsers(dest="protocol", required=True, metavar="PROTOCOL", parser_class=Parser)
    example = 'example: bonspiel arena dc3 --client "mine=./my_client {host} {port}" --client champion --games 20'
    command = protocols.add_parser("dc3", help="Digital Curling 3", description="Digital Curling 3.", epilog=example)
    option(command, "--rule", ("five_rock", "four_rock"), "free guard zone rule (default: five_rock)")
    _add_shared(command, "port", "in each extra end")
    example = (
        'example: bonspiel arena dc4 --client "mine=./my_client {host} {port} {match} {team}" --client champion '
        "--game mixed_doubles"
    )
    summary = "Digital Curling 4, standard games or mixed doubles (extra dc4)"
    command = protocols.add_parser("dc4", help=summary, description=f"{summary}.", epilog=example)
    option(command, "--game", ("standard", "mixed_doubles"), "game", "standard")
    rule = "free guard zone rule of standard games; no server announces it (default: five_rock)"
    option(command, "--rule", ("five_rock", "no_tick"), rule)
    option(command, "--pattern", "N", "position of the guards in mixed doubles, from 0 to 5 (default: 0)")
    _add_shared(command, "port, match, team, user, password", "in all extra ends together")


def _add_shared(command: argparse.ArgumentParser, names: str, extra_ends: str) -> None:
    text = (
        "a client; repeat this for the others, two or more play a round robin. COMMAND starts it, in quotes, with "
        f"braces for what differs from game to game: host, {names}, name, seed. A planner of `bonspiel list`, such as "
        "champion, instead of NAME=COMMAND is played by `bonspiel client`"
    )
    repeatable(command, "--client", "NAME=COMMAND", text, required=True)
    option(command, "--games", "N", "games per pair of clients, half of them with the hammer swapped", 100)
    option(command, "--ends", "N", "ends of a game", 2)
    clock = f"thinking time of a client in a game, in seconds (default: {CLOCK} an end)"
    option(command, "--clock", "S", clock)
    option(command, "--extra-clock", "S", f"thinking time of a client {extra_ends}, in seconds", CLOCK)
    noise = "errors of execution, of both teams alike"
    option(command, "--noise", NOISES, noise, "normal_dist")
    option(command, "--seed", "N", "random seed", 1)
    text = "seconds from its start, 900 at most, in which a command must be ready for the match"
    option(command, "--start", "S", text, 120.0)
    option(command, "--jobs", "N", "games at the same time (default: one for every two cores)")
    cores = "cores for each client, which may use no others (default: all cores divided by all clients at play)"
    option(command, "--cores", "N", cores)
    option(command, "--out", "FOLDER", "folder for the results (default: results/arena-A-vs-B)")
    flag(command, "--resume", "continue the games in --out; more games extend them")
    last = "an earlier arena with the same seed: compare each client with its version there, opponent by opponent"
    option(command, "--against-last", "FOLDER", last)
    flag(command, "--json", "print one JSON object, and the tables on standard error")
