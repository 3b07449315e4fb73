"""The listeners of a match of Digital Curling 4, and the states that they receive."""

import msgspec

from bonspiel.curling.protocols.dc4_server import SentState, event
from bonspiel.curling.server.dc4.stream import Dc4Stream


class Dc4Listeners:
    """The open streams of a match, and the states of its current end.

    Args:
        names: of the teams, filled in as they become known.
        first: the first state of the match.

    Attributes:
        streams: that are open.
    """

    def __init__(self, names: list[str | None], first: SentState) -> None:
        self.streams: list[Dc4Stream] = []
        self._names, self._sent = names, [first]

    @property
    def teams(self) -> set[int | None]:
        """The teams that listen; None for viewers."""
        return {stream.team for stream in self.streams}

    @property
    def newest(self) -> SentState:
        """The newest state, as in an event."""
        return self._present(self._sent[-1])

    def start_from(self, state: SentState) -> None:
        """Forget the first state of a match that begins with another one, before the teams get it."""
        self._sent[:] = [state]

    def add(self, stream: Dc4Stream, *, hears: bool) -> None:
        """Add a stream; `hears` whether it gets the states of the end at once."""
        self.streams.append(stream)
        if hears:
            stream.send(*self._replay())

    def send_to_teams(self) -> None:
        """Send the states of the end to the teams, which have got nothing yet."""
        for stream in self.streams:
            if stream.team is not None:
                stream.send(*self._replay())

    def send(self, state: SentState, *, begins_end: bool = False) -> None:
        """Send a new state to all."""
        if begins_end:
            self._sent.clear()
        self._sent.append(state)
        data = event(self.newest)
        for stream in self.streams:
            stream.send(data)

    def _replay(self) -> list[bytes]:
        last = len(self._sent) - 1
        return [event(self._present(state), number == last) for number, state in enumerate(self._sent)]

    def _present(self, state: SentState) -> SentState:
        """A state with the names, score and power plays of now, as the server sends also old ones."""
        newest, names = self._sent[-1], dict(zip(("first_team_name", "second_team_name"), self._names, strict=True))
        settings = newest.mixed_doubles_settings
        return msgspec.structs.replace(state, **names, score=newest.score, mixed_doubles_settings=settings)
