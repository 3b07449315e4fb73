"""The messages of Digital Curling 2 as structs; `curling.protocols.dc2` tells which comes when."""

from typing import Annotated, Literal, TypeAlias

import numpy as np
from msgspec import Meta, Struct

from curling.protocols import Finite
from curling.sheet import STONES

Natural: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]
Time: TypeAlias = Annotated[int, Meta(ge=-(10**9), le=10**9)]  # a server's clock may have run below 0
Length: TypeAlias = Annotated[float, Meta(ge=-1000.0, le=1000.0)]  # m; no sheet is longer
Spin: TypeAlias = Annotated[int, Meta(ge=0, le=1)]


class Connected(Struct, frozen=True, array_like=True):
    """The server's greeting."""


class Login(Struct, frozen=True, array_like=True):
    """Who plays; none of the three has white space."""

    id: str
    password: str
    name: str


class LoginOk(Struct, frozen=True, array_like=True):
    """The login is accepted."""


class IsReady(Struct, frozen=True, array_like=True):
    """The server asks whether a match can start."""


class ReadyOk(Struct, frozen=True, array_like=True):
    """It can."""


class NewGame(Struct, frozen=True, array_like=True):
    """Names of the team that throws first in end 0 and of the other, which has the hammer."""

    first: str
    second: str


class Position(Struct, frozen=True, array_like=True):
    """x and y of 16 stones, m, in the order thrown in this end; (0, 0) where absent; see `stones`.

    After the last shot of an end it has that end's final stones, although the SetState that follows is the next end's.
    """

    xy: Annotated[tuple[tuple[Length, Length], ...], Meta(min_length=STONES, max_length=STONES)]

    def __post_init__(self) -> None:
        """Refuse numbers that are not finite."""
        if not np.isfinite(self.xy).all():
            raise ValueError("a number that is not finite")


class SetState(Struct, frozen=True, array_like=True):
    """Where the match stands.

    Attributes:
        shot: number of the next shot in its end, 0..15.
        end: number of the end, from 0.
        last_end: how many ends there are.
        to_move: who throws next: 0 for `NewGame.first`, 1 for `NewGame.second`.
    """

    shot: Annotated[int, Meta(ge=0, lt=STONES)]
    end: Natural
    last_end: Natural
    to_move: Annotated[int, Meta(ge=0, le=1)]


class Go(Struct, frozen=True, array_like=True):
    """The receiver is to throw; remaining time of `NewGame.first` and `NewGame.second`, ms."""

    first_ms: Time
    second_ms: Time


class BestShot(Finite, frozen=True, array_like=True):
    """A throw as aimed, in this protocol's frame; spin 0 is to the right (clockwise), 1 to the left."""

    vx: float
    vy: float
    spin: Spin


class Concede(Struct, frozen=True, array_like=True):
    """The match is given up."""


class RunShot(Finite, frozen=True, array_like=True):
    """The throw with its errors."""

    vx: float
    vy: float
    spin: Spin


class Score(Struct, frozen=True, array_like=True):
    """Points of the end that is over: above 0 for `NewGame.first`, below for `NewGame.second`."""

    points: Annotated[int, Meta(ge=-8, le=8)]


class TotalScore(Struct, frozen=True, array_like=True):
    """Points of the match, of `NewGame.first` and `NewGame.second`."""

    first: Natural
    second: Natural


class GameOver(Struct, frozen=True, array_like=True):
    """How the match ended for the receiver."""

    result: Literal["WIN", "LOSE", "DRAW"]


class Disconnect(Struct, frozen=True, array_like=True):
    """The conversation is over."""


class Timeout(Struct, frozen=True, array_like=True):
    """The time of a team, by its id, is up."""

    id: str


ServerMessage: TypeAlias = (
    Connected
    | LoginOk
    | IsReady
    | NewGame
    | Position
    | SetState
    | Go
    | RunShot
    | Score
    | TotalScore
    | GameOver
    | Disconnect
    | Timeout
)
ClientMessage: TypeAlias = Login | ReadyOk | BestShot | Concede
