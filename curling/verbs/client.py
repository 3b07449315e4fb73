"""The verb `client`: a planner plays a match on a Digital Curling server."""

import argparse
import re
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from bonspiel.curling.verbs import client_dc4
from bonspiel.curling.verbs.client_common import (
    STATUSES,
    add_player,
    add_protocol,
    address,
    check_names,
    run,
    team_name,
)
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.verbs.command_line import Parser, Verb
from bonspiel.runs.verbs.options import flag, option

if TYPE_CHECKING:
    from bonspiel.curling.client.match_player import MatchPlayer


def dc3(arguments: argparse.Namespace) -> int:
    """Play a match of Digital Curling 3."""
    from bonspiel.curling.client import dc3
    from bonspiel.curling.client.connection import tcp_connection
    from bonspiel.curling.protocols.console import print_line
    from bonspiel.curling.protocols.dc3 import DcOk
    from bonspiel.curling.protocols.dc3_codec import encode

    name, (host, port) = team_name(arguments), address(arguments)
    check_names(lambda: encode(DcOk(name)))

    def play(player: "MatchPlayer") -> Awaitable[None]:
        return dc3.play_dc3(tcp_connection(host, port, dc3.FORMAT, player.log), name, player)

    return run(arguments, play, print_line)


def dc2(arguments: argparse.Namespace) -> int:
    """Play a match of Digital Curling 2.

    Raises:
        UsageError: no such name, word or address.
    """
    from bonspiel.curling.client import dc2
    from bonspiel.curling.client.connection import stdio_connection, tcp_connection
    from bonspiel.curling.client.planning.patience import Patience
    from bonspiel.curling.protocols.console import print_line, print_to_stderr
    from bonspiel.curling.protocols.dc2 import Login
    from bonspiel.curling.protocols.dc2_codec import encode

    if arguments.stdio:
        if (arguments.host, arguments.port, arguments.wait) != (None, None, None):
            raise UsageError("--stdio: leave out --host, --port and --wait, the server is at standard input and output")
        arguments.wait = 0.0
    name, (host, port) = team_name(arguments), address(arguments)
    login = Login(arguments.id or name, arguments.password, name)
    for field in ("name", "id", "password"):
        if not re.fullmatch("[!-~]+", getattr(login, field)):
            raise UsageError(f"--{field}: must be one word of printable ASCII")
    check_names(lambda: encode(login))

    def play(player: "MatchPlayer") -> Awaitable[None]:
        log, stdio = player.log, arguments.stdio
        if stdio:  # the server started this client, and may begin when it likes
            player.patience = Patience(player.report)
        server = stdio_connection(dc2.FORMAT, log) if stdio else tcp_connection(host, port, dc2.FORMAT, log)
        return dc2.play_dc2(server, login, player, arguments.noise)

    return run(arguments, play, print_to_stderr if arguments.stdio else print_line)


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "let a planner play a match on a Digital Curling server"
    example = f"bonspiel client dc3 --host 127.0.0.1 --port 10000 --name mine ({STATUSES})"
    command = verb("client", dc3, summary, example)
    protocols = command.add_subparsers(dest="protocol", required=True, metavar="PROTOCOL", parser_class=Parser)
    command = add_protocol(
        protocols, "dc3", dc3, 10000, "Digital Curling 3, over TCP", "--port 10001 --planner expectimax --max-seconds 5"
    )
    add_player(command)
    command = add_protocol(
        protocols,
        "dc2",
        dc2,
        9876,
        "Digital Curling 2, over TCP or standard input and output",
        "--host 127.0.0.1 --id ID --password WORD",
    )
    flag(command, "--stdio", "talk to the server over standard input and output")
    option(command, "--id", "ID", "id for the login (default: the name of the team)")
    option(command, "--password", "WORD", "password for the login", "none")
    text = "errors of execution that the planner expects; the protocol does not announce them"
    option(command, "--noise", ("dc2", "gat", "none"), text, "dc2")
    add_player(command)
    client_dc4.add_dc4(protocols)
