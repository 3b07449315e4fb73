"""The messages of Digital Curling 3 as structs; `curling.protocols.dc3` tells which comes when."""

from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from curling.protocols import Finite
from curling.sheet import STONES, TEAM_STONES

T = TypeVar("T")
Team: TypeAlias = Literal["team0", "team1"]
Rotation: TypeAlias = Literal["cw", "ccw"]
Small: TypeAlias = Annotated[int, Meta(ge=0, le=255)]
Length: TypeAlias = Annotated[float, Meta(ge=-1000.0, le=1000.0)]  # m; no sheet is longer


class PerTeam(Finite, Generic[T], frozen=True):
    """Something of each team; `both[0]` is `both.team0`."""

    team0: T
    team1: T

    def __getitem__(self, team: int) -> T:
        """That of team 0 or 1."""
        return (self.team0, self.team1)[team]


class Position(Finite, frozen=True):
    """A place on the sheet, m."""

    x: Length
    y: Length


class Velocity(Finite, frozen=True):
    """A velocity, m/s."""

    x: float
    y: float


class Stone(Finite, frozen=True):
    """A stone on the sheet; angle is how far it has turned, rad."""

    position: Position
    angle: float = 0.0


Stones: TypeAlias = Annotated[tuple[Stone | None, ...], Meta(min_length=TEAM_STONES, max_length=TEAM_STONES)]


class Shot(Struct, frozen=True, tag_field="type", tag="shot"):
    """A throw."""

    velocity: Velocity
    rotation: Rotation


class Concede(Struct, frozen=True, tag_field="type", tag="concede"):
    """The match is given up; also what an update shows as the move of a team whose time is up."""


class Version(Struct, frozen=True):
    """Of the protocol."""

    major: int
    minor: int


class Player(Finite, frozen=True):
    """How a player errs: "identical" does not and has no further field; "normal_dist" has all of them.

    Attributes:
        type: the law.
        max_speed: aims are capped at it, m/s.
        stddev_speed: of the speed, m/s.
        stddev_angle: of the direction, rad.
        seed: of the errors; None: the server's choice.
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


class Setting(Finite, frozen=True):
    """The frame of a match.

    Attributes:
        max_end: ends without extra ends.
        sheet_width: m.
        five_rock_rule: the free guard zone holds for five shots, not four.
        thinking_time: of each team for the whole match, s.
        extra_end_thinking_time: of each team for each extra end, s.
    """

    max_end: Small = 10
    sheet_width: float = 4.75
    five_rock_rule: bool = True
    thinking_time: PerTeam[float] = PerTeam(219.0, 219.0)
    extra_end_thinking_time: PerTeam[float] = PerTeam(21.9, 21.9)


Players: TypeAlias = Annotated[tuple[Player, ...], Meta(max_length=255)]


class Game(Struct, frozen=True):
    """What is played; a server may hide any part, and then a client sees these defaults."""

    rule: str = "normal"
    setting: Setting = Setting()
    simulator: Simulator = Simulator()
    players: PerTeam[Players] = PerTeam((NORMAL_DIST,) * 4, (NORMAL_DIST,) * 4)


class Difference(Struct, frozen=True):
    """A stone that moved or went (value None) since the frame before."""

    team: Team
    index: Annotated[int, Meta(ge=0, lt=TEAM_STONES)]
    value: Stone | None


class Trajectory(Finite, frozen=True):
    """The motion after a throw: stones at its start, what differs in each later frame, stones at rest by the rules."""

    seconds_per_frame: float
    start: PerTeam[Stones]
    frames: tuple[tuple[Difference, ...], ...]
    finish: PerTeam[Stones]


class LastMove(Struct, frozen=True):
    """What the move before came to: a shot with its errors; no trajectory if the server keeps it."""

    actual_move: Shot | Concede
    free_guard_zone_foul: bool = False
    trajectory: Trajectory | UnsetType = UNSET


class GameResult(Struct, frozen=True):
    """How the match ended; no winner in a draw."""

    winner: Team | None
    reason: Literal["score", "concede", "time_limit", "draw"]


Scores: TypeAlias = Annotated[tuple[Small | None, ...], Meta(max_length=255)]


class State(Struct, frozen=True):
    """The state of a match.

    Attributes:
        end: number of the end, from 0; `max_end` and more are extra ends.
        shot: number of the next shot in its end, 0..15.
        hammer: who throws second in this end; None when the match is over.
        stones: 8 of each team in the order thrown; None where absent.
        scores: points of each end; None while it is not over.
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
    """The client's answer to it, with its name."""

    name: str


class IsReady(Struct, frozen=True, tag_field="cmd", tag="is_ready"):
    """Which team the client is, and what is played."""

    team: Team
    game: Game = Game()


class ReadyOk(Struct, frozen=True, tag_field="cmd", tag="ready_ok"):
    """The client is ready; its players 0..3 in the order in which they throw, two stones an end each."""

    player_order: Annotated[tuple[int, ...], Meta(max_length=4)] = (0, 1, 2, 3)

    def __post_init__(self) -> None:
        """Refuse an order that leaves a player out."""
        if sorted(self.player_order) != [0, 1, 2, 3]:
            raise ValueError("player_order must have each of 0, 1, 2, 3 once")


class NewGame(Struct, frozen=True, tag_field="cmd", tag="new_game"):
    """The match begins."""

    name: PerTeam[str]


class Update(Struct, frozen=True, tag_field="cmd", tag="update"):
    """The state at the start and after every move, and who moves next (None: the match is over)."""

    next_team: Team | None
    state: State
    last_move: LastMove | None = None


class Move(Struct, frozen=True, tag_field="cmd", tag="move"):
    """The client's move."""

    move: Shot | Concede


class GameOver(Struct, frozen=True, tag_field="cmd", tag="game_over"):
    """The match is over, and so is the conversation."""


ServerMessage: TypeAlias = Dc | IsReady | NewGame | Update | GameOver
ClientMessage: TypeAlias = DcOk | ReadyOk | Move
