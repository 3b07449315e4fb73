"""Digital Curling 3: one JSON object per line over TCP; the server listens on one port for each team.

    server -> client                    client -> server
    Dc             at connection        DcOk
    IsReady                             ReadyOk    (no time limit: load and compile before it)
    NewGame        both are ready
    Update         the start position   Move       from the team `next_team`, within its thinking time
    Update         after every move     Move       from the team `next_team`
    ...
    Update         with `game_result`
    GameOver                            the client closes

Positions and velocities are in the shot frame of `curling.ice.sheet`: both sides see the house at +y in every end.
Numbers are metres, metres a second, radians and seconds, and never NaN or infinite. Fields are named as on the wire;
`curling.protocols.dc3_codec` encodes and decodes the messages.
"""

from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.protocols import Finite, Thrown

T = TypeVar("T")
Team: TypeAlias = Literal["team0", "team1"]
Rotation: TypeAlias = Literal["cw", "ccw"]
Small: TypeAlias = Annotated[int, Meta(ge=0, le=255)]
Length: TypeAlias = Annotated[float, Meta(ge=-1000.0, le=1000.0)]  # m; longer than any sheet


class PerTeam(Finite, Generic[T], frozen=True):
    """A value for each team; `pair[0]` is `pair.team0`."""

    team0: T
    team1: T

    def __getitem__(self, team: int) -> T:
        return (self.team0, self.team1)[team]


class Coordinate(Finite, frozen=True):
    """A point on the sheet, m."""

    x: Length
    y: Length


class Velocity(Finite, frozen=True):
    """A velocity, m/s."""

    x: Thrown
    y: Thrown


class Stone(Finite, frozen=True):
    """A stone on the sheet; angle is its rotation since the release, rad."""

    position: Coordinate
    angle: float = 0.0


Stones: TypeAlias = Annotated[tuple[Stone | None, ...], Meta(min_length=TEAM_STONES, max_length=TEAM_STONES)]


class ShotMove(Struct, frozen=True, tag_field="type", tag="shot"):
    """A throw."""

    velocity: Velocity
    rotation: Rotation


class Concede(Struct, frozen=True, tag_field="type", tag="concede"):
    """The team gives up the match; in an update also the move of a team without time left."""


class Version(Struct, frozen=True):
    """The version of the protocol."""

    major: int
    minor: int


class Player(Finite, frozen=True):
    """The execution error of a player: "identical" has none and no other field; "normal_dist" has all of them.

    Attributes:
        type: the distribution.
        max_speed: aims are capped at this speed, m/s.
        stddev_speed: of the speed, m/s.
        stddev_angle: of the direction, rad.
        seed: of the random errors; None: chosen by the server.
    """

    type: str
    max_speed: float | UnsetType = UNSET
    stddev_speed: float | UnsetType = UNSET
    stddev_angle: float | UnsetType = UNSET
    seed: int | UnsetType | None = UNSET


NORMAL_DIST = Player("normal_dist", max_speed=4.0, stddev_speed=0.0076, stddev_angle=0.0018, seed=None)
IDENTICAL = Player("identical")


class Simulator(Finite, frozen=True):
    """The physics and its time step, s."""

    type: str = "fcv1"
    seconds_per_frame: float = 0.001


class GameSetting(Finite, frozen=True):
    """Length, sheet, rule and time limits of a match.

    Attributes:
        max_end: ends without extra ends.
        sheet_width: m.
        five_rock_rule: the free guard zone protects stones for five shots, not four.
        thinking_time: of each team for the whole match, s.
        extra_end_thinking_time: of each team for each extra end, s.
    """

    max_end: Small = 10
    sheet_width: float = 4.75
    five_rock_rule: bool = True
    thinking_time: PerTeam[float] = PerTeam(219.0, 219.0)
    extra_end_thinking_time: PerTeam[float] = PerTeam(21.9, 21.9)


Players: TypeAlias = Annotated[tuple[Player, ...], Meta(max_length=255)]


class GameInfo(Struct, frozen=True):
    """Rules, physics and players; defaults replace the parts that a server does not announce."""

    rule: str = "normal"
    setting: GameSetting = GameSetting()
    simulator: Simulator = Simulator()
    players: PerTeam[Players] = PerTeam((NORMAL_DIST,) * 4, (NORMAL_DIST,) * 4)


class Difference(Struct, frozen=True):
    """A stone that moved or left the sheet (value None) since the previous frame."""

    team: Team
    index: Annotated[int, Meta(ge=0, lt=TEAM_STONES)]
    value: Stone | None


class Trajectory(Finite, frozen=True):
    """The motion after a throw: stones at the start, the changes in each later frame, and final stones by the rules."""

    seconds_per_frame: float
    start: PerTeam[Stones]
    frames: tuple[tuple[Difference, ...], ...]
    finish: PerTeam[Stones]


class LastMove(Struct, frozen=True):
    """The previous move: a shot with its execution error; no trajectory if the server does not send it."""

    actual_move: ShotMove | Concede
    free_guard_zone_foul: bool = False
    trajectory: Trajectory | UnsetType = UNSET


class GameResult(Struct, frozen=True):
    """The result of the match; no winner in a draw."""

    winner: Team | None
    reason: Literal["score", "concede", "time_limit", "draw"]


Scores: TypeAlias = Annotated[tuple[Small | None, ...], Meta(max_length=255)]


class State(Struct, frozen=True):
    """The state of a match.

    Attributes:
        end: number of the end, from 0; `max_end` and more are extra ends.
        shot: number of the next shot in its end, 0..15.
        hammer: team that throws second in this end; None when the match is over.
        stones: 8 of each team in the order thrown; None where absent.
        scores: points of each end; None until it is over.
        extra_end_score: of the extra end that decided the match.
        thinking_time_remaining: s.
        game_result: None until the match is over.
    """

    end: Annotated[int, Meta(ge=0, le=1000)]
    shot: Annotated[int, Meta(ge=0, lt=STONES)]
    hammer: Team | None
    stones: PerTeam[Stones]
    scores: PerTeam[Scores]
    thinking_time_remaining: PerTeam[float]
    extra_end_score: PerTeam[Small | None] = PerTeam(None, None)
    game_result: GameResult | None = None


class Dc(Struct, frozen=True, tag_field="cmd", tag="dc"):
    """The server's greeting."""

    version: Version
    game_id: str = ""
    date_time: str = ""


class DcOk(Struct, frozen=True, tag_field="cmd", tag="dc_ok"):
    """The client's answer to the greeting, with its name."""

    name: str


class IsReady(Struct, frozen=True, tag_field="cmd", tag="is_ready"):
    """The client's team, and the rules of the match."""

    team: Team
    game: GameInfo = GameInfo()


class ReadyOk(Struct, frozen=True, tag_field="cmd", tag="ready_ok"):
    """The client is ready; its players 0..3 in the order in which they throw, two stones an end each."""

    player_order: Annotated[tuple[int, ...], Meta(max_length=4)] = (0, 1, 2, 3)

    def __post_init__(self) -> None:
        if sorted(self.player_order) != [0, 1, 2, 3]:
            raise ValueError("player_order must have each of 0, 1, 2, 3 once")


class NewGame(Struct, frozen=True, tag_field="cmd", tag="new_game"):
    """The match begins."""

    name: PerTeam[str]


class Update(Struct, frozen=True, tag_field="cmd", tag="update"):
    """The state at the start and after every move, and the team to move (None: the match is over)."""

    next_team: Team | None
    state: State
    last_move: LastMove | None = None


class Move(Struct, frozen=True, tag_field="cmd", tag="move"):
    """The client's move."""

    move: ShotMove | Concede


class GameOver(Struct, frozen=True, tag_field="cmd", tag="game_over"):
    """The match is over; no message follows."""


ServerMessage: TypeAlias = Dc | IsReady | NewGame | Update | GameOver
ClientMessage: TypeAlias = DcOk | ReadyOk | Move
