"""A tournament of clients as data, with the settings of its servers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bonspiel.curling.arena.clients import Client
from bonspiel.curling.game import CurlingGame
from bonspiel.curling.server.dc3 import READY_SECONDS
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.shot_executor import ShotExecutor
from bonspiel.curling.settings import MOST_ENDS
from bonspiel.runs.experiment import UsageError, number
from bonspiel.runs.games.game import CLOCK, ScheduledGame, Side
from bonspiel.runs.games.tournament import MOST_PLAYERS, Tournament, make_game

LONGEST = 100_000.0  # s of a clock


@dataclass(frozen=True)
class Arena(Tournament):
    """A round robin of clients, whose names stand for planners.

    Attributes:
        game: of curling.
        protocol: "dc3" or "dc4".
        clients: as in `sides`.
        times: thinking times.
        start_seconds: for a command to become ready.
    """

    game: CurlingGame
    protocol: str
    clients: tuple[Client, ...]
    times: ThinkingTimes
    start_seconds: float

    def client(self, name: str) -> Client:
        """The client with a name."""
        return next(client for client in self.clients if client.name == name)

    @property
    def extra_clock(self) -> float:
        """Thinking time in extra ends, s."""
        return self.times.extra_end / 1000.0

    def resolve(self) -> dict[str, str]:
        """The versions of the commands and the parameters of the planners, by name of the client, and of the game.

        With them the thinking time in extra ends, since the games depend on it too.

        Raises:
            UsageError: an unknown planner, or one that cannot play the game.
        """
        planners = tuple(side for side in self.sides if self.client(side.planner).planner is not None)
        own = replace(self, sides=planners)
        commands = {client.name: client.version for client in self.clients if client.planner is None}
        return super(Arena, own).resolve() | commands | {"--extra-clock": f"{self.extra_clock} s"}

    def to_json(self) -> dict[str, Any]:
        """The content of match.json."""
        clients = {client.name: client.words for client in self.clients}
        arena = {"protocol": self.protocol, "extra_clock": self.extra_clock, "clients": clients}
        return super().to_json() | {"arena": arena}

    def server(self, scheduled: ScheduledGame, executor: ShotExecutor) -> ServerContext:
        """The server of a game: each team's n-th throw has the same error in both games of a pair."""
        match, rng = self.game.match(scheduled), np.random.default_rng((scheduled.seed, scheduled.number))
        given = match, match.model(), self.times, executor, scheduled.seed, rng, "arena", print, "arena"
        return ServerContext(*given, numbers=iter([scheduled.pair]), errors_by_team=True)


def make_arena(
    protocol: str,
    clients: Sequence[Client],
    settings: dict[str, Any],
    mixed: bool,
    clock: float,
    extra_clock: float,
    start_seconds: float,
    seed: int,
) -> Arena:
    """An arena from the command line.

    Args:
        protocol: "dc3" or "dc4".
        clients: two or more.
        settings: parameters of the game.
        mixed: whether it is mixed doubles.
        clock: thinking time of a team in a match, s.
        extra_clock: in an extra end of Digital Curling 3, in all together of Digital Curling 4, s.
        start_seconds: for a client to become ready.
        seed: of all games.

    Raises:
        UsageError: out of range.
    """
    if not 2 <= len(clients) <= MOST_PLAYERS:
        raise UsageError(f"--client: given {len(clients)} times, must be from 2 to {MOST_PLAYERS}")
    number("--ends", settings["ends"], 1, MOST_ENDS, whole=True)
    clock = round(float(number("--clock", clock, 0.01, LONGEST, whole=False)), 3)
    extra_clock = float(number("--extra-clock", extra_clock, 0.01, LONGEST, whole=False))
    start_seconds = float(number("--start", start_seconds, 0.1, READY_SECONDS, whole=False))
    given = ",".join(f"{key}={value}" for key, value in (settings | {"extra_ends": MOST_ENDS}).items())
    name = f"{'mixed_doubles' if mixed else 'curling'}:{given}"
    times = ThinkingTimes(round(1000.0 * clock), round(1000.0 * extra_clock))
    sides = tuple(Side(client.name, clock, CLOCK) for client in clients)
    seed = number("--seed", seed, 0, 2**32 - 1, whole=True)
    game = make_game(name)
    assert isinstance(game, CurlingGame)
    return Arena(name, game, sides, seed, protocol, tuple(clients), times, start_seconds)
