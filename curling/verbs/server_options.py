"""The options of `bonspiel server`: those of each protocol on the command line, and their values."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bonspiel.runs.verbs.options import flag, option

NOISES = "normal_dist", "human", "none"  # of physics fcv1, whose import takes long


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
    option(command, "--port", "P", "port of team 0; team 1 has P + 1; 0: any free ports", 10000)
    _add_ends(command)
    option(command, "--extra-end-time", "S", "thinking time of a team in an extra end, in seconds", 21.9)
    option(command, "--rule", ("five_rock", "four_rock"), "free guard zone rule", "five_rock")
    option(command, "--noise", NOISES, "errors of execution", "normal_dist")
    _add_deviations(command)
    option(
        command,
        "--trajectory",
        "MS",
        (
            "time between two frames of the stones' paths in milliseconds, 10 to 10,000 (100 without a number); 0: no "
            "paths"
        ),
        1000,
        nargs="?",
        const=100,
    )
    _add_shared(command)


def add_dc2(command: argparse.ArgumentParser) -> None:
    """Add the options of Digital Curling 2."""
    command.set_defaults(physics="dc2", rule="four_rock")
    option(command, "--port", "P", "port of both teams; 0: any free port", 9876)
    _add_ends(command)
    option(command, "--noise", ("dc2", "gat", "none"), "errors of execution", "dc2")
    _add_shared(command)


def add_dc4(command: argparse.ArgumentParser) -> None:
    """Add the options of Digital Curling 4."""
    option(command, "--port", "P", "port of all clients; 0: any free port", 5000)
    text = (
        "errors of execution of the server's players; the tails of human are also those of players that clients bring"
    )
    option(command, "--noise", NOISES, text, "normal_dist")
    _add_deviations(command)
    _add_shared(command)
    text = "limits of play: dc4, those of recorded games, or fcv1, those of Digital Curling 3"
    option(command, "--physics", ("dc4", "fcv1"), text, "dc4")
    text = "file of users, one NAME:PASSWORD per line (default: user0:pass0 and user1:pass1, on this machine only)"
    option(command, "--users", "FILE", text)
    text = "name of this server in the requests of other machines, as in http://NAME:5000; repeatable"
    option(command, "--server-name", "NAME", text, action="append")
    flag(command, "--late-shots", "a team without time left loses when it throws its next shot (default: immediately)")
    text = "the server's players in mixed doubles: alike, as in standard games, or as in the organisers' example"
    option(command, "--mixed-players", ("alike", "example"), text, "alike")


def _add_ends(command: argparse.ArgumentParser) -> None:
    option(command, "--ends", "N", "ends of a match", 10)
    option(command, "--thinking-time", "S", "thinking time of a team in the match, in seconds", 219.0)


def _add_deviations(command: argparse.ArgumentParser) -> None:
    option(command, "--speed-sd", "SD", "standard deviation of the speed, m/s (default: that of the noise)")
    option(command, "--angle-sd", "SD", "standard deviation of the direction, rad (default: that of the noise)")


def _add_shared(command: argparse.ArgumentParser) -> None:
    text = "address to bind to; 0.0.0.0: all addresses of this machine"
    option(command, "--bind", "ADDRESS", text, "127.0.0.1", dest="host")
    option(command, "--engine", ("analytic", "box2d"), "simulator of the stones", "analytic")
    option(command, "--seed", "N", "random seed (default: a new one)")
    option(command, "--matches", "N", "stop after N matches (default: serve until stopped)")
    option(command, "--records", "FOLDER", "folder for the records of all matches", Path("results/server"))
    option(
        command, "--watch", "PORT", "show the matches on a page at http://127.0.0.1:PORT (extra web); 0: any free port"
    )
    text = "with --watch: address to bind the pages to, e.g. that of this machine in its network (default: 127.0.0.1)"
    option(command, "--watch-bind", "ADDRESS", text)
    text = "with --watch: let a person play team 0 or 1 on a page; its address is printed"
    option(command, "--person", (0, 1), text, type=int, metavar="TEAM")
