"""A person as a client of a lobby."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.server.client_connection import ClientConnection, ClientEvent
from bonspiel.curling.server.lobby import Lobby
from bonspiel.curling.server.pages.seat import Moves, Seat


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


def sit_down(make_person: Callable[[Seat], Person], lobby: Lobby, seat: Seat) -> Moves:
    """Join the next match of a lobby for a seat."""
    person = make_person(seat)
    lobby.assign(person, seat.team, person.name)
    return Moves(person.throw)
