"""Shared by the protocols of the verb `client`: the run of a planner, and options."""

import argparse
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runs import interrupts
from runs.verbs.command_line import Parser

if TYPE_CHECKING:
    from curling.client.match_player import MatchPlayer
    from curling.client.message_log import MessageLog
    from curling.client.planner_process import PlannerProcess

LOGS = Path("results") / "client"
HOST = "127.0.0.1"
CONCEDE = (
    "concede when the planner's estimate of winning is below P (default: never); that of rulebased is a score of the "
    "board, no probability"
)
STATUSES = (
    "exit status: 0 the match is over, 1 the planner does not start, 2 bad usage, 3 no connection, "
    "4 the server broke the protocol or refused, 130 stopped"
)

Play = Callable[["PlannerProcess", "MessageLog"], Awaitable[None]]


def run(arguments: argparse.Namespace, play: Play) -> int:
    """Play one match with the planner and the log that the arguments ask for; the exit status.

    Raises:
        UsageError: the planner is unknown, a number is out of range, or the log cannot be written.
        RunError: the planner does not even start.
    """
    import asyncio

    from curling.client.exit_status import exit_status
    from curling.client.message_log import MessageLog, new_log
    from curling.client.planner_process import PlannerGone, PlannerProcess, PlannerRefused
    from runs.experiment import RunError, UsageError
    from runs.files import writing

    habits(arguments)  # checked before anything is started or written

    async def match() -> None:
        async with PlannerProcess(arguments.planner, arguments.seed) as planner:
            with writing(arguments.log or LOGS):
                log = MessageLog(arguments.log) if arguments.log else new_log(LOGS, arguments.protocol)
            with log:
                await play(planner, log)

    try:
        with interrupts.left_to_asyncio():
            return asyncio.run(exit_status(match()))
    except PlannerRefused as error:
        raise UsageError(f"--planner {arguments.planner}: {error}") from error
    except PlannerGone as error:
        raise RunError(f"--planner {arguments.planner}: {error}") from error


def team_name(arguments: argparse.Namespace) -> str:
    """The name of the team.

    Raises:
        UsageError: it is empty, or not text in UTF-8.
    """
    from runs.experiment import UsageError

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
    from runs.experiment import UsageError, number

    host = HOST if arguments.host is None else arguments.host
    if not host or "/" in host or any(letter.isspace() for letter in host):
        raise UsageError(f"--host={host!r}: must be the name or the address of a machine, such as {HOST}")
    port = arguments.usual_port if arguments.port is None else arguments.port
    return host, number("--port", port, 1, 65535, whole=True)


def match_player(
    arguments: argparse.Namespace, planner: "PlannerProcess", log: "MessageLog", report: Callable[[str], None]
) -> "MatchPlayer":
    """The player of a match, as configured by the arguments.

    Raises:
        UsageError: a number is out of range.
    """
    from curling.client.match_player import MatchPlayer
    from curling.client.time_manager import TimeManager

    given = habits(arguments)
    timing = TimeManager(fraction=given["fraction"], longest=given["longest"])
    return MatchPlayer(planner, timing, log, report, given["concede"])


def habits(arguments: argparse.Namespace) -> dict[str, Any]:
    """Options of the match player: `fraction` and `longest` of `TimeManager`, `concede` of `MatchPlayer`.

    Also checks the seed, which `PlannerProcess` takes.

    Raises:
        UsageError: out of range.
    """
    from curling.client.time_manager import FRACTION
    from runs.experiment import number

    def within(option: str, value: float | None, low: float, high: float) -> float | None:
        return None if value is None else float(number(option, value, low, high, whole=False))

    if arguments.seed is not None:
        number("--seed", arguments.seed, 0, 2**63, whole=True)
    return {
        "concede": within("--concede", arguments.concede, 0.0, 1.0),
        "longest": within("--max-seconds", arguments.max_seconds, 0.01, 1e6),
        "fraction": within("--time-fraction", arguments.time_fraction, 0.01, FRACTION),
    }


def check_names(encoded: Callable[[], bytes]) -> None:
    """Refuse names that a message cannot hold."""
    from curling.protocols import ProtocolError
    from runs.experiment import UsageError

    try:
        encoded()
    except ProtocolError as error:
        raise UsageError(str(error)) from error


def add_protocol(
    protocols: "argparse._SubParsersAction[Parser]",
    name: str,
    function: Callable[[argparse.Namespace], int],
    summary: str,
    example: str,
) -> Parser:
    """Add a protocol to the verb, without its options."""
    command = protocols.add_parser(
        name, help=summary, description=f"{summary}.", epilog=f"example: bonspiel client {name} {example} | {STATUSES}"
    )
    command.set_defaults(function=function)
    return command


def add_address(command: argparse.ArgumentParser, port: int, meaning: str) -> None:
    """Add the options of the server's address."""
    command.add_argument("--host", metavar="NAME", help=f"of the server (default: {HOST})")
    command.add_argument("--port", type=int, metavar="N", help=meaning)
    command.set_defaults(usual_port=port)


def add_habits(command: argparse.ArgumentParser, concede: str = CONCEDE) -> None:
    """Add the options of all protocols."""
    command.add_argument(
        "--planner", default="presearch", metavar="NAME[:key=value,...]", help="the planner (default: presearch)"
    )
    command.add_argument("--name", metavar="NAME", help="of the team (default: the planner's)")
    command.add_argument("--seed", type=int, metavar="N", help="of the planner's random draws (default: a new one)")
    command.add_argument(
        "--max-seconds", type=float, default=60.0, metavar="S", help="maximum for a move (default: 60)"
    )
    command.add_argument(
        "--time-fraction",
        type=float,
        default=0.95,
        metavar="F",
        help="share of its slice of the clock that a move may take (default and maximum: 0.95)",
    )
    command.add_argument("--concede", type=float, metavar="P", help=concede)
    command.add_argument(
        "--log",
        type=_file,
        metavar="FILE",
        help="file for all messages, one per line (default: results/client/PROTOCOL-TIME.jsonl)",
    )


def _file(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("must be the name of a file")
    return Path(text)
