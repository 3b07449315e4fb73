"""The verb `arena`: a tournament of any clients of Digital Curling."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.verbs.command_line import Parser, Verb, resumable

if TYPE_CHECKING:
    from bonspiel.runs.curling.arena.tournament import Arena

ENDS = 2
CLOCK = 21.9  # s an end, and for an extra end, as in the example of the reference server: 219 s for ten ends
START = 120.0  # s
LONGEST_NAME = 100  # of a folder that is named after the clients


def arena(arguments: argparse.Namespace) -> int:
    """Play a tournament of clients, then print its results.

    Raises:
        UsageError: an option is out of range, a client cannot be started, or the folder holds something else.
    """
    from bonspiel.runs import provenance
    from bonspiel.runs.curling.arena import against_last, cores
    from bonspiel.runs.curling.arena.driver import by_servers
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
    from bonspiel.runs.curling.arena.clients import parse_clients
    from bonspiel.runs.curling.arena.tournament import make_arena
    from bonspiel.runs.verbs.web_extra import needing_web

    protocol, settings, own = arguments.protocol, dict[str, Any](ends=arguments.ends, noise=arguments.noise), []
    mixed = getattr(arguments, "game", "standard") == "mixed_doubles"
    if protocol == "dc4":
        with needing_web("Digital Curling 4", "dc4"):
            import bonspiel.runs.curling.arena.venue_dc4  # noqa: F401 - needs the extra
        own = ["--game", arguments.game]
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
    command = verb(
        "arena",
        arena,
        "play any clients of Digital Curling against each other, and say who is better",
        'bonspiel arena dc3 --client "mine=./my_client --host {host} --port {port}" --client champion --games 100',
    )
    protocols = command.add_subparsers(dest="protocol", required=True, metavar="PROTOCOL", parser_class=Parser)
    example = 'example: bonspiel arena dc3 --client "mine=./my_client {host} {port}" --client champion --games 20'
    command = protocols.add_parser("dc3", help="Digital Curling 3", description="Digital Curling 3.", epilog=example)
    command.add_argument("--rule", choices=("five_rock", "four_rock"), help="free guard zone rule (default: five_rock)")
    _add_shared(command, "port", "in each extra end")
    example = (
        'example: bonspiel arena dc4 --client "mine=./my_client {host} {port} {match} {team}" --client champion '
        "--game mixed_doubles"
    )
    summary = "Digital Curling 4, standard games or mixed doubles (extra dc4)"
    command = protocols.add_parser("dc4", help=summary, description=f"{summary}.", epilog=example)
    command.add_argument(
        "--game", choices=("standard", "mixed_doubles"), default="standard", help="game (default: standard)"
    )
    command.add_argument(
        "--rule",
        choices=("five_rock", "no_tick"),
        help="free guard zone rule of standard games; no server announces it (default: five_rock)",
    )
    command.add_argument(
        "--pattern", type=int, metavar="N", help="position of the guards in mixed doubles, from 0 to 5 (default: 0)"
    )
    _add_shared(command, "port, match, team, user, password", "in all extra ends together")


def _add_shared(command: argparse.ArgumentParser, names: str, extra_ends: str) -> None:
    command.add_argument(
        "--client",
        action="append",
        required=True,
        metavar="NAME=COMMAND",
        help=(
            "a client; repeat this for the others, two or more play a round robin. COMMAND starts it, in quotes, with "
            f"braces for what differs from game to game: host, {names}, name, seed. A planner of `bonspiel list`, such "
            "as champion, instead of NAME=COMMAND is played by `bonspiel client`"
        ),
    )
    command.add_argument(
        "--games",
        type=int,
        default=100,
        metavar="N",
        help="games per pair of clients, half of them with the hammer swapped (default: 100)",
    )
    command.add_argument("--ends", type=int, default=ENDS, metavar="N", help=f"ends of a game (default: {ENDS})")
    command.add_argument(
        "--clock",
        type=float,
        metavar="S",
        help=f"thinking time of a client in a game, in seconds (default: {CLOCK} an end)",
    )
    command.add_argument(
        "--extra-clock",
        type=float,
        default=CLOCK,
        metavar="S",
        help=f"thinking time of a client {extra_ends}, in seconds (default: {CLOCK})",
    )
    command.add_argument(
        "--noise",
        choices=("normal_dist", "none"),
        default="normal_dist",
        help="errors of execution, of both teams alike (default: normal_dist)",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    command.add_argument(
        "--start",
        type=float,
        default=START,
        metavar="S",
        help=f"seconds from its start in which a client must be ready for the match (default: {START:g})",
    )
    command.add_argument(
        "--jobs", type=int, metavar="N", help="games at the same time (default: one for every two cores)"
    )
    command.add_argument(
        "--cores",
        type=int,
        metavar="N",
        help="cores for each client, which may use no others (default: all cores divided by all clients at play)",
    )
    command.add_argument(
        "--out", type=Path, metavar="FOLDER", help="folder for the results (default: results/arena-A-vs-B)"
    )
    command.add_argument("--resume", action="store_true", help="continue the games in --out; more games extend them")
    command.add_argument(
        "--against-last",
        type=Path,
        metavar="FOLDER",
        help="an earlier arena with the same seed: compare each client with its version there, opponent by opponent",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object, and the tables on standard error")
