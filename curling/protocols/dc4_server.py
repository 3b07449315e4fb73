"""What a server of Digital Curling 4 takes and tells; `curling.protocols.dc4` describes the protocol.

Requests are checked as the server checks them: unknown fields are ignored, and few numbers have a range.
"""

import re
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from bonspiel.curling.protocols import Finite, ProtocolError, Thrown
from bonspiel.curling.protocols.dc3 import PerTeam, Team
from bonspiel.curling.protocols.dc4 import MixedDoublesSettings
from bonspiel.curling.settings import MOST_ENDS

Name = Annotated[str, Meta(max_length=256)]
Places = tuple[dict[str, float], ...]
T = TypeVar("T")


class Tournament(Struct, frozen=True):
    """The tournament of a match."""

    tournament_name: Name


class SimulatorName(Struct, frozen=True):
    """The simulator of a match."""

    simulator_name: Name


class NewMatch(Finite, frozen=True):
    """The body of `POST /matches`; times are in s."""

    game_mode: Literal["standard", "mixed_doubles"]
    tournament: Tournament
    simulator: SimulatorName
    applied_rule: Literal["fgz_rule", "no_tick_rule", "modified_fgz_rule"]
    time_limit: float
    extra_end_time_limit: float
    standard_end_count: Annotated[int, Meta(ge=1, le=MOST_ENDS)]
    match_name: Name
    positioned_stones_pattern: int | None = None


class Player(Finite, frozen=True):
    """A player: largest speed of an aim, m/s, and standard deviations of speed, m/s, and direction, rad."""

    max_velocity: float
    shot_std_dev: float
    angle_std_dev: float
    player_name: Name


class TeamConfig(Struct, frozen=True):
    """The body of `POST /store-team-config`."""

    use_default_config: bool
    team_name: Name
    player1: Player
    player2: Player
    player3: Player | None = None
    player4: Player | None = None


class Shot(Finite, frozen=True):
    """The body of `POST /shots`, or the last move in an event; see `curling.protocols.dc4.ShotRequest`.

    In an event the spin is positive for counter-clockwise, in a request for clockwise.
    """

    translational_velocity: Thrown
    angular_velocity: float
    shot_angle: Thrown


class ToldStones(Struct, frozen=True):
    """The stones of both teams, m; (0, 0) where absent."""

    data: PerTeam[Places]


class ToldState(Struct, frozen=True):
    """The data of an event; see `curling.protocols.dc4.StateUpdate`."""

    winner_team: Team | None
    first_team_name: str | None
    second_team_name: str | None
    end_number: int
    team_shot_number: int | None
    total_shot_number: int | None
    next_shot_team: Team | None
    first_team_remaining_time: float
    second_team_remaining_time: float
    first_team_extra_end_remaining_time: float
    second_team_extra_end_remaining_time: float
    mixed_doubles_settings: MixedDoublesSettings | None
    last_move: Shot | None
    stone_coordinate: ToldStones
    score: PerTeam[tuple[int, ...]]


class InvalidBody(ProtocolError):
    """A body of the wrong type.

    Attributes:
        kind: "missing" or "value_error".
        where: names of the field, from the outside in.
    """

    def __init__(self, kind: str, text: str, *where: str) -> None:
        super().__init__(text)
        self.kind, self.where = kind, where


def content_of(body: Any, kind: type[T]) -> T:
    """The content of a request, of decoded JSON.

    Raises:
        InvalidBody: a field is missing, of the wrong type, or out of range.
    """
    try:
        return msgspec.convert(body, kind)
    except (ValueError, OverflowError) as error:
        text, _, path = str(error).partition(" - at `$")
        missing = re.fullmatch(r"Object missing required field `(\w+)`", text)
        where = *re.findall(r"\w+", path), *(missing.groups() if missing else ())
        if missing:
            raise InvalidBody("missing", "Field required", *where) from None
        raise InvalidBody("value_error", text, *where) from None


def event(state: ToldState, latest: bool = True) -> bytes:
    """A state as an event of a stream, the latest one or an earlier one of a replay."""
    name = b"latest_state_update" if latest else b"state_update"
    return b"event: %s\ndata: %s\n\n" % (name, msgspec.json.encode(state))
