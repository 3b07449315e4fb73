"""Digital Curling 2: ASCII text ended by a NUL byte, over TCP or the client's standard input and output.

    server -> client                        client -> server
    Connected                               Login
    LoginOk
    IsReady                                 ReadyOk
    NewGame
    Position, SetState, [Score,] Go         BestShot or Concede, from the mover; only the mover gets Go
    RunShot                                 the shot with its execution error, to both
    Position, SetState, [Score,] Go ...     Score after the last shot of an end
    TotalScore, GameOver, Disconnect

Messages are named and ordered as on the wire; `curling.protocols.dc2_codec` encodes and decodes them. Coordinates are
not those of `curling.ice.sheet`; `curling.protocols.dc2_coordinates` converts them.
"""

from typing import Annotated, Literal, TypeAlias

import numpy as np
from msgspec import Meta, Struct

from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.protocols import Finite, Thrown

Natural: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]
Time: TypeAlias = Annotated[int, Meta(ge=-(10**9), le=10**9)]  # a server's clock may fall below 0
Length: TypeAlias = Annotated[float, Meta(ge=-1000.0, le=1000.0)]  # m; longer than any sheet


class Connected(Struct, frozen=True, array_like=True):
    """The server's greeting."""


class Login(Struct, frozen=True, array_like=True):
    """The client's id, password and name, none of which may contain white space."""

    id: str
    password: str
    name: str


class LoginOk(Struct, frozen=True, array_like=True):
    """The login is accepted."""


class IsReady(Struct, frozen=True, array_like=True):
    """The server asks whether the match can start."""


class ReadyOk(Struct, frozen=True, array_like=True):
    """The client is ready."""


class NewGame(Struct, frozen=True, array_like=True):
    """Names of the team that throws first in end 0 and of the other, which has the hammer."""

    first: str
    second: str


class Position(Struct, frozen=True, array_like=True):
    """x and y of 16 stones, m, in the order thrown in this end; (0, 0) where absent.

    After the last shot of an end it holds the final stones of that end, but the SetState after it is the next end's.
    """

    xy: Annotated[tuple[tuple[Length, Length], ...], Meta(min_length=STONES, max_length=STONES)]

    def __post_init__(self) -> None:
        if not np.isfinite(self.xy).all():
            raise ValueError("a number that is not finite")


class SetState(Struct, frozen=True, array_like=True):
    """The state of the match, apart from the stones.

    Attributes:
        shot: number of the next shot in its end, 0..15.
        end: number of the end, from 0.
        last_end: number of ends.
        to_move: team that throws next: 0 for `NewGame.first`, 1 for `NewGame.second`.
    """

    shot: Annotated[int, Meta(ge=0, lt=STONES)]
    end: Natural
    last_end: Natural
    to_move: Annotated[int, Meta(ge=0, le=1)]


class Go(Struct, frozen=True, array_like=True):
    """The receiver throws next; remaining time of `NewGame.first` and `NewGame.second`, ms."""

    first_ms: Time
    second_ms: Time


class BestShot(Finite, frozen=True, array_like=True):
    """A throw as aimed, in this protocol's coordinates; spin 0 is to the right (clockwise), 1 to the left."""

    vx: Thrown
    vy: Thrown
    spin: Annotated[int, Meta(ge=0, le=1)]


class Concede(Struct, frozen=True, array_like=True):
    """The client gives up the match."""


class RunShot(BestShot, frozen=True, array_like=True):
    """The throw with its execution error."""


class Score(Struct, frozen=True, array_like=True):
    """Points of the last end: positive for `NewGame.first`, negative for `NewGame.second`."""

    points: Annotated[int, Meta(ge=-8, le=8)]


class TotalScore(Struct, frozen=True, array_like=True):
    """Points of the match, of `NewGame.first` and `NewGame.second`."""

    first: Natural
    second: Natural


class GameOver(Struct, frozen=True, array_like=True):
    """The result for the receiver."""

    result: Literal["WIN", "LOSE", "DRAW"]


class Disconnect(Struct, frozen=True, array_like=True):
    """The server closes the connection."""


class Timeout(Struct, frozen=True, array_like=True):
    """The team with this id has no time left."""

    id: str


Greeting: TypeAlias = Connected | LoginOk | IsReady | NewGame
Course: TypeAlias = Position | SetState | Go | RunShot | Score | Timeout
ServerMessage: TypeAlias = Greeting | Course | TotalScore | GameOver | Disconnect
ClientMessage: TypeAlias = Login | ReadyOk | BestShot | Concede
