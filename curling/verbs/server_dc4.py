"""`bonspiel server dc4`: its users, and its run."""

import ipaddress
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.records.match_data import Match
from bonspiel.curling.records.umpire import first_state, outcome
from bonspiel.curling.server.dc4.games import mixed_doubles
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.verbs.server_options import Options
from bonspiel.curling.verbs.server_pages import Pages
from bonspiel.curling.web_extra import needing_web
from bonspiel.runs.experiment import UsageError

DEFAULT_USERS = {"user0": "pass0", "user1": "pass1"}


def prepared(options: Options) -> Callable[[ServerContext, Pages], Coroutine[Any, Any, int | None]]:
    """A function that serves matches in a context, which pages show, and returns the signal that ended it, or None.

    Raises:
        UsageError: there are no users, or a package is missing.
    """
    users = users_of(options.users, options.host)
    with needing_web("Digital Curling 4", "dc4"):
        from bonspiel.curling.protocols.dc4 import EXAMPLE_PLAYERS
        from bonspiel.curling.protocols.dc4_server import Player
        from bonspiel.curling.server.dc4.app import serve_dc4
        from bonspiel.curling.server.dc4.matches import Dc4Matches
        from bonspiel.curling.server.dc4.person import Dc4Person

    async def serve(context: ServerContext, pages: Pages) -> int | None:
        _warm_up(context.match)
        noise, law = noise_of(context.match.noise), context.model.law
        player = Player(law.max_speed, noise.speed, noise.angle, "default")
        for line in pages.lines:
            context.report(line)
        mixed = [Player(one.max_speed, one.noise.speed, one.noise.angle, "example") for one in EXAMPLE_PLAYERS]
        chosen = mixed if options.mixed_players == "example" else None
        matches = Dc4Matches(context, player, options.late_shots, options.matches, chosen)
        if pages.seat is not None:
            pages.seat.open(Dc4Person(pages.seat, matches).sit_down)
        names = [name.lower() for name in options.server_name or ()]
        return await serve_dc4(matches, users, options.host, options.port, names)

    return serve


def users_of(file: Path | None, host: str) -> dict[str, str]:
    """The passwords of a file by the names of their users; without one the public defaults, on this machine alone.

    Raises:
        UsageError: the file cannot be read, or has no users, or one is missing.
    """
    if file is None:
        if not _is_loopback(host):
            raise UsageError(f"--bind {host}: give --users FILE, the default passwords are for this machine alone")
        return DEFAULT_USERS
    try:
        lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--users {file}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    for number, line in enumerate(lines, 1):
        if not all(line.partition(":")):
            raise UsageError(f"--users {file}, line {number}: must be NAME:PASSWORD")
    if not lines:
        raise UsageError(f"--users {file}: has no users, a line NAME:PASSWORD for each")
    return dict(line.split(":", 1) for line in lines)


def _warm_up(settings: Match) -> None:
    """Set up and throw once: the code of mixed doubles is loaded at its first use, and others would wait."""
    model = mixed_doubles(settings).model()
    begun = model.begin_end(first_state(model), "center_guard")
    outcome(model, begun, (*model.law.tee_draw, model.law.launch_spin), settings.engine)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
