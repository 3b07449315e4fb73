"""A person as a client of Digital Curling 3."""

from curling.match_data import Throw
from curling.protocols import dc3
from curling.protocols.dc3_codec import MAX_CLIENT_LINE, decode_server, encode
from curling.server.client_connection import ClientConnection, ClientEvent
from curling.server.lobby import Lobby
from curling.server.seat import NAME, Moves, Seat


class Dc3Person(ClientConnection):
    """A client without a connection: ready at once, and its throws come from a seat.

    All that the server demands of a client holds for it, its clock too.
    """

    def __init__(self, seat: Seat) -> None:
        super().__init__(b"\n", MAX_CLIENT_LINE, seat.clock, lambda client: None)
        self.address = "the page"
        self._seat, self._greeted, self._begun, self._to_move = seat, False, False, False

    def send(self, text: bytes) -> None:
        """Take messages of the server."""
        for line in text.splitlines():
            match decode_server(line):
                case dc3.Dc():
                    self._greeted = True
                    self._answer(dc3.DcOk(NAME), self._seat.clock())
                case dc3.IsReady():
                    self._answer(dc3.ReadyOk(), self._seat.clock())
                case dc3.NewGame():
                    self._begun = True
                    self._seat.match_begun()
                case dc3.Update(next_team=str(team), state=state):
                    self._to_move = team == f"team{self._seat.team}"
                    left = state.thinking_time_remaining
                    self._seat.turn((left.team0, left.team1))

    def throw(self, aim: Throw, when: float) -> None:
        """Throw, if it is this team's turn."""
        if self._to_move:
            self._to_move = False
            shot = dc3.ShotMove(dc3.Velocity(aim[0], aim[1]), "ccw" if aim[2] > 0.0 else "cw")
            self._answer(dc3.Move(shot), when)

    async def wait_drained(self) -> float:
        """The time; there is nothing to wait for."""
        return self._seat.clock()

    async def wait_lost(self, seconds: float) -> None:
        """Leave at once."""

    def close(self) -> None:
        """Leave the match."""
        super().close()
        if not self._begun:
            # a lobby turns away without a greeting
            self._seat.stand_up("the match did not begin" if self._greeted else "the server begins no more matches")

    def _answer(self, message: dc3.ClientMessage, when: float) -> None:
        self.on_event(ClientEvent(encode(message).removesuffix(b"\n"), when))


def sit_down(lobby: Lobby, seat: Seat) -> Moves:
    """Join the next match of a lobby for a seat."""
    person = Dc3Person(seat)
    lobby.assign(person, seat.team)
    return Moves(person.throw)
