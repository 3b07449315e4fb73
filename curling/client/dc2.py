"""Plays a match on a server of Digital Curling 2."""

from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial

import numpy as np

from bonspiel.curling.client.connection import Connection, MessageFormat
from bonspiel.curling.client.exit_status import ConnectionLost
from bonspiel.curling.client.match_player import AimedShot, MatchPlayer
from bonspiel.curling.client.message_log import TO_SERVER, MessageLog
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.protocols import ProtocolError, dc2
from bonspiel.curling.protocols.dc2_codec import MAX_TEXT, decode_server, encode
from bonspiel.curling.protocols.dc2_coordinates import stones_of_position, throw_from_sheet
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.settings import MatchSettings

FIRST_TIME = 60.0  # s, assumed thinking time until the first Go
settings_of = partial(MatchSettings, reward="win_probability", physics="dc2", rule="four_rock")
VERDICTS = {"WIN": "won", "LOSE": "lost", "DRAW": "drawn"}


def _log(log: MessageLog, direction: str, text: bytes) -> None:
    words = text.removesuffix(b"\0").decode("ascii").split(" ")
    if direction == TO_SERVER and words[0] == "LOGIN":
        words[2] = "***"  # others may read the log
    log.write_value(direction, " ".join(words))


FORMAT = MessageFormat(decode_server, encode, b"\0", MAX_TEXT, _log)


@dataclass
class MatchTracker:
    """The state of a match, collected from its messages.

    Attributes:
        noise: "dc2", "gat" or "none", which the server does not announce.
        team: the own one, 0 for `NewGame.first`; None until it is known.
    """

    noise: str
    team: int | None = None
    reason: str = "score"
    _position: dc2.Position | None = None
    _state: dc2.SetState | None = None
    _lead: int = 0
    _total: tuple[int, int] = (0, 0)

    def update(self, message: dc2.ServerMessage) -> None:
        """Take a message that needs no answer."""
        match message:
            case dc2.Position():
                self._position = message
            case dc2.SetState():
                self._state = message
            case dc2.Score(points):
                self._lead += points
            case dc2.TotalScore(first, second):
                self._total = first, second
            case dc2.Timeout():
                self.reason = "time_limit"
            case dc2.RunShot():
                pass
            case _:
                raise ProtocolError(f"{type(message).__name__} received in the middle of a match")

    def own_turn(self) -> tuple[str, MatchPosition]:
        """End and shot for people, and the position for planners, when the own team is to throw.

        Raises:
            ProtocolError: the server has sent no position.
        """
        if self._position is None or self._state is None:
            raise ProtocolError("Go received before Position and SetState")
        state = self._state
        self.team = state.to_move
        first = self.team if state.shot % 2 == 0 else 1 - self.team
        stones = stones_of_position(self._position, first)
        position = self.match_position(stones, state.shot, 1 - first, state.last_end - state.end)
        return f"end {state.end + 1}, shot {state.shot + 1}", position

    def match_position(self, stones: np.ndarray, shot: int, hammer: int, ends: int) -> MatchPosition:
        """A position of this match; see `MatchPosition`."""
        settings = settings_of(ends=max(ends, 1), noise=self.noise)
        return MatchPosition(stones, shot, hammer, self._lead, settings=settings)

    def result(self, over: dc2.GameOver) -> str:
        """The result for people, own points first."""
        own, other = self._total if self.team != 1 else self._total[::-1]
        return f"{VERDICTS[over.result]} {own} : {other} ({'draw' if over.result == 'DRAW' else self.reason})"


async def play_dc2(
    server: AbstractAsyncContextManager[Connection], login: dc2.Login, player: MatchPlayer, noise: str
) -> None:
    """Play one match on a `tcp_connection` or `stdio_connection` with this protocol's `FORMAT`.

    Raises:
        ConnectionLost: the server is unreachable, or closed the connection before the match was over.
        ProtocolError: a message that the protocol does not allow there.
    """
    async with AsyncExitStack() as leaving:
        connection = await player.patience.server(leaving.enter_async_context(server), "the connection")
        player.timing.delay = connection.delay
        player.report(f"connected to {connection.address}")
        tracker = MatchTracker(noise)
        await _begin_match(connection, login, player, tracker)
        player.begun = True
        while not isinstance(message := await connection.receive(), dc2.GameOver):
            if not isinstance(message, dc2.Go):
                tracker.update(message)
                continue
            where, position = tracker.own_turn()
            remaining = (message.first_ms, message.second_ms)[position.team] / 1000.0
            player.learn_charge(remaining)

            async def send(shot: AimedShot | None) -> None:
                if shot is None:
                    tracker.reason = "concede"
                    await connection.send(dc2.Concede())
                else:
                    await connection.send(dc2.BestShot(*throw_from_sheet(*shot)))

            await connection.run_while_open(player.move(where, position, remaining, connection.received, send))
        player.report(tracker.result(message))
        try:
            await connection.expect(dc2.Disconnect)
        except ConnectionLost:
            player.log.write_note("closed without Disconnect")


async def _begin_match(connection: Connection, login: dc2.Login, player: MatchPlayer, tracker: MatchTracker) -> None:
    patience = player.patience
    await patience.server(connection.expect(dc2.Connected), "the server's greeting")
    _, delay = await patience.server(connection.request(login, dc2.LoginOk), "the answer to the login")
    patience.answered = True
    player.timing.learn_latency(delay)
    player.report("logged in; waiting for the other team")
    await patience.others(connection.expect(dc2.IsReady), "the other team")
    player.report("warming up")
    first_position = tracker.match_position(no_stones(), shot=0, hammer=1, ends=1)
    await connection.run_while_open(player.warm_up(first_position, FIRST_TIME))
    await connection.send(dc2.ReadyOk())
    player.report("ready; waiting for the other team")
    names = await patience.others(connection.expect(dc2.NewGame), "the other team")
    if names.first != names.second:
        tracker.team = int(login.name == names.second)
    player.report(f"{names.first!r} against {names.second!r}")
