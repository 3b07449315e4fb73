"""One match of Digital Curling 4: its seats, its listeners, its shots and its clock."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from http import HTTPStatus
from uuid import UUID

from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.protocols.console import count_ends
from bonspiel.curling.protocols.dc4_server import NewMatch, Player, SentState, Shot, TeamConfig
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.records.record import printable
from bonspiel.curling.records.umpire import Outcome
from bonspiel.curling.server.console_lines import result_line
from bonspiel.curling.server.dc4.games import NOT_FOR_STANDARD, with_players
from bonspiel.curling.server.dc4.listeners import Dc4Listeners
from bonspiel.curling.server.dc4.messages import TEAMS, move_of, score_lists, settings_of, state_of_match
from bonspiel.curling.server.dc4.referee import Dc4Referee
from bonspiel.curling.server.dc4.refusal import Refusal, conflict
from bonspiel.curling.server.dc4.seats import Dc4Seats
from bonspiel.curling.server.dc4.stream import Dc4Stream
from bonspiel.curling.server.server_context import RecordPublisher, ServerContext
from bonspiel.planners.core.code.errors import error_text
from bonspiel.planners.model import Array

NOT_BEGUN = "Not your turn: the match begins when both teams are there and listen."
FINISHED = "Match already finished."
SETUP_SECONDS = 600.0  # for the set-up of an end, before which no clock runs; a team that has left would keep the match


class Dc4Clock:
    """Measures one turn after the other.

    Args:
        now: s.
        time_up: called in the event loop when a turn is over its time.
    """

    def __init__(self, now: Callable[[], float], time_up: Callable[[], None]) -> None:
        self._now, self._time_up = now, time_up
        self._since = 0.0
        self._due: asyncio.TimerHandle | None = None

    def start(self, seconds: float | None) -> None:
        """Begin a turn of at most `seconds` seconds; None for no limit."""
        self._since = self._now()
        if seconds is not None:
            self._due = asyncio.get_running_loop().call_later(seconds, self._time_up)

    def stop(self) -> None:
        """End the turn."""
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def lasted(self, until: float) -> float:
        """The seconds from the beginning of the turn until a time."""
        return max(until - self._since, 0.0)


class Dc4Match:
    """One match, from its creation on.

    It begins when both teams have a configuration and a stream; then its clock runs, but not before an end of mixed
    doubles is set up.

    Args:
        match_id: its id.
        new: as created.
        context: of this match: its rules, model and thinking times.
        own: players of the server, for teams that bring none.
        late_shots: whether a team without time may throw on, and loses by this; else its time ends the match.

    Attributes:
        seats: of the teams.
        over: set when it is over.
    """

    def __init__(
        self, match_id: UUID, new: NewMatch, context: ServerContext, own: Sequence[Player], late_shots: bool
    ) -> None:
        self.id, self.new = match_id, new
        self.seats = Dc4Seats(own, context.match)
        self.over = asyncio.Event()
        self._context, self._late_shots = context, late_shots
        self._referee: Dc4Referee | None = None
        self._record: RecordPublisher | None = None
        self._number = 0
        self._turn = asyncio.Lock()
        self._clock = Dc4Clock(context.clock, self._time_up)
        clocks, score = [(limit, limit) for limit in context.times], score_lists(None, context.match.ends)
        self._settings = settings_of(context.match, None)  # of the current end
        first = state_of_match(0, 0, 0, clocks, score, no_stones(), settings=self._settings)
        self._listeners = Dc4Listeners(self.seats.names, first)

    @property
    def begun(self) -> bool:
        """Return whether it has begun."""
        return self._referee is not None

    @property
    def newest(self) -> SentState:
        """The newest state, as in an event."""
        return self._listeners.newest

    @property
    def streams(self) -> list[Dc4Stream]:
        """The open streams."""
        return self._listeners.streams

    def join(self, user: str, wanted: int, config: TeamConfig) -> int:
        """Give a user a seat; see `Dc4Seats.join`."""
        if self.begun:
            return self.seats.team_of(user)
        team = self.seats.join(user, wanted, config)
        self._report(f"{self._label(team)} is there")
        self._begin_when_ready()
        return team

    def listen(self, user: str | None) -> Dc4Stream:
        """Open a stream for a user with a seat, or for a viewer.

        Raises:
            Refusal: the user has no seat.
        """
        stream = Dc4Stream(None if user is None else self.seats.team_of(user))
        self.attach(stream)
        return stream

    def attach(self, stream: Dc4Stream) -> None:
        """Send a stream the states from now on; the match begins when both teams have one."""
        self._listeners.add(stream, hears=self.begun or stream.team is None)
        self._begin_when_ready()

    def leave(self, stream: Dc4Stream) -> None:
        """Forget a stream."""
        self.streams.remove(stream)

    async def throw(self, user: str, shot: Shot, arrived: float) -> None:
        """Play a shot that arrived at a time of the server's clock, s; returns when its state has been sent.

        Raises:
            Refusal: the match is over, the end is not set up, or it is not this user's turn.
        """
        async with self._turn:
            if self.over.is_set():
                raise conflict(FINISHED)
            referee = self._referee
            if self._settings is not None and (referee is None or referee.is_setup_due):
                raise conflict("End setup required.")
            team = self.seats.team_of(user)
            if referee is None:
                raise conflict(NOT_BEGUN)
            if team != referee.team:
                raise conflict("Not your turn.")
            self._clock.stop()
            seconds = self._clock.lasted(arrived)
            in_time = referee.charge(int(1000.0 * seconds))
            aim, thrown = referee.throw_of(shot)
            try:
                after = await self._context.executor.execute(referee.model, referee.state, thrown)
            except Exception as error:
                self.abandon(f"the server failed: {error_text(error)}")
                raise
            if self.over.is_set():  # the server was stopped meanwhile
                raise conflict(FINISHED)
            self._apply(referee, aim, thrown, after, seconds, in_time)

    def set_up_end(self, user: str, choice: str) -> None:
        """Set up the end by one of `curling.match.setup_value.CHOICES`.

        Raises:
            Refusal: the match is a standard one or over, the end has begun, or another team decides.
        """
        team, referee = self.seats.team_of(user), self._referee
        if self._settings is None:
            raise Refusal(HTTPStatus.BAD_REQUEST, NOT_FOR_STANDARD)
        if referee is None or self.over.is_set():
            raise conflict(FINISHED if self.over.is_set() else NOT_BEGUN)
        if not referee.is_setup_due:
            raise conflict("End already started.")
        if team != referee.team:
            raise conflict("Not your turn to setup positioned stones.")
        self._clock.stop()
        referee.set_up(choice)
        self._settings = settings_of(referee.match, referee)
        self._send(referee, referee.end, referee.shot, referee.team, referee.next_stones)
        self._start_clock()

    def abandon(self, reason: str) -> None:
        """End the match without a result, unless it is over, and end all streams."""
        self._clock.stop()
        if not self.over.is_set():
            self._report(f"abandoned: {reason}")
            self.over.set()
            if self._referee is not None:
                self._referee.abandon(reason)
        for stream in self.streams:
            stream.end()

    def _begin_when_ready(self) -> None:
        ready = self.seats.complete and {0, 1} <= self._listeners.teams
        if self.begun or self.over.is_set() or not ready:
            return
        context, self._number = self._context, next(self._context.numbers)
        self._record = context.new_record(self._number)
        players, names = self.seats.players, self.seats.names
        match = replace(context.match, players=(str(names[0]), str(names[1])), pair=self._number)
        match = with_players(match, players)
        rngs = context.error_rngs(self._number)
        referee = Dc4Referee(match, context.model, context.times, players, rngs, self._record.publish, context.start)
        self._referee = referee
        if context.start is not None:
            place = referee.end, referee.shot, referee.team
            score, self._settings = score_lists(referee, match.ends), settings_of(match, referee)
            given = *place, referee.clocks, score, referee.next_stones
            self._listeners.start_from(state_of_match(*given, settings=self._settings))
        self._report(f"{self._label(0)} against {self._label(1)}, {count_ends(match.ends)}, {self.id}")
        self._listeners.send_to_teams()
        self._start_clock()

    def _apply(
        self, referee: Dc4Referee, aim: Throw, thrown: Throw, after: Outcome, seconds: float, in_time: bool
    ) -> None:
        """Apply a shot, and send the state after it and, after the last shot of an end, that of the next end."""
        end, shot, mover = referee.end, referee.shot + 1, referee.team
        if in_time or not after.over:
            referee.apply_shot(aim, thrown, after, seconds)
        if not in_time:  # also with the last shot of the match, which the score would decide on the real server
            referee.lose_on_time(mover)
        self._send(referee, end, shot, None if shot == STONES else 1 - mover, after.stones, move_of(thrown))
        if referee.result is not None:
            self._end()
            return
        if shot == STONES:
            self._settings = settings_of(referee.match, referee)
            self._send(referee, referee.end, 0, referee.team, no_stones())
        self._start_clock()

    def _send(
        self, referee: Dc4Referee, end: int, shot: int, team: int | None, stones: Array, move: Shot | None = None
    ) -> None:
        """Send a new state to all listeners."""
        clocks, score, result = referee.clocks, score_lists(referee, referee.match.ends), referee.result
        # the protocol has no draw; it takes a hundred extra ends without a point
        winner = None if result is None else 1 if result.winner is None else result.winner
        state = state_of_match(end, shot, team, clocks, score, stones, move, winner, self._settings)
        self._listeners.send(state, begins_end=shot == 0)

    def _start_clock(self) -> None:
        """Let the clock of the team to move run from now on."""
        referee = self._referee
        assert referee is not None
        left = max(referee.remaining[referee.team] / 1000.0, 0.0)
        self._clock.start(None if self._late_shots else SETUP_SECONDS if referee.is_setup_due else left)

    def _time_up(self) -> None:
        """End the match of a team that has no time left; its shot counts as thrown."""
        referee = self._referee
        assert referee is not None
        end, shot, mover = referee.end, referee.shot + 1, referee.team
        if not referee.is_setup_due:  # before it no clock runs
            referee.charge(max(referee.remaining[mover], 0) + 1)
        referee.lose_on_time(mover)
        self._send(referee, end, shot, None if shot == STONES else 1 - mover, referee.next_stones)
        self._end()

    def _end(self) -> None:
        assert self._referee is not None and self._referee.result is not None and self._record is not None
        result = self._referee.result
        winner = None if result.winner is None else self._label(result.winner)
        self._report(result_line(result, winner, self._record.path))
        self.over.set()

    def _label(self, team: int) -> str:
        return f"{TEAMS[team]} {printable(self.seats.names[team] or '')}"

    def _report(self, text: str) -> None:
        self._context.report(f"match {self._number or self.id}: {text}")
