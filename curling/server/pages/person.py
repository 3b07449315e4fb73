"""A person as a client of a lobby, in Digital Curling 2 and 3."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from bonspiel.curling.protocols import dc2, dc3
from bonspiel.curling.protocols.dc2_codec import MAX_TEXT
from bonspiel.curling.protocols.dc2_codec import decode_server as decode_dc2
from bonspiel.curling.protocols.dc2_codec import encode as encode_dc2
from bonspiel.curling.protocols.dc2_coordinates import throw_from_sheet
from bonspiel.curling.protocols.dc3_codec import MAX_CLIENT_LINE
from bonspiel.curling.protocols.dc3_codec import decode_server as decode_dc3
from bonspiel.curling.protocols.dc3_codec import encode as encode_dc3
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.server.client_connection import ClientConnection, ClientEvent
from bonspiel.curling.server.lobby import Lobby
from bonspiel.curling.server.pages.seat import NAME, Moves, Seat
from bonspiel.curling.server.referee import ThinkingTimes


class Person(ClientConnection, ABC):
    """A client without a connection: ready at once, and its throws come from a seat.

    All that the server demands of a client holds for it, its clock too.

    Attributes:
        greeted: whether the server has said something, as it does only where a match may begin.
        begun: whether the match has begun.
        to_move: whether the person has to throw.
        name: where clients are named before they join a match.
    """

    name: str | None = None

    def __init__(self, seat: Seat, end: bytes, longest: int) -> None:
        super().__init__(end, longest, seat.clock, lambda client: None)
        self.address = "the page"
        self.seat = seat
        self.greeted = self.begun = self.to_move = False

    @abstractmethod
    def shot(self, aim: Throw) -> bytes:
        """The message that throws."""

    def throw(self, aim: Throw, when: float) -> None:
        """Throw with an aim that arrived at a time, s, if it is this team's turn."""
        if self.to_move:
            self.to_move = False
            self.answer(self.shot(aim), when)

    def answer(self, message: bytes, when: float | None = None) -> None:
        """Send a message, by default now."""
        self.on_event(ClientEvent(message.removesuffix(self._end), self.seat.clock() if when is None else when))

    async def wait_drained(self) -> float:
        """The time; there is nothing to wait for."""
        return self.seat.clock()

    async def wait_lost(self, seconds: float) -> None:
        """Leave at once."""

    def close(self) -> None:
        """Leave the match."""
        super().close()
        if not self.begun:
            # a lobby turns away without a greeting
            self.seat.stand_up("the match did not begin" if self.greeted else "the server begins no more matches")


class Dc2Person(Person):
    """See `Person`.

    The server sends the clocks only to the team to move; while the other one moves, the page shows the last ones.
    """

    name = NAME

    def __init__(self, seat: Seat, times: ThinkingTimes) -> None:
        super().__init__(seat, b"\0", MAX_TEXT)
        self.id = NAME
        self._left = [times.match / 1000.0] * 2  # s
        self._mover: int | None = None  # whose turn it is
        self._since = seat.clock()

    def send(self, text: bytes) -> None:
        """Take messages of the server."""
        for message in text.split(b"\0")[:-1]:
            match decode_dc2(message):
                case dc2.IsReady():
                    self.greeted = True
                    self.answer(encode_dc2(dc2.ReadyOk()))
                case dc2.NewGame():
                    self.begun = True
                    self.seat.match_begun()
                case dc2.SetState() as state if state.end < state.last_end:
                    self._end_turn()
                    self._mover = state.to_move
                    if self._mover != self.seat.team:
                        self.seat.turn(self._left)
                case dc2.Go() as left:
                    self.to_move, self._left = True, [left.first_ms / 1000.0, left.second_ms / 1000.0]
                    self.seat.turn(self._left)

    def shot(self, aim: Throw) -> bytes:
        """See `Person`."""
        return encode_dc2(dc2.BestShot(*throw_from_sheet(*aim)))

    def _end_turn(self) -> None:
        now = self.seat.clock()
        if self._mover is not None:
            self._left[self._mover] = max(self._left[self._mover] - (now - self._since), 0.0)
        self._since = now


class Dc3Person(Person):
    """See `Person`."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat, b"\n", MAX_CLIENT_LINE)

    def send(self, text: bytes) -> None:
        """Take messages of the server."""
        for line in text.splitlines():
            match decode_dc3(line):
                case dc3.Dc():
                    self.greeted = True
                    self.answer(encode_dc3(dc3.DcOk(NAME)))
                case dc3.IsReady():
                    self.answer(encode_dc3(dc3.ReadyOk()))
                case dc3.NewGame():
                    self.begun = True
                    self.seat.match_begun()
                case dc3.Update(next_team=str(team), state=state):
                    self.to_move = team == f"team{self.seat.team}"
                    left = state.thinking_time_remaining
                    self.seat.turn((left.team0, left.team1))

    def shot(self, aim: Throw) -> bytes:
        """See `Person`."""
        return encode_dc3(dc3.Move(dc3.ShotMove(dc3.Velocity(aim[0], aim[1]), "ccw" if aim[2] > 0.0 else "cw")))


def sit_down(make_person: Callable[[Seat], Person], lobby: Lobby, seat: Seat) -> Moves:
    """Join the next match of a lobby for a seat."""
    person = make_person(seat)
    lobby.assign(person, seat.team, person.name)
    return Moves(person.throw)
