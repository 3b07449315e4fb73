"""A person as a client of Digital Curling 3."""

from bonspiel.curling.protocols import dc3
from bonspiel.curling.protocols.dc3_codec import MAX_CLIENT_LINE, decode_server, encode
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.server.pages.person import Person
from bonspiel.curling.server.pages.seat import NAME, Seat


class Dc3Person(Person):
    """See `Person`."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat, b"\n", MAX_CLIENT_LINE)

    def send(self, text: bytes) -> None:
        """Take messages of the server."""
        for line in text.splitlines():
            match decode_server(line):
                case dc3.Dc():
                    self.greeted = True
                    self.answer(encode(dc3.DcOk(NAME)))
                case dc3.IsReady():
                    self.answer(encode(dc3.ReadyOk()))
                case dc3.NewGame():
                    self.begun = True
                    self.seat.match_begun()
                case dc3.Update(next_team=str(team), state=state):
                    self.to_move = team == f"team{self.seat.team}"
                    left = state.thinking_time_remaining
                    self.seat.turn((left.team0, left.team1))

    def shot(self, aim: Throw) -> bytes:
        """See `Person`."""
        return encode(dc3.Move(dc3.ShotMove(dc3.Velocity(aim[0], aim[1]), "ccw" if aim[2] > 0.0 else "cw")))
