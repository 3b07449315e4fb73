"""The seats of a match of Digital Curling 4: who plays for which team, and with which players."""

from collections.abc import Sequence

import msgspec

from bonspiel.curling.protocols.dc4_server import Player, TeamConfig
from bonspiel.curling.records.match_data import Match
from bonspiel.curling.server.dc4.games import players_of
from bonspiel.curling.server.dc4.refusal import NO_SEAT, unauthorized


class Dc4Seats:
    """Two seats.

    Args:
        own: players of the server, for teams that bring none.
        match: that they are of.

    Attributes:
        names: of the teams; None until known.
        players: of each team, who throws each of its stones; empty until known.
    """

    def __init__(self, own: Sequence[Player], match: Match) -> None:
        self._own, self._match, self._reserved = own, match, False
        self._users: list[str | None] = [None, None]
        self.names: list[str | None] = [None, None]
        self.players: list[tuple[Player, ...]] = [(), ()]

    @property
    def complete(self) -> bool:
        """Return whether both teams are there, with their players."""
        return all(self.players)

    def team_of(self, user: str) -> int:
        """The team of a user.

        Raises:
            Refusal: the user has none.
        """
        if user not in self._users:
            raise unauthorized(NO_SEAT)
        return self._users.index(user)

    def is_free(self, team: int) -> bool:
        """Return whether nobody has the seat of a team."""
        return self._users[team] is None

    def reserve(self, users: Sequence[str]) -> None:
        """Give the seats of team 0 and team 1 to two users in advance; both play with the server's players then."""
        self._users[:], self._reserved = users, True

    def give_up(self, user: str) -> None:
        """Free the seat of a user, before the match begins."""
        team = self.team_of(user)
        self._users[team] = self.names[team] = None
        self.players[team] = ()

    def join(self, user: str, wanted: int, config: TeamConfig) -> int:
        """Give a user a seat, the wanted one if it is free, and take its configuration; a user keeps its seat.

        Returns:
            The team.

        Raises:
            Refusal: no seat is free, or players are missing or too many; the seat is taken all the same then.
        """
        if user not in self._users:
            free = [team for team in (wanted, 1 - wanted) if self._users[team] is None]
            if not free:
                raise unauthorized(NO_SEAT)
            self._users[free[0]] = user
        team = self.team_of(user)
        config = msgspec.structs.replace(config, use_default_config=config.use_default_config or self._reserved)
        self.players[team] = players_of(config, self._own, self._match)
        self.names[team] = config.team_name
        return team
