"""Digital Curling 4: HTTP with Basic authentication, and a stream of events from the server.

    POST /store-team-config       a team takes its side; the match starts when both have one and listen
    GET /matches/{id}/stream      every new state, as JSON in a `latest_state_update`; a client that connects later
                                  first receives the earlier states of the end, as `state_update`
    POST /shots                   a throw by the team `next_shot_team`; its clock runs from the state to the throw

Points are in the shot frame of `curling.sheet`, stones in the order thrown, with (0, 0) where absent. The last shot
of an end is followed by a state with shot 16 and the stones at rest, then by the empty sheet of the next end. Team 1
has the hammer in the first end. Conceding is impossible, and so is a draw: ties go to extra ends until one is scored.

SIGN TRAP: the server clamps the absolute angular velocity of a throw to [pi/6, pi/2] and reverses its sign: positive is
clockwise. Everywhere else in this project a positive spin is counter-clockwise.

>>> [round(part, 3) for part in shot_request((0.0, 2.4), spin=1.0)]  # straight ahead, counter-clockwise
[2.4, -1.0, 1.571]
"""

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta, Struct

from curling.protocols import ProtocolError, decode_json
from curling.protocols.dc3 import Coordinate, PerTeam, Team
from curling.sheet import STONES, TEAM_STONES
from planners.base import Array

LEAST_SPIN, MOST_SPIN = math.pi / 6.0, math.pi / 2.0  # rad/s, as the server clamps it

Points: TypeAlias = Annotated[int, Meta(ge=0, le=TEAM_STONES)]
Scores: TypeAlias = Annotated[tuple[Points, ...], Meta(min_length=2, max_length=256)]
Stones: TypeAlias = Annotated[tuple[Coordinate, ...], Meta(min_length=TEAM_STONES, max_length=TEAM_STONES)]


class StoneCoordinate(Struct, frozen=True):
    """The stones of both teams, m; (0, 0) where absent."""

    data: PerTeam[Stones]


class MixedDoublesSettings(Struct, frozen=True):
    """What is particular to a match of mixed doubles.

    Attributes:
        end_setup_team: team that decides the set-up of this end, or has decided it.
        positioned_stones_pattern: place of the guards, 0 to 5, in all ends.
        power_play_end: the ends in which the teams had their power plays; None as long as a team had none.
    """

    end_setup_team: Team
    positioned_stones_pattern: int
    power_play_end: PerTeam[int | None]


class StateUpdate(Struct, frozen=True):
    """The state of a match, as in an event.

    Attributes:
        end_number: number of the end, from 0; `ends` and more are extra ends.
        total_shot_number: number of the next shot in its end, 0..15; 16 when the end is over.
        next_shot_team: team that throws it; None when the end is over.
        winner_team: None until the match is over; a team that runs out of time loses, whatever the score.
        stone_coordinate: the stones.
        score: points of each end, 0 until it is over; the last entry is the extra end that decided the match.
        first_team_remaining_time: of team 0, s.
        second_team_remaining_time: of team 1, s.
        first_team_extra_end_remaining_time: of team 0 for all extra ends together, s.
        second_team_extra_end_remaining_time: of team 1 for all extra ends together, s.
    """

    end_number: Annotated[int, Meta(ge=0, le=1000)]
    total_shot_number: Annotated[int, Meta(ge=0, le=STONES)]
    next_shot_team: Team | None
    winner_team: Team | None
    stone_coordinate: StoneCoordinate
    score: PerTeam[Scores]
    first_team_remaining_time: float
    second_team_remaining_time: float
    first_team_extra_end_remaining_time: float
    second_team_extra_end_remaining_time: float

    def __post_init__(self) -> None:
        if len(self.score.team0) != len(self.score.team1):
            raise ValueError("score: as many ends of team0 as of team1")
        if self.total_shot_number < STONES and self.next_shot_team is None and self.winner_team is None:
            raise ValueError("next_shot_team: missing although the end is not over")

    @property
    def ends(self) -> int:
        """Ends of the match without extra ends."""
        return len(self.score.team0) - 1

    @property
    def moment(self) -> tuple[int, int]:
        """(end, shot): increases from state to state."""
        return self.end_number, self.total_shot_number

    @property
    def is_extra_end(self) -> bool:
        """Whether the current end is an extra end."""
        return self.end_number >= self.ends

    @property
    def hammer(self) -> int | None:
        """The team, 0 or 1, that throws second in this end; None when the end is over."""
        if self.next_shot_team is None:
            return None
        mover = int(self.next_shot_team == "team1")
        return mover if self.total_shot_number % 2 else 1 - mover

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
        ProtocolError: not a state of a standard match (mixed doubles, with six stones a team, is not supported).
    """
    return decode_json(_STATE, data.encode("utf-8", "replace") if isinstance(data, str) else data)


def stones_of_update(state: StateUpdate) -> Array:
    """The stones of a state, [16, 2], m, NaN where absent; rows as in `curling.sheet`."""
    both = state.stone_coordinate.data
    stones = np.array([(point.x, point.y) for point in both.team0 + both.team1])
    stones[(stones == 0.0).all(axis=1)] = np.nan
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
