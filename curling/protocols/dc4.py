"""Digital Curling 4: HTTP with Basic authentication, and a stream of events from the server.

    POST /store-team-config       a team takes its side; the match starts when both have one and listen
    GET /matches/{id}/stream      every new state, as JSON in a `latest_state_update`; a client that connects later
                                  first receives the earlier states of the end, as `state_update`
    POST /shots                   a throw by the team `next_shot_team`; its clock runs from the state to the throw
    POST /matches/{id}/end-setup  the set-up of an end of mixed doubles by the team `end_setup_team`; no clock runs

Points are in the shot frame of `curling.ice.sheet`, stones in the order thrown, with (0, 0) where absent. The last shot
of an end is followed by a state with shot 16 and the stones at rest, then by the empty sheet of the next end. Team 1
has the hammer in the first end. Conceding is impossible, and so is a draw: ties go to extra ends until one is scored.
In mixed doubles the first stone of a team is the one set up, and the states before the set-up and after the last shot
have no number of a shot.

SIGN TRAP: the server clamps the absolute angular velocity of a throw to [pi/6, pi/2] and reverses its sign: positive is
clockwise. Everywhere else in this project a positive spin is counter-clockwise.

>>> [round(part, 3) for part in shot_request((0.0, 2.4), spin=1.0)]  # straight ahead, counter-clockwise
[2.4, -1.0, 1.571]
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Struct

from bonspiel.curling.ice.noise import Noise, Thrower
from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT, SET_UP_ROW, STONES, TEAM_STONES, no_stones
from bonspiel.curling.protocols import ProtocolError, decode_json
from bonspiel.curling.protocols.dc3 import Coordinate, PerTeam, Team
from bonspiel.planners.model import Array

# the two players of mixed doubles, the server's own and those of the organisers' example
DEFAULT_PLAYERS = Thrower(4.0, Noise(0.0076, 0.0018)), Thrower(4.0, Noise(0.0076, 0.0018))
EXAMPLE_PLAYERS = Thrower(4.0, Noise(0.08, 0.006)), Thrower(3.0, Noise(0.025, 0.0025))
LEAST_SPIN, MOST_SPIN = math.pi / 6.0, math.pi / 2.0  # rad/s, as the server clamps it

Points: TypeAlias = Annotated[int, Meta(ge=0, le=TEAM_STONES)]
Scores: TypeAlias = Annotated[tuple[Points, ...], Meta(min_length=2, max_length=256)]
Stones: TypeAlias = Annotated[tuple[Coordinate, ...], Meta(min_length=TEAM_STONES - SET_UP_ROW, max_length=TEAM_STONES)]


class StoneCoordinate(Struct, frozen=True):
    """The stones of both teams, m; (0, 0) where absent."""

    data: PerTeam[Stones]


class MixedDoublesSettings(Struct, frozen=True):
    """The part of a state that only mixed doubles has.

    Attributes:
        end_setup_team: team that decides the set-up of this end, or has decided it.
        positioned_stones_pattern: place of the guards, 0 to 5, in all ends.
        power_play_end: the ends in which the teams had their power plays; None as long as a team had none.
    """

    end_setup_team: Team
    positioned_stones_pattern: Annotated[int, Meta(ge=0, le=5)]
    power_play_end: PerTeam[int | None]


class StateUpdate(Struct, frozen=True):
    """The state of a match, as in an event.

    Attributes:
        end_number: number of the end, from 0; `ends` and more are extra ends.
        total_shot_number: number of the next shot in its end, 0..15; 16 when the end is over. In mixed doubles 0..9;
            None before the set-up and when the end is over.
        next_shot_team: team that throws it; None where nobody does.
        winner_team: None until the match is over; a team that runs out of time loses, whatever the score.
        stone_coordinate: the stones.
        score: points of each end, 0 until it is over; the last entry is the extra end that decided the match.
        first_team_remaining_time: of team 0, s.
        second_team_remaining_time: of team 1, s.
        first_team_extra_end_remaining_time: of team 0 for all extra ends together, s.
        second_team_extra_end_remaining_time: of team 1 for all extra ends together, s.
        mixed_doubles_settings: None in standard games.
        last_move: the shot that made this state; None before the first one of an end.
    """

    end_number: Annotated[int, Meta(ge=0, le=1000)]
    total_shot_number: Annotated[int, Meta(ge=0, le=STONES)] | None
    next_shot_team: Team | None
    winner_team: Team | None
    stone_coordinate: StoneCoordinate
    score: PerTeam[Scores]
    first_team_remaining_time: float
    second_team_remaining_time: float
    first_team_extra_end_remaining_time: float
    second_team_extra_end_remaining_time: float
    mixed_doubles_settings: MixedDoublesSettings | None = None
    last_move: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if len(self.score.team0) != len(self.score.team1):
            raise ValueError("score: as many ends of team0 as of team1")
        slots = [len(self.stone_coordinate.data[team]) for team in (0, 1)]
        if self.mixed_doubles_settings is None and (self.total_shot_number is None or min(slots) < TEAM_STONES):
            raise ValueError("total_shot_number, stone_coordinate: those of mixed doubles, without its settings")
        if self.shot > STONES:
            raise ValueError("total_shot_number: at most 10 in mixed doubles")
        thrown = self.setup_team is None and self.shot < STONES
        if thrown and self.next_shot_team is None and self.winner_team is None:
            raise ValueError("next_shot_team: missing although the end is not over")

    @property
    def ends(self) -> int:
        """Ends of the match without extra ends."""
        return len(self.score.team0) - 1

    @property
    def shot(self) -> int:
        """Number of the next shot, 0..15, in mixed doubles 0 before the set-up and then 6..15; 16 after an end."""
        if self.total_shot_number is None:
            return 0 if self.last_move is None else STONES
        return self.total_shot_number + (0 if self.mixed_doubles_settings is None else MIXED_FIRST_SHOT)

    @property
    def setup_team(self) -> Team | None:
        """The team that has to set up the end first."""
        settings = self.mixed_doubles_settings
        return settings.end_setup_team if settings is not None and self.shot == 0 else None

    @property
    def moment(self) -> tuple[bool, int, int]:
        """(whether the match is over, end, shot): increases from state to state."""
        return self.winner_team is not None, self.end_number, self.shot

    @property
    def is_extra_end(self) -> bool:
        """Return whether the current end is an extra end."""
        return self.end_number >= self.ends

    @property
    def hammer(self) -> int | None:
        """The team, 0 or 1, that throws second in this end; None when the end is over."""
        if self.next_shot_team is None:
            return None
        mover = int(self.next_shot_team == "team1")
        return mover if self.shot % 2 else 1 - mover

    @property
    def lead(self) -> int:
        """Points of team 0 less those of team 1."""
        return sum(self.score.team0) - sum(self.score.team1)

    def remaining(self, team: int) -> float:
        """Thinking time left to a team, 0 or 1, for the regular ends, or in an extra end for all extra ends, s."""
        regular = self.first_team_remaining_time, self.second_team_remaining_time
        extra = self.first_team_extra_end_remaining_time, self.second_team_extra_end_remaining_time
        return (extra if self.is_extra_end else regular)[team]


class ShotRequest(NamedTuple):
    """The content of `POST /shots`, a throw.

    Attributes:
        translational_velocity: speed, m/s; capped at the player's, usually 4.
        angular_velocity: rad/s, positive for clockwise (see the sign trap above).
        shot_angle: of the velocity, rad from +x: straight ahead is pi / 2.
    """

    translational_velocity: float
    angular_velocity: float
    shot_angle: float


_STATE = msgspec.json.Decoder(StateUpdate)


def decode_state(data: bytes | str) -> StateUpdate:
    """Decode the data of an event.

    Raises:
        ProtocolError: not a state of a match.
    """
    return decode_json(_STATE, data.encode("utf-8", "replace") if isinstance(data, str) else data)


def stones_of_update(state: StateUpdate) -> Array:
    """The stones of a state, [16, 2], m, NaN where absent; rows as in `curling.ice.sheet`."""
    first, stones = 0 if state.mixed_doubles_settings is None else SET_UP_ROW, no_stones()
    for team in (0, 1):
        slots = state.stone_coordinate.data[team][: TEAM_STONES - first]
        for row, point in enumerate(slots, TEAM_STONES * team + first):
            if (point.x, point.y) != (0.0, 0.0):
                stones[row] = point.x, point.y
    return stones


def shot_request(velocity: Sequence[float] | Array, spin: float) -> ShotRequest:
    """A throw in the terms of this project, converted for the server.

    Args:
        velocity: (vx, vy), m/s.
        spin: rad/s, positive for counter-clockwise; its absolute value is clamped to [pi/6, pi/2].

    Raises:
        ProtocolError: a number that is not finite.
    """
    vx, vy = (float(part) for part in velocity)
    if not all(map(math.isfinite, (vx, vy, spin))):
        raise ProtocolError(f"a throw of {vx:g}, {vy:g}, {spin:g}: must be finite")
    turning = min(max(abs(spin), LEAST_SPIN), MOST_SPIN)
    return ShotRequest(math.hypot(vx, vy), -turning if spin >= 0.0 else turning, math.atan2(vy, vx))
