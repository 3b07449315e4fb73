"""A match on a server of Digital Curling 3."""

from dataclasses import dataclass

import numpy as np
from msgspec import UNSET

from curling.client.connection import Connection, Tcp, Wire
from curling.client.console import length
from curling.client.log import MessageLog
from curling.client.situation import Situation
from curling.client.skip import Skip, Throw
from curling.client.status import ConnectionLost
from curling.protocols import ProtocolError, dc3
from curling.sheet import no_stones

PLAYERS = 4  # of a team, for two stones each in every end
SHOTS_EACH = 4  # of both teams, while the same players throw
SHEET_WIDTH = 4.75  # m, that planners know

WIRE = Wire(dc3.decode_server, dc3.encode, b"\n", dc3.MAX_SERVER_LINE, MessageLog.json)


@dataclass(frozen=True)
class Announced:
    """Which team the client is, and what is played, as the server announced it.

    Args:
        team: 0 or 1.
        game: the rest.

    Raises:
        ProtocolError: something that this client cannot play.
    """

    team: int
    game: dc3.Game

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        if self.game.rule != "normal":
            raise ProtocolError(f"rule {self.game.rule!r} is not known, only 'normal' is")
        if self.game.simulator.type != "fcv1":
            raise ProtocolError(f"simulator {self.game.simulator.type!r} is not known, only 'fcv1' is")
        if len(self._players) != PLAYERS:
            raise ProtocolError(f"{len(self._players)} players of the own team are announced, not {PLAYERS}")
        for player in self._players:
            if player.type not in ("normal_dist", "identical"):
                raise ProtocolError(f"player type {player.type!r} is not known, only 'normal_dist' and 'identical' are")
            if player.max_speed is not UNSET and player.max_speed <= 0.0:
                raise ProtocolError(f"a player's max_speed is {player.max_speed:g}, it must be above 0")
            if min(_noise(player)) < 0.0:
                raise ProtocolError("a player's standard deviation is below 0")

    @property
    def _players(self) -> dc3.Players:
        return self.game.players[self.team]

    def first(self) -> Situation:
        """The position before the first shot."""
        return self._situation(no_stones(), shot=0, hammer=1, lead=0, end=0)

    def situation(self, state: dc3.State) -> Situation:
        """A position of the match in which the own team throws next.

        Raises:
            ProtocolError: it is not its turn by the state.
        """
        if state.hammer is None:
            raise ProtocolError("a state that nobody has the hammer in, and no result")
        scores = [sum(points or 0 for points in state.scores[team]) for team in (0, 1)]
        situation = self._situation(
            dc3.stones(state), state.shot, int(state.hammer == "team1"), scores[0] - scores[1], state.end
        )
        if situation.team != self.team:
            raise ProtocolError(f"the own team is to move before shot {state.shot} of the other")
        return situation

    def _situation(self, stones: np.ndarray, shot: int, hammer: int, lead: int, end: int) -> Situation:
        setting, player = self.game.setting, self._players[shot // SHOTS_EACH]
        return Situation(
            stones,
            shot,
            hammer,
            lead,
            ends=max(setting.max_end - end, 1),
            ties_go_on=True,
            rule="five_rock" if setting.five_rock_rule else "four_rock",
            physics="fcv1",
            noise=_noise(player),
            max_speed=None if player.max_speed is UNSET else player.max_speed,
        )

    def where(self, state: dc3.State) -> str:
        """In words."""
        extra = state.end - self.game.setting.max_end
        end = f"end {state.end + 1}" if extra < 0 else f"extra end {extra + 1}"
        return f"{end}, shot {state.shot + 1}"

    def is_set_anew(self, state: dc3.State) -> bool:
        """Whether the clocks were just set to the time of an extra end."""
        return state.end >= self.game.setting.max_end and state.shot == 0


def _noise(player: dc3.Player) -> tuple[float, float]:
    if player.type == "identical":
        return 0.0, 0.0
    speed, angle = (
        getattr(dc3.NORMAL_DIST if getattr(player, name) is UNSET else player, name)
        for name in ("stddev_speed", "stddev_angle")
    )
    return speed, angle


async def play(server: Tcp, name: str, skip: Skip) -> None:
    """Play one match.

    Args:
        server: not yet connected, with this protocol's `WIRE`; it has a port for each team.
        name: of the client.
        skip: who decides.

    Raises:
        ConnectionLost: no server, or it closed the connection before the match was over.
        ProtocolError: a message that the protocol does not allow there, or a match that this client cannot play.
    """
    async with server as connection:
        skip.clock.delay = server.seconds
        skip.say(f"connected to {server.place}")
        match = await _sit_down(connection, name, skip)
        while (result := (state := (update := await connection.expect(dc3.Update)).state).game_result) is None:
            remaining = state.thinking_time_remaining[match.team]
            skip.clock_shows(None if match.is_set_anew(state) else remaining)
            if update.next_team == f"team{match.team}":
                await connection.during(
                    skip.move(
                        match.where(state),
                        match.situation(state),
                        remaining,
                        connection.received,
                        lambda throw: connection.send(_move(throw)),
                    )
                )
        skip.say(_result(match.team, state, result))
        try:
            await connection.expect(dc3.GameOver)
        except ConnectionLost as error:
            skip.log.note(f"the match was over already: {error}")


async def _sit_down(connection: Connection, name: str, skip: Skip) -> Announced:
    """All up to the first update."""
    await connection.expect(dc3.Dc)
    ready, delay = await connection.ask(dc3.DcOk(name), dc3.IsReady)
    skip.clock.answered(delay)
    match = Announced(int(ready.team == "team1"), ready.game)
    setting = ready.game.setting
    seconds = setting.thinking_time[match.team]
    skip.say(f"{ready.team} of a match of {length(setting.max_end)}, {seconds:g} s; warming up")
    if abs(setting.sheet_width - SHEET_WIDTH) > 1e-3:
        skip.complain(f"the sheet is {setting.sheet_width:g} m wide, planners take it for {SHEET_WIDTH} m")
    await connection.during(skip.warm_up(match.first(), seconds))
    await connection.send(dc3.ReadyOk())
    skip.say("ready; waiting for the other team")
    names = (await connection.expect(dc3.NewGame)).name
    skip.say(f"{names.team0!r} against {names.team1!r}")
    return match


def _move(throw: Throw | None) -> dc3.Move:
    if throw is None:
        return dc3.Move(dc3.Concede())
    return dc3.Move(dc3.Shot(dc3.Velocity(throw.vx, throw.vy), "ccw" if throw.rotation > 0.0 else "cw"))


def _result(team: int, state: dc3.State, result: dc3.GameResult) -> str:
    own, other = (
        sum(points or 0 for points in (*state.scores[side], state.extra_end_score[side])) for side in (team, 1 - team)
    )
    verdict = "drawn" if result.winner is None else "won" if result.winner == f"team{team}" else "lost"
    return f"{verdict} {own} : {other} ({result.reason})"
