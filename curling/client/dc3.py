"""Plays a match on a server of Digital Curling 3."""

from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial

import numpy as np
from msgspec import UNSET

from bonspiel.curling.client.connection import Connection, MessageFormat
from bonspiel.curling.client.exit_status import ConnectionLost
from bonspiel.curling.client.match_player import AimedShot, MatchPlayer
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.protocols import ProtocolError, check_kind, dc3
from bonspiel.curling.protocols.console import count_ends, describe_shot
from bonspiel.curling.protocols.dc3_codec import MAX_SERVER_LINE, decode_server, encode, stone_array
from bonspiel.curling.records.position import EXTRA_ENDS, MatchPosition
from bonspiel.curling.settings import MatchSettings

VERSION = 1  # of the protocol
PLAYERS = 4  # of a team; each throws two stones in every end
SHOTS_EACH = 4  # of both teams together, while the same two players throw
SHEET_WIDTH = 4.75  # m, as planners assume

settings_of = partial(MatchSettings, extra_ends=EXTRA_ENDS, reward="win_probability", physics="fcv1")
FORMAT = MessageFormat(decode_server, encode, b"\n", MAX_SERVER_LINE, MessageLog.write_json)


@dataclass(frozen=True)
class AnnouncedMatch:
    """The client's team, 0 or 1, and the rules of the match, as announced by the server.

    Raises:
        ProtocolError: a match that this client cannot play.
    """

    team: int
    game: dc3.GameInfo

    def __post_init__(self) -> None:
        if self.game.rule != "normal":
            raise ProtocolError(f"unknown rule {self.game.rule!r}, only 'normal' is supported")
        if self.game.simulator.type != "fcv1":
            raise ProtocolError(f"unknown simulator {self.game.simulator.type!r}, only 'fcv1' is supported")
        if len(self._players) != PLAYERS:
            raise ProtocolError(f"the own team has {len(self._players)} players, {PLAYERS} expected")
        for player in self._players:
            if player.type not in ("normal_dist", "identical"):
                raise ProtocolError(f"unknown player type {player.type!r}, must be 'normal_dist' or 'identical'")
            if player.max_speed is not UNSET and player.max_speed <= 0.0:
                raise ProtocolError(f"a player's max_speed is {player.max_speed:g}, must be above 0")
            if min(errors_of(player)) < 0.0:
                raise ProtocolError("a player's standard deviation is below 0")

    @property
    def _players(self) -> dc3.Players:
        return self.game.players[self.team]

    def first_position(self) -> MatchPosition:
        """The position before the first shot."""
        return self._position(no_stones(), shot=0, hammer=1, lead=0, end=0)

    def position(self, state: dc3.State) -> MatchPosition:
        """The position of a state in which the own team throws next.

        Raises:
            ProtocolError: the other team throws next.
        """
        if state.hammer is None:
            raise ProtocolError("a state without hammer and without result")
        scores = [sum(points or 0 for points in state.scores[team]) for team in (0, 1)]
        stones, hammer = stone_array(state.stones), int(state.hammer == "team1")
        position = self._position(stones, state.shot, hammer, scores[0] - scores[1], state.end)
        if position.team != self.team:
            raise ProtocolError(f"the own team is to move, but shot {state.shot + 1} is the other team's")
        return position

    def _position(self, stones: np.ndarray, shot: int, hammer: int, lead: int, end: int) -> MatchPosition:
        setting, player = self.game.setting, self._players[shot // SHOTS_EACH]
        ends, rule = max(setting.max_end - end, 1), "five_rock" if setting.five_rock_rule else "four_rock"
        max_speed = None if player.max_speed is UNSET else player.max_speed
        settings = settings_of(ends=ends, rule=rule, noise=Noise(*errors_of(player)), max_speed=max_speed)
        return MatchPosition(stones, shot, hammer, lead, settings=settings)


def errors_of(player: dc3.Player) -> tuple[float, float]:
    """Standard deviations of speed, m/s, and angle, rad."""
    if player.type == "identical":
        return 0.0, 0.0
    names, default = ("stddev_speed", "stddev_angle"), dc3.NORMAL_DIST
    speed, angle = (getattr(default if getattr(player, name) is UNSET else player, name) for name in names)
    return speed, angle


async def play_dc3(server: AbstractAsyncContextManager[Connection], name: str, player: MatchPlayer) -> None:
    """Play one match on a `tcp_connection` with this protocol's `FORMAT`; each team has its own port.

    Raises:
        ConnectionLost: the server is unreachable, or closed the connection before the match was over.
        ProtocolError: a message that the protocol does not allow there, or a match that this client cannot play.
    """
    async with AsyncExitStack() as leaving:
        connection = await player.patience.server(leaving.enter_async_context(server), "the connection")
        player.timing.delay = connection.delay
        player.report(f"connected to {connection.address}")
        match = await _begin_match(connection, name, player)
        player.begun = True
        ends, answered = match.game.setting.max_end, (-1, -1)
        while (result := (state := (update := await connection.expect(dc3.Update)).state).game_result) is None:
            if (state.end, state.shot) <= answered:  # the same update may come again; it asks for no second shot
                continue
            remaining = state.thinking_time_remaining[match.team]
            extra_end_begins = state.end >= ends and state.shot == 0  # and the clocks were reset
            player.learn_charge(None if extra_end_begins else remaining)
            if update.next_team == f"team{match.team}":
                answered = state.end, state.shot
                where = describe_shot(state.end, state.shot, ends)
                position, received = match.position(state), connection.received
                move = player.move(where, position, remaining, received, lambda shot: connection.send(_move(shot)))
                await connection.run_while_open(move)
        player.report(_result(match.team, state, result))
        try:
            while isinstance(check_kind(await connection.receive(), dc3.GameOver, dc3.Update), dc3.Update):
                pass
        except ConnectionLost as error:
            player.log.write_note(f"the match was already over: {error}")


async def _begin_match(connection: Connection, name: str, player: MatchPlayer) -> AnnouncedMatch:
    greeting = await player.patience.server(connection.expect(dc3.Dc), "the server's greeting")
    if greeting.version.major != VERSION:
        spoken = f"{greeting.version.major}.{greeting.version.minor}"
        raise ProtocolError(f"the server speaks version {spoken} of the protocol, only {VERSION}.x is supported")
    ready, delay = await player.patience.server(
        connection.request(dc3.DcOk(name), dc3.IsReady), "the announcement of the match"
    )
    player.patience.answered = True
    player.timing.learn_latency(delay)
    match = AnnouncedMatch(int(ready.team == "team1"), ready.game)
    setting = ready.game.setting
    seconds = setting.thinking_time[match.team]
    player.report(f"{ready.team} of a match of {count_ends(setting.max_end)}, {seconds:g} s; warming up")
    if abs(setting.sheet_width - SHEET_WIDTH) > 1e-3:
        player.warn(f"the sheet is {setting.sheet_width:g} m wide, planners assume {SHEET_WIDTH} m")
    await connection.run_while_open(player.warm_up(match.first_position(), seconds))
    await connection.send(dc3.ReadyOk())
    player.report("ready; waiting for the other team")
    names = (await player.patience.others(connection.expect(dc3.NewGame), "the other team")).name
    player.report(f"{names.team0!r} against {names.team1!r}")
    return match


def _move(shot: AimedShot | None) -> dc3.Move:
    if shot is None:
        return dc3.Move(dc3.Concede())
    return dc3.Move(dc3.ShotMove(dc3.Velocity(shot.vx, shot.vy), "ccw" if shot.rotation > 0.0 else "cw"))


def _result(team: int, state: dc3.State, result: dc3.GameResult) -> str:
    points = [(*state.scores[side], state.extra_end_score[side]) for side in (team, 1 - team)]
    own, other = (sum(filter(None, ends)) for ends in points)
    verdict = "drawn" if result.winner is None else "won" if result.winner == f"team{team}" else "lost"
    return f"{verdict} {own} : {other} ({result.reason})"
