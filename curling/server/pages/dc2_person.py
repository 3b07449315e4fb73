"""A person as a client of Digital Curling 2."""

from bonspiel.curling.protocols import dc2
from bonspiel.curling.protocols.dc2_codec import MAX_TEXT, decode_server, encode
from bonspiel.curling.protocols.dc2_coordinates import throw_from_sheet
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.server.pages.person import Person
from bonspiel.curling.server.pages.seat import NAME, Seat
from bonspiel.curling.server.referee import ThinkingTimes


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
            match decode_server(message):
                case dc2.IsReady():
                    self.greeted = True
                    self.answer(encode(dc2.ReadyOk()))
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
        return encode(dc2.BestShot(*throw_from_sheet(*aim)))

    def _end_turn(self) -> None:
        now = self.seat.clock()
        if self._mover is not None:
            self._left[self._mover] = max(self._left[self._mover] - (now - self._since), 0.0)
        self._since = now
