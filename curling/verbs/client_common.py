"""Shared by the protocols of the verb `client`: the run of a planner, and options."""

import argparse
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bonspiel.runs import interrupts
from bonspiel.runs.experiment import RunError, UsageError, number
from bonspiel.runs.files import writing
from bonspiel.runs.verbs.command_line import PLANNER, Command, Parser
from bonspiel.runs.verbs.options import flag, option

if TYPE_CHECKING:
    from bonspiel.curling.client.match_player import MatchPlayer

LOGS = Path("results") / "client"
HOST = "127.0.0.1"
WAIT = 60.0  # s
EQUALS = (
    "The printed win probability assumes two equally strong teams: against a weaker one, such as rulebased, it is far "
    "too low."
)
STATUSES = (
    "exit status: 0 the match is over, 1 the planner does not start, 2 invalid command line, 3 no connection, "
    "4 the server broke the protocol or refused, 130 stopped"
)

Play = Callable[["MatchPlayer"], Awaitable[None]]
Protocols: TypeAlias = "argparse._SubParsersAction[Parser]"


def run(arguments: argparse.Namespace, play: Play, report: Callable[[str], None]) -> int:
    """Play one match with the player that the arguments configure; the exit status.

    `play` connects and plays; it is called again while the server is not up. `report` takes lines for the user.

    Raises:
        UsageError: the planner is unknown, a number is out of range, or the log cannot be written.
        RunError: the planner does not even start.
    """
    from bonspiel.curling.child_process import PlannerGone
    from bonspiel.curling.client.exit_status import exit_status
    from bonspiel.curling.client.match_player import MatchPlayer
    from bonspiel.curling.client.message_log import MessageLog, new_log
    from bonspiel.curling.client.planning.planner_process import PlannerProcess
    from bonspiel.curling.client.planning.time_manager import FRACTION, TimeManager
    from bonspiel.curling.client.planning.worker_process import PlannerRefused
    from bonspiel.curling.client.reconnection import play_when_up

    # checked before anything is started or written
    if arguments.seed is not None:
        number("--seed", arguments.seed, 0, 2**63, whole=True)
    if arguments.concede is not None:
        number("--concede", arguments.concede, 0, 1, whole=False)
    longest = number("--max-seconds", arguments.max_seconds, 0.01, 1e6, whole=False)
    fraction = number("--time-fraction", arguments.time_fraction, 0.01, FRACTION, whole=False)

    wait = number("--wait", WAIT if arguments.wait is None else arguments.wait, 0, 1e6, whole=False)

    async def match() -> None:
        async with PlannerProcess(arguments.planner, arguments.seed) as planner:
            with writing(arguments.log or LOGS):
                log = MessageLog(arguments.log) if arguments.log else new_log(LOGS, arguments.protocol)
            with log:
                timing = TimeManager(fraction=fraction, longest=longest)
                player = MatchPlayer(planner, timing, log, report, arguments.concede, arguments.strict)
                await play_when_up(lambda: play(player), player, wait)

    try:
        return interrupts.run_async(exit_status(match()))
    except PlannerRefused as error:
        raise UsageError(f"--planner {arguments.planner}: {error}") from error
    except PlannerGone as error:
        raise RunError(f"--planner {arguments.planner}: {error}") from error


def team_name(arguments: argparse.Namespace) -> str:
    """The name of the team.

    Raises:
        UsageError: it is empty, or not text in UTF-8.
    """
    if arguments.name is None:
        return str(arguments.planner.partition(":")[0])
    if not arguments.name.strip():
        raise UsageError("--name: must not be empty")
    try:
        arguments.name.encode()
    except UnicodeEncodeError:
        raise UsageError("--name: must be text in UTF-8") from None
    return str(arguments.name)


def address(arguments: argparse.Namespace) -> tuple[str, int]:
    """Host and port of the server.

    Raises:
        UsageError: one of them is not valid.
    """
    host = HOST if arguments.host is None else arguments.host
    if not host or "/" in host or any(letter.isspace() for letter in host):
        raise UsageError(f"--host={host!r}: must be the name or the address of a machine, such as {HOST}")
    port = arguments.usual_port if arguments.port is None else arguments.port
    return host, number("--port", port, 1, 65535, whole=True)


def check_names(encoded: Callable[[], bytes]) -> None:
    """Refuse names that a message cannot hold."""
    from bonspiel.curling.protocols import ProtocolError

    try:
        encoded()
    except ProtocolError as error:
        raise UsageError(str(error)) from error


def add_protocol(protocols: Protocols, name: str, play: Command, port: int, summary: str, example: str) -> Parser:
    """Add a protocol with the server's address to the verb; `port` is the default."""
    example = f"example: bonspiel client {name} {example} ({STATUSES})"
    command = protocols.add_parser(name, help=summary, description=f"{summary}. {EQUALS}", epilog=example)
    command.set_defaults(function=play, usual_port=port)
    option(command, "--host", "NAME", f"name or address of the server (default: {HOST})")
    option(
        command,
        "--port",
        "N",
        f"port of the server, one per team (default: that of team0: {port})"
        if name == "dc3"
        else f"port of the server (default: {port})",
    )
    text = f"seconds to wait for a server that is down, silent or stops before the match (default: {WAIT:g})"
    option(command, "--wait", "S", text)
    return command


def add_player(command: Parser, can_concede: bool = True) -> None:
    """Add the options of the player, which all protocols share; help leaves `--concede` out where it is an error."""
    text = "planner, or process:COMMAND for your own program, see docs/curling/process-player.md"
    option(command, "--planner", PLANNER, text, "champion")
    option(command, "--name", "NAME", "name of the team (default: that of the planner)")
    option(command, "--seed", "N", "random seed of the planner (default: a new one)")
    option(command, "--max-seconds", "S", "maximum time per decision in seconds", 60.0)
    text = "fraction that a decision may use of its share of the remaining time (default and maximum: 0.95)"
    option(command, "--time-fraction", "F", text, 0.95)
    never = "concede if the win probability is below P (default: never)"
    option(command, "--concede", "P", never if can_concede else argparse.SUPPRESS, type=float)
    flag(command, "--strict", "do not play a match before which the planner fails (default: with rule-based shots)")
    text = "file for the log of all messages, one per line (default: results/client/PROTOCOL-TIME.jsonl)"
    option(command, "--log", "FILE", text, type=_file)


def _file(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("must be the name of a file")
    return Path(text)
