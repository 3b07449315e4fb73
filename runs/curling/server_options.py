"""The options of `bonspiel server`: those of each protocol on the command line, and their values."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """The options as given on the command line, unchecked; the defaults are for protocols without the option."""

    protocol: str
    port: int
    noise: str
    host: str
    engine: str
    seed: int | None
    matches: int | None
    records: Path
    watch: int | None
    watch_bind: str | None
    person: int | None
    physics: str
    ends: int = 1
    thinking_time: float = 219.0
    extra_end_time: float = 21.9
    rule: str = "five_rock"
    speed_sd: float | None = None
    angle_sd: float | None = None
    trajectory: int = 0
    users: Path | None = None
    server_name: Sequence[str] | None = None
    late_shots: bool = False
    mixed_players: str = "alike"


def add_dc3(command: argparse.ArgumentParser) -> None:
    """Add the options of Digital Curling 3."""
    command.set_defaults(physics="fcv1")
    _add_port(command, 10000, "port of team 0; team 1 has P + 1; 0: any free ports")
    _add_ends(command)
    command.add_argument(
        "--extra-end-time",
        type=float,
        default=21.9,
        metavar="S",
        help="thinking time of a team in an extra end, in seconds (default: %(default)s)",
    )
    command.add_argument(
        "--rule",
        choices=("five_rock", "four_rock"),
        default="five_rock",
        help="free guard zone rule (default: %(default)s)",
    )
    _add_noise(command, ("normal_dist", "none"), "errors of execution")
    _add_deviations(command)
    command.add_argument(
        "--trajectory",
        type=int,
        nargs="?",
        const=100,
        default=1000,
        metavar="MS",
        help=(
            "time between two frames of the stones' paths in milliseconds, 10 to 10,000 (100 without a number); 0: no "
            "paths (default: %(default)s)"
        ),
    )
    _add_shared(command)


def add_dc2(command: argparse.ArgumentParser) -> None:
    """Add the options of Digital Curling 2."""
    command.set_defaults(physics="dc2", rule="four_rock")
    _add_port(command, 9876, "port of both teams; 0: any free port")
    _add_ends(command)
    _add_noise(command, ("dc2", "gat", "none"), "errors of execution")
    _add_shared(command)


def add_dc4(command: argparse.ArgumentParser) -> None:
    """Add the options of Digital Curling 4."""
    _add_port(command, 5000, "port of all clients; 0: any free port")
    _add_noise(command, ("normal_dist", "none"), "errors of execution of the server's players")
    _add_deviations(command)
    _add_shared(command)
    command.add_argument(
        "--physics",
        choices=("dc4", "fcv1"),
        default="dc4",
        help=(
            "limits of play: dc4, those of recorded games, or fcv1, those of Digital Curling 3 (default: %(default)s)"
        ),
    )
    command.add_argument(
        "--users",
        type=Path,
        metavar="FILE",
        help="file of users, one NAME:PASSWORD per line (default: user0:pass0 and user1:pass1, on this machine only)",
    )
    command.add_argument(
        "--server-name",
        action="append",
        metavar="NAME",
        help="name of this server in the requests of other machines, as in http://NAME:5000; repeatable",
    )
    command.add_argument(
        "--late-shots",
        action="store_true",
        help="a team without time left loses when it throws its next shot (default: immediately)",
    )
    command.add_argument(
        "--mixed-players",
        choices=("alike", "example"),
        default="alike",
        help=(
            "the server's players in mixed doubles: alike, as in standard games, or as in the organisers' example "
            "(default: %(default)s)"
        ),
    )


def _add_port(command: argparse.ArgumentParser, default: int, meaning: str) -> None:
    command.add_argument("--port", type=int, default=default, metavar="P", help=f"{meaning} (default: %(default)s)")


def _add_noise(command: argparse.ArgumentParser, choices: Sequence[str], meaning: str) -> None:
    command.add_argument("--noise", choices=choices, default=choices[0], help=f"{meaning} (default: %(default)s)")


def _add_ends(command: argparse.ArgumentParser) -> None:
    command.add_argument("--ends", type=int, default=10, metavar="N", help="ends of a match (default: %(default)s)")
    command.add_argument(
        "--thinking-time",
        type=float,
        default=219.0,
        metavar="S",
        help="thinking time of a team in the match, in seconds (default: %(default)s)",
    )


def _add_deviations(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--speed-sd", type=float, metavar="SD", help="standard deviation of the speed, m/s (default: that of the noise)"
    )
    command.add_argument(
        "--angle-sd",
        type=float,
        metavar="SD",
        help="standard deviation of the direction, rad (default: that of the noise)",
    )


def _add_shared(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--bind",
        dest="host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to bind to; 0.0.0.0: all addresses of this machine (default: %(default)s)",
    )
    command.add_argument(
        "--engine",
        choices=("analytic", "box2d"),
        default="analytic",
        help="simulator of the stones (default: %(default)s)",
    )
    command.add_argument("--seed", type=int, metavar="N", help="random seed (default: a new one)")
    command.add_argument("--matches", type=int, metavar="N", help="stop after N matches (default: serve until stopped)")
    command.add_argument(
        "--records",
        type=Path,
        default=Path("results/server"),
        metavar="FOLDER",
        help="folder for the records of all matches (default: %(default)s)",
    )
    command.add_argument(
        "--watch",
        type=int,
        metavar="PORT",
        help="show the matches on a page at http://127.0.0.1:PORT (extra web); 0: any free port",
    )
    command.add_argument(
        "--watch-bind",
        metavar="ADDRESS",
        help=(
            "with --watch: address to bind the pages to, e.g. that of this machine in its network (default: 127.0.0.1)"
        ),
    )
    command.add_argument(
        "--person",
        type=int,
        choices=(0, 1),
        metavar="TEAM",
        help="with --watch: let a person play team 0 or 1 on a page; its address is printed",
    )
