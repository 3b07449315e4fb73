"""Digital Curling 4 in the verb `client`: matches, users and passwords."""

import argparse
import os
from typing import TYPE_CHECKING, Any
from uuid import UUID

from bonspiel.curling.verbs.client_common import Protocols, add_player, add_protocol, address, run, team_name
from bonspiel.curling.verbs.server_options import NOISES
from bonspiel.runs.experiment import UsageError, number
from bonspiel.runs.verbs.options import flag, option, reader

if TYPE_CHECKING:
    from bonspiel.curling.client.dc4_connection import Account
    from bonspiel.curling.client.match_player import MatchPlayer
    from bonspiel.curling.ice.noise import Pair

USER, PASSWORD = "DC4_USER", "DC4_PASSWORD"
NEW = {"ends": 10, "thinking_time": 219.0, "extra_end_time": 21.9}  # defaults of a new match
PLAYERS = "alike", "example"  # of mixed doubles
MIXED = {"ends": 8, "pattern": 0}  # of one of mixed doubles


def dc4(arguments: argparse.Namespace) -> int:
    """Play a match of Digital Curling 4.

    Raises:
        UsageError: an option is missing or out of range, or the package dc4client is missing.
    """
    from bonspiel.curling.client import dc4
    from bonspiel.curling.client.dc4_connection import ServerRefused, load_dc4client
    from bonspiel.curling.client.exit_status import PROTOCOL_ERROR
    from bonspiel.curling.protocols.console import print_error, print_line

    try:
        load_dc4client()
    except ModuleNotFoundError as error:
        raise UsageError(str(error)) from error
    throwers, match_id, noise = _throwers(arguments), arguments.match, arguments.noise or dc4.NOISE
    if arguments.concede is not None:
        raise UsageError("--concede: Digital Curling 4 has no way to concede")
    account, rule, created, name = _login(arguments), _rule(arguments), _created(arguments), team_name(arguments)

    async def play(player: "MatchPlayer") -> None:
        nonlocal match_id
        if match_id is None:
            creating = dc4.create_match(account, rule, **created)
            match_id = await player.patience.server(creating, "the new match")
            print_line(f"created; the other team joins with --match {match_id}")
        await dc4.play_dc4(account, match_id, int(arguments.team == "team1"), name, player, rule, throwers, noise)

    try:
        return run(arguments, play, print_line)
    except ServerRefused as error:
        print_error(str(error))
        return PROTOCOL_ERROR


def add_dc4(protocols: Protocols) -> None:
    """Add the protocol to those of the verb."""
    command = add_protocol(
        protocols, "dc4", dc4, 5000, "Digital Curling 4, over HTTP", "--host 127.0.0.1 --create --ends 8"
    )
    match = command.add_mutually_exclusive_group(required=True)
    id_of_match = reader(UUID, f"the id of a match, such as {UUID(int=0)}")
    option(match, "--match", "ID", "id of the match to join", type=id_of_match)
    flag(match, "--create", "create a match, print its id and play in it")
    option(command, "--team", ("team0", "team1"), "team to play; team1 has the hammer in the first end", "team0")
    option(command, "--user", "NAME", f"user for the login (default: environment variable {USER})")
    text = f"password for the login, visible to users of this machine (default: environment variable {PASSWORD})"
    option(command, "--password", "WORD", text)
    option(command, "--game", ("standard", "mixed_doubles"), "game of the match", "standard")
    text = "free guard zone rule of a standard match; the server does not announce it (default: five_rock)"
    option(command, "--rule", ("five_rock", "no_tick"), text)
    option(command, "--ends", "N", "with --create: ends of the match (default: 10; in mixed doubles 8)")
    text = "with --create: position of the guards in mixed doubles, from 0 (nearest the house) to 5 (default: 0)"
    option(command, "--pattern", "N", text)
    text = "with --create: thinking time of a team in the match, in seconds (default: 219)"
    option(command, "--thinking-time", "S", text)
    text = "with --create: thinking time of a team in all extra ends together, in seconds (default: 21.9)"
    option(command, "--extra-end-time", "S", text)
    text = "errors of execution of all players; the server does not announce them (default: normal_dist)"
    option(command, "--noise", NOISES, text)
    text = "mixed doubles: this team's players, alike or as in the organisers' example (default: alike)"
    option(command, "--mixed-players", PLAYERS, text)
    option(command, "--opponents", PLAYERS, "mixed doubles: the other team's players (default: as --mixed-players)")
    add_player(command, can_concede=False)


def _login(arguments: argparse.Namespace) -> "Account":
    """The account on the server; a UsageError if there is no user or no password, or it is not ASCII."""
    from bonspiel.curling.client.dc4_connection import Account

    user = os.environ.get(USER) if arguments.user is None else arguments.user
    password = os.environ.get(PASSWORD) if arguments.password is None else arguments.password
    if not user or ":" in user:
        raise UsageError(f"--user: give one without a colon, or set {USER}")
    if not password:
        raise UsageError(f"--password: set {PASSWORD}, or give one")
    if not (user + password).isascii():
        raise UsageError("--user, --password: only ASCII characters are allowed")
    host, port = address(arguments)
    return Account(f"[{host}]" if ":" in host else host, port, user, password)  # as in the address of a page


def _created(arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings of a new match, as `create_match` takes them; a UsageError if they are out of range or not for one."""
    is_mixed = arguments.game == "mixed_doubles"
    given = {name: getattr(arguments, name) for name in NEW | MIXED if getattr(arguments, name) is not None}
    if given and not arguments.create:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise UsageError(f"{options}: only for a new match (--create)")
    if "pattern" in given and not is_mixed:
        raise UsageError("--pattern: only for --game mixed_doubles")
    chosen = NEW | (MIXED if is_mixed else {}) | given
    ends = number("--ends", chosen["ends"], 1, 100, whole=True)
    seconds = float(number("--thinking-time", chosen["thinking_time"], 1, 1e6, whole=False))
    extra_seconds = float(number("--extra-end-time", chosen["extra_end_time"], 1, 1e6, whole=False))
    pattern = number("--pattern", chosen.get("pattern", 0), 0, 5, whole=True)
    return {"ends": ends, "seconds": seconds, "extra_seconds": extra_seconds, "pattern": pattern}


def _throwers(arguments: argparse.Namespace) -> "tuple[Pair, Pair] | None":
    """The own players of mixed doubles and the other team's; a UsageError in standard games."""
    from bonspiel.curling.protocols.dc4 import DEFAULT_PLAYERS, EXAMPLE_PLAYERS

    if arguments.game == "standard":
        for option in ("mixed_players", "opponents"):
            if getattr(arguments, option) is not None:
                raise UsageError(f"--{option.replace('_', '-')}: only for --game mixed_doubles")
        return None
    if arguments.noise is not None:
        if arguments.mixed_players or arguments.opponents:
            raise UsageError("--noise: not with --mixed-players and --opponents, whose players have their own errors")
        return None
    players = {"alike": DEFAULT_PLAYERS, "example": EXAMPLE_PLAYERS}
    own = arguments.mixed_players or "alike"
    return players[own], players[arguments.opponents or own]


def _rule(arguments: argparse.Namespace) -> str:
    """The rule of the match, one of `curling.client.dc4.RULES`; a UsageError if it is of the other game."""
    if arguments.game == "standard":
        return str(arguments.rule or "five_rock")
    if arguments.rule is not None:
        raise UsageError("--rule: only for standard games, mixed doubles has a rule of its own")
    return "modified"
