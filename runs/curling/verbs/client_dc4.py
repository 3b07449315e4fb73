"""Digital Curling 4 in the verb `client`: matches, users and passwords."""

import argparse
import os
from typing import TYPE_CHECKING, Any
from uuid import UUID

from runs.curling.verbs.client_common import (
    add_address,
    add_habits,
    add_protocol,
    address,
    match_player,
    run,
    team_name,
)

if TYPE_CHECKING:
    from curling.client.dc4_connection import Account
    from curling.client.message_log import MessageLog
    from curling.client.planner_process import PlannerProcess
    from runs.verbs.command_line import Parser

RULES = "five_rock", "no_tick"
USER, PASSWORD = "DC4_USER", "DC4_PASSWORD"
NEW = {"ends": 10, "thinking_time": 219.0, "extra_end_time": 21.9}  # defaults of a new match


def dc4(arguments: argparse.Namespace) -> int:
    """Play a match of Digital Curling 4.

    Raises:
        UsageError: an option is missing or out of range, or the package dc4client is missing.
    """
    from curling.client import dc4
    from curling.client.console import print_error, print_line
    from curling.client.dc4_connection import ServerRefused, load_dc4client
    from curling.client.exit_status import PROTOCOL_ERROR
    from runs.experiment import UsageError

    try:
        load_dc4client()
    except ModuleNotFoundError as error:
        raise UsageError(str(error)) from error
    if arguments.concede is not None:
        raise UsageError("--concede: Digital Curling 4 has no way to concede")
    account, created, name = _login(arguments), _created(arguments), team_name(arguments)

    async def play(planner: "PlannerProcess", log: "MessageLog") -> None:
        match_id = arguments.match
        if match_id is None:
            match_id = await dc4.create_match(account, arguments.rule, **created)
            print_line(f"created; the other team joins with --match {match_id}")
        player, team = match_player(arguments, planner, log, print_line), int(arguments.team == "team1")
        await dc4.play_dc4(account, match_id, team, name, player, arguments.rule)

    try:
        return run(arguments, play)
    except ServerRefused as error:
        print_error(str(error))
        return PROTOCOL_ERROR


def add_dc4(protocols: "argparse._SubParsersAction[Parser]") -> None:
    """Add the protocol to those of the verb."""
    command = add_protocol(protocols, "dc4", dc4, "Digital Curling 4, over HTTP", "--host 127.0.0.1 --create --ends 8")
    add_address(command, 5000, "default: 5000")
    match = command.add_mutually_exclusive_group(required=True)
    match.add_argument("--match", type=_match_id, metavar="ID", help="of the match")
    match.add_argument("--create", action="store_true", help="play in a new match, and print its id")
    command.add_argument(
        "--team",
        choices=("team0", "team1"),
        default="team0",
        help="side to ask for; team1 throws last in the first end (default: team0)",
    )
    command.add_argument("--user", metavar="NAME", help=f"to log in with (default: the environment's {USER})")
    command.add_argument(
        "--password",
        metavar="WORD",
        help=f"to log in with; visible to others on this machine, so prefer to set {PASSWORD}",
    )
    command.add_argument(
        "--rule",
        choices=RULES,
        default="five_rock",
        help="of the match, which the server does not announce (default: five_rock)",
    )
    command.add_argument("--ends", type=int, metavar="N", help="of the new match, only with --create (default: 10)")
    command.add_argument(
        "--thinking-time",
        type=float,
        metavar="S",
        help="of each team in the new match, only with --create (default: 219)",
    )
    command.add_argument(
        "--extra-end-time",
        type=float,
        metavar="S",
        help="of each team in all its extra ends, only with --create (default: 21.9)",
    )
    add_habits(command, concede=argparse.SUPPRESS)


def _match_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be the id of a match, such as {UUID(int=0)}") from None


def _login(arguments: argparse.Namespace) -> "Account":
    """The account on the server.

    Raises:
        UsageError: no user or no password, or not ASCII.
    """
    from curling.client.dc4_connection import Account
    from runs.experiment import UsageError

    user, password = (
        os.environ.get(name) if given is None else given
        for name, given in ((USER, arguments.user), (PASSWORD, arguments.password))
    )
    if not user or ":" in user:
        raise UsageError(f"--user: give one without a colon, or set {USER}")
    if not password:
        raise UsageError(f"--password: set {PASSWORD}, or give one")
    if not (user + password).isascii():
        raise UsageError("--user, --password: only ASCII characters are allowed")
    host, port = address(arguments)
    return Account(f"[{host}]" if ":" in host else host, port, user, password)  # as in the address of a page


def _created(arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings of a new match, as `create_match` takes them.

    Raises:
        UsageError: out of range, or the match is not a new one.
    """
    from runs.experiment import UsageError, number

    given = {name: getattr(arguments, name) for name in NEW if getattr(arguments, name) is not None}
    if given and not arguments.create:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise UsageError(f"{options}: only for a new match (--create)")
    chosen = NEW | given
    return {
        "ends": number("--ends", chosen["ends"], 1, 100, whole=True),
        "seconds": float(number("--thinking-time", chosen["thinking_time"], 1, 1e6, whole=False)),
        "extra_seconds": float(number("--extra-end-time", chosen["extra_end_time"], 1, 1e6, whole=False)),
    }
