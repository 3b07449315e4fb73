"""The options of `bonspiel server`: fields of a dataclass, with the command line in their metadata."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

RECORDS = Path("results/server")
SD = "standard deviation of the"
PATHS = "time between two frames of the stones' paths in milliseconds, 10 to 10,000 (100 without a number); 0: no paths"
WATCH = "show the matches on a page at http://127.0.0.1:PORT (extra web); 0: any free port"
WATCH_BIND = "with --watch: address to bind the pages to, e.g. that of this machine in its network"
PERSON = "with --watch: let a person play team 0 or 1 on a page; its address is printed"
USERS = "file of users, one NAME:PASSWORD per line (default: user0:pass0 and user1:pass1, on this machine only)"
LIMITS = "dc4", "fcv1"
NAMES = "name of this server in the requests of other machines, as in http://NAME:5000; repeatable"
LATE_SHOTS = "a team without time left loses when it throws its next shot (default: immediately)"

MIXED_PLAYERS = "the server's players in mixed doubles: alike, as in standard games, or as in the organisers' example"


def _option(meaning: str, metavar: str | None = None, default: Any = None, **given: Any) -> Any:
    return field(default=default, metadata={"help": meaning, "metavar": metavar, **given})


@dataclass(frozen=True)
class Options:
    """The options as given on the command line; unchecked. The defaults are those of Digital Curling 3."""

    protocol: str
    port: int = _option("port of team 0; team 1 has P + 1; 0: any free ports", "P", 10000, type=int)
    ends: int = _option("ends of a match", "N", 10, type=int)
    thinking_time: float = _option("thinking time of a team in the match, in seconds", "S", 219.0, type=float)
    extra_end_time: float = _option("thinking time of a team in an extra end, in seconds", "S", 21.9, type=float)
    rule: str = _option("free guard zone rule", None, "five_rock", choices=("five_rock", "four_rock"))
    noise: str = _option("errors of execution", None, "normal_dist", choices=("normal_dist", "none"))
    speed_sd: float | None = _option(f"{SD} speed, m/s (default: that of the noise)", "SD", type=float)
    angle_sd: float | None = _option(f"{SD} direction, rad (default: that of the noise)", "SD", type=float)
    trajectory: int = _option(PATHS, "MS", 1000, type=int, nargs="?", const=100)
    host: str = _option(
        "address to bind to; 0.0.0.0: all addresses of this machine", "ADDRESS", "127.0.0.1", flag="--bind"
    )
    engine: str = _option("simulator of the stones", None, "analytic", choices=("analytic", "box2d"))
    seed: int | None = _option("random seed (default: a new one)", "N", type=int)
    matches: int | None = _option("stop after N matches (default: serve until stopped)", "N", type=int)
    records: Path = _option("folder for the records of all matches", "FOLDER", RECORDS, type=Path)  # noqa: RUF009 - a field
    watch: int | None = _option(WATCH, "PORT", type=int)
    watch_bind: str | None = _option(f"{WATCH_BIND} (default: 127.0.0.1)", "ADDRESS")
    person: int | None = _option(PERSON, "TEAM", type=int, choices=(0, 1))
    physics: str = _option(
        "limits of play: dc4, those of recorded games, or fcv1, those of Digital Curling 3", None, "dc4", choices=LIMITS
    )
    users: Path | None = _option(USERS, "FILE", type=Path)  # noqa: RUF009 - a field
    server_name: Sequence[str] | None = _option(NAMES, "NAME", action="append")
    late_shots: bool = _option(LATE_SHOTS, action="store_true")
    mixed_players: str = _option(MIXED_PLAYERS, None, "alike", choices=("alike", "example"))


# by protocol: defaults other than those of Digital Curling 3, and fields without an option
CHANGES: dict[str, dict[str, dict[str, Any]]] = {
    "dc3": {},
    "dc2": {
        "port": {"default": 9876, "help": "port of both teams; 0: any free port"},
        "noise": {"default": "dc2", "choices": ("dc2", "gat", "none")},
    },
    "dc4": {
        "port": {"default": 5000, "help": "port of all clients; 0: any free port"},
        "noise": {"help": "errors of execution of the server's players"},
    },
}
FIXED: dict[str, dict[str, Any]] = {
    "dc3": {"physics": "fcv1", "users": None, "server_name": None, "late_shots": False, "mixed_players": "alike"},
    "dc2": {
        "physics": "dc2",
        "rule": "four_rock",
        "extra_end_time": 21.9,
        "speed_sd": None,
        "angle_sd": None,
        "trajectory": 0,
        "users": None,
        "server_name": None,
        "late_shots": False,
        "mixed_players": "alike",
    },
    "dc4": {"ends": 1, "thinking_time": 219.0, "extra_end_time": 21.9, "rule": "five_rock", "trajectory": 0},
}


def add_options(parser: argparse.ArgumentParser, protocol: str) -> None:
    """Add the options of a protocol, "dc3", "dc2" or "dc4", to a parser."""
    fixed, changes = FIXED[protocol], CHANGES[protocol]
    parser.set_defaults(**fixed)
    for one in fields(Options)[1:]:
        if one.name in fixed:
            continue
        given = {"default": one.default, **one.metadata, **changes.get(one.name, {})}
        if given["default"] not in (None, False):
            given["help"] += " (default: %(default)s)"
        if given["metavar"] is None:
            del given["metavar"]  # flags refuse it
        flag = given.pop("flag", f"--{one.name.replace('_', '-')}")
        parser.add_argument(flag, dest=one.name, **given)
