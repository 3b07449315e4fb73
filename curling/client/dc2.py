"""A match on a server of Digital Curling 2."""

import numpy as np

from curling.client.connection import Connection, Standard, Tcp, Wire
from curling.client.log import TO_SERVER, MessageLog
from curling.client.situation import Situation
from curling.client.skip import Skip, Throw
from curling.client.status import ConnectionLost
from curling.protocols import ProtocolError, dc2
from curling.sheet import no_stones

FIRST_TIME = 60.0  # s, taken for the thinking time until the server tells
VERDICTS = {"WIN": "won", "LOSE": "lost", "DRAW": "drawn"}


def _log(log: MessageLog, direction: str, text: bytes) -> None:
    words = text.removesuffix(b"\0").decode("ascii").split(" ")
    if direction == TO_SERVER and words[0] == "LOGIN":
        words[2] = "***"  # a log may be shown to others
    log.text(direction, " ".join(words))


WIRE = Wire(dc2.decode_server, dc2.encode, b"\0", dc2.MAX_TEXT, _log)


class Board:
    """What the messages of a match have told so far.

    Args:
        noise: one of `curling.noise.NOISES`, which the server does not announce.

    Attributes:
        team: the own one, 0 for `NewGame.first`; None until it is known.
    """

    def __init__(self, noise: str) -> None:
        """Before the first message."""
        self.noise = noise
        self.team: int | None = None
        self._position: dc2.Position | None = None
        self._state: dc2.SetState | None = None
        self._lead = 0
        self._total = (0, 0)
        self._reason = "score"

    def take(self, message: dc2.ServerMessage) -> None:
        """Learn from a message that asks for nothing."""
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
                self._reason = "time_limit"
            case dc2.RunShot():
                pass
            case _:
                raise ProtocolError(f"{type(message).__name__} came in the middle of a match")

    def on_turn(self) -> tuple[str, Situation]:
        """Where the own team is to throw, in words and for planners.

        Raises:
            ProtocolError: the server did not tell.
        """
        if self._position is None or self._state is None:
            raise ProtocolError("Go came before Position and SetState")
        state = self._state
        self.team = state.to_move
        first = self.team if state.shot % 2 == 0 else 1 - self.team
        situation = self.situation(dc2.stones(self._position, first), state.shot, 1 - first, state.last_end - state.end)
        return f"end {state.end + 1}, shot {state.shot + 1}", situation

    def situation(self, stones: np.ndarray, shot: int, hammer: int, ends: int) -> Situation:
        """Any position of the match."""
        return Situation(
            stones,
            shot,
            hammer,
            self._lead,
            max(ends, 1),
            ties_go_on=False,
            rule="four_rock",
            physics="dc2",
            noise=self.noise,
        )

    def gave_up(self) -> None:
        """The own team concedes."""
        self._reason = "concede"

    def result(self, over: dc2.GameOver) -> str:
        """In words, with the own points first."""
        own, other = self._total if self.team != 1 else self._total[::-1]
        return f"{VERDICTS[over.result]} {own} : {other} ({'draw' if over.result == 'DRAW' else self._reason})"


async def play(server: Tcp | Standard, login: dc2.Login, skip: Skip, noise: str) -> None:
    """Play one match.

    Args:
        server: not yet connected, with this protocol's `WIRE`.
        login: who plays.
        skip: who decides.
        noise: "dc2", "gat" or "none".

    Raises:
        ConnectionLost: no server, or it closed the connection before the match was over.
        ProtocolError: a message that the protocol does not allow there.
    """
    async with server as connection:
        skip.clock.delay = server.seconds
        skip.say(f"connected to {server.place}")
        board = Board(noise)
        await _sit_down(connection, login, skip, board)
        while not isinstance(message := await connection.receive(), dc2.GameOver):
            if not isinstance(message, dc2.Go):
                board.take(message)
                continue
            where, situation = board.on_turn()
            remaining = (message.first_ms, message.second_ms)[situation.team] / 1000.0
            skip.clock_shows(remaining)

            async def send(throw: Throw | None) -> None:
                if throw is None:
                    board.gave_up()
                    await connection.send(dc2.Concede())
                else:
                    await connection.send(dc2.BestShot(*dc2.throw_from_sheet(*throw)))

            await connection.during(skip.move(where, situation, remaining, connection.received, send))
        skip.say(board.result(message))
        try:
            await connection.expect(dc2.Disconnect)
        except ConnectionLost:
            skip.log.note("closed without Disconnect")


async def _sit_down(connection: Connection, login: dc2.Login, skip: Skip, board: Board) -> None:
    """All up to the first position."""
    await connection.expect(dc2.Connected)
    _, delay = await connection.ask(login, dc2.LoginOk)
    skip.clock.answered(delay)
    skip.say("logged in; waiting for the other team")
    await connection.expect(dc2.IsReady)
    skip.say("warming up")
    await connection.during(skip.warm_up(board.situation(no_stones(), shot=0, hammer=1, ends=1), FIRST_TIME))
    await connection.send(dc2.ReadyOk())
    skip.say("ready; waiting for the other team")
    names = await connection.expect(dc2.NewGame)
    if names.first != names.second:
        board.team = int(login.name == names.second)
    skip.say(f"{names.first!r} against {names.second!r}")
