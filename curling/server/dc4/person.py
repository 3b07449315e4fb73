"""A person as a client of Digital Curling 4, who plays the matches that other clients create."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from bonspiel.curling.protocols.dc4 import MOST_SPIN, StateUpdate, decode_state, shot_request
from bonspiel.curling.protocols.dc4_server import Player, Shot, TeamConfig
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.server.dc4.match import Dc4Match
from bonspiel.curling.server.dc4.matches import Dc4Matches
from bonspiel.curling.server.dc4.refusal import Refusal
from bonspiel.curling.server.dc4.stream import Dc4Stream
from bonspiel.curling.server.pages.seat import NAME, Moves, Seat

USER = ":person"  # of the server; the names of those who log in have no colon
_NOBODY = Player(0.0, 0.0, 0.0, NAME)
CONFIG = TeamConfig(use_default_config=True, team_name=NAME, player1=_NOBODY, player2=_NOBODY)


class Dc4Person:
    """A person who waits in all matches in which the team of the seat is free, and plays the first that begins.

    All that the server demands of a client holds for the person, the clock too.
    """

    def __init__(self, seat: Seat, matches: Dc4Matches) -> None:
        self._seat, self._matches = seat, matches
        self._streams: dict[Dc4Match, Dc4Stream] = {}
        self._playing: Dc4Match | None = None
        self._is_waiting = False
        self._moves: set[asyncio.Task[None]] = set()
        matches.created = self._wait_in

    def sit_down(self) -> Moves:
        """Wait for a match."""
        self._playing, self._is_waiting = None, True
        for match in self._matches.waiting:
            self._wait_in(match)
        return Moves(self._throw, self._set_up)

    def _wait_in(self, match: Dc4Match) -> None:
        """Take the seat of a match and listen, if the person waits; the match may begin by this."""
        if self._is_waiting and match.seats.is_free(self._seat.team):
            match.join(USER, self._seat.team, CONFIG)
            stream = self._streams[match] = _PersonsStream(self._seat.team, lambda state: self._hear(match, state))
            match.attach(stream)

    def _hear(self, match: Dc4Match, state: StateUpdate | None) -> None:
        """Take the newest state of a match, which has begun; None at its end."""
        if state is None:
            self._leave(match)
            return
        if self._playing is None:
            self._playing, self._is_waiting = match, False
            self._seat.match_begun()
            for other in self._streams.keys() - {match}:
                other.seats.give_up(USER)
                self._leave(other)
        if state.winner_team is not None:
            self._leave(match)
        elif state.setup_team is not None or state.next_shot_team is not None:
            self._seat.turn([state.remaining(team) for team in (0, 1)])

    def _leave(self, match: Dc4Match) -> None:
        """Close the stream of a match, if it is open, but not while the match sends a state to its listeners."""
        stream = self._streams.pop(match, None)
        if stream is not None:
            asyncio.get_running_loop().call_soon(match.leave, stream)

    def _throw(self, aim: Throw, when: float) -> None:
        if self._playing is not None:
            shot = Shot(*shot_request(aim[:2], aim[2] * MOST_SPIN))
            task = asyncio.ensure_future(self._playing.throw(USER, shot, when))
            self._moves.add(task)
            task.add_done_callback(self._moved)

    def _moved(self, move: asyncio.Task[None]) -> None:
        self._moves.discard(move)
        if not move.cancelled():
            move.exception()  # out of turn; of a server that fails, the match says so

    def _set_up(self, choice: str) -> None:
        if self._playing is not None:
            with suppress(Refusal):  # out of turn
                self._playing.set_up_end(USER, choice)


class _PersonsStream(Dc4Stream):
    """A stream that keeps nothing: `hear` takes the newest state at once, and None at the end."""

    def __init__(self, team: int, hear: Callable[[StateUpdate | None], None]) -> None:
        super().__init__(team)
        self._hear = hear

    def send(self, *events: bytes) -> None:
        """See `Dc4Stream`."""
        self._hear(decode_state(events[-1].partition(b"data: ")[2]))

    def end(self) -> None:
        """See `Dc4Stream`."""
        self._hear(None)
