"""The verb `client`: a planner plays a match on a Digital Curling server."""

import argparse
import re
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from runs.curling.verbs import client_dc4
from runs.curling.verbs.client_common import (
    STATUSES,
    add_address,
    add_habits,
    add_protocol,
    address,
    check_names,
    match_player,
    run,
    team_name,
)
from runs.verbs.command_line import Parser, Verb

if TYPE_CHECKING:
    from curling.client.message_log import MessageLog
    from curling.client.planner_process import PlannerProcess


def dc3(arguments: argparse.Namespace) -> int:
    """Play a match of Digital Curling 3."""
    from curling.client import dc3
    from curling.client.connection import tcp_connection
    from curling.client.console import print_line
    from curling.protocols.dc3 import DcOk
    from curling.protocols.dc3_codec import encode

    name, (host, port) = team_name(arguments), address(arguments)
    check_names(lambda: encode(DcOk(name)))

    def play(planner: "PlannerProcess", log: "MessageLog") -> Awaitable[None]:
        server = tcp_connection(host, port, dc3.FORMAT, log)
        return dc3.play_dc3(server, name, match_player(arguments, planner, log, print_line))

    return run(arguments, play)


def dc2(arguments: argparse.Namespace) -> int:
    """Play a match of Digital Curling 2.

    Raises:
        UsageError: no such name, word or address.
    """
    from curling.client import dc2
    from curling.client.connection import stdio_connection, tcp_connection
    from curling.client.console import print_line, print_to_stderr
    from curling.protocols.dc2 import Login
    from curling.protocols.dc2_codec import encode
    from runs.experiment import UsageError

    if arguments.stdio and (arguments.host is not None or arguments.port is not None):
        raise UsageError("--stdio: leave out --host and --port, the server is at standard input and output")
    name, (host, port) = team_name(arguments), address(arguments)
    login = Login(arguments.id or name, arguments.password, name)
    for field in ("name", "id", "password"):
        if not re.fullmatch("[!-~]+", getattr(login, field)):
            raise UsageError(f"--{field}: must be one word of printable ASCII")
    check_names(lambda: encode(login))

    def play(planner: "PlannerProcess", log: "MessageLog") -> Awaitable[None]:
        server = stdio_connection(dc2.FORMAT, log) if arguments.stdio else tcp_connection(host, port, dc2.FORMAT, log)
        player = match_player(arguments, planner, log, print_to_stderr if arguments.stdio else print_line)
        return dc2.play_dc2(server, login, player, arguments.noise)

    return run(arguments, play)


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    command = verb(
        "client",
        dc3,
        "let a planner play on a Digital Curling server",
        f"bonspiel client dc3 --host 127.0.0.1 --port 10000 --planner presearch | {STATUSES}",
    )
    protocols = command.add_subparsers(dest="protocol", required=True, metavar="PROTOCOL", parser_class=Parser)
    _add_dc3(protocols)
    _add_dc2(protocols)
    client_dc4.add_dc4(protocols)


def _add_dc3(protocols: "argparse._SubParsersAction[Parser]") -> None:
    command = add_protocol(
        protocols, "dc3", dc3, "Digital Curling 3, over TCP", "--port 10001 --planner expectimax --max-seconds 5"
    )
    add_address(command, 10000, "one for each team (default: 10000, team0's)")
    add_habits(command)


def _add_dc2(protocols: "argparse._SubParsersAction[Parser]") -> None:
    command = add_protocol(
        protocols,
        "dc2",
        dc2,
        "Digital Curling 2, over TCP or standard input and output",
        "--host 127.0.0.1 --id ID --password WORD",
    )
    add_address(command, 9876, "default: 9876")
    command.add_argument("--stdio", action="store_true", help="talk to the server over standard input and output")
    command.add_argument("--id", metavar="ID", help="to log in with (default: the name)")
    command.add_argument("--password", default="none", metavar="WORD", help="to log in with (default: none)")
    command.add_argument(
        "--noise",
        choices=("dc2", "gat", "none"),
        default="dc2",
        help="errors of execution, which the protocol does not announce (default: dc2)",
    )
    add_habits(command)
