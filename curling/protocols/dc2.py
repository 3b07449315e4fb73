r"""Digital Curling 2: ASCII text ended by a NUL byte, over TCP or the client's standard input and output.

    server -> client                        client -> server
    Connected                               Login
    LoginOk
    IsReady                                 ReadyOk
    NewGame
    Position, SetState, [Score,] Go         BestShot or Concede, from the mover; only the mover gets Go
    RunShot                                 the shot with its errors, to both
    Position, SetState, [Score,] Go ...     Score after the last shot of an end
    TotalScore, GameOver, Disconnect

Its frame is not that of `curling.sheet`: stones are thrown towards -y from (2.375, 41.28) to the tee at (2.375, 4.88).
`to_sheet`, `from_sheet` and their like for throws and stones are the only place that knows.

>>> encode(BestShot(-0.99074, -29.559774, 0))
b'BESTSHOT -0.990740 -29.559774 0\x00'
>>> decode_server(b"GO 59956 60000")
Go(first_ms=59956, second_ms=60000)
"""

import itertools
import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import astuple

from curling.protocols import Finite, refused
from curling.sheet import STONES, TEAM_STONES
from planners.base import Array

MAX_TEXT = 4096  # bytes of the longest message, either way
RELEASE = np.array([2.375, 41.28])  # m, where stones are released
_FLIP = np.array([1.0, -1.0])

M = TypeVar("M", bound=Struct)
Natural: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]
Time: TypeAlias = Annotated[int, Meta(ge=-10**9, le=10**9)]  # a server's clock may have run below 0
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
    Connected | LoginOk | IsReady | NewGame | Position | SetState | Go | RunShot | Score | TotalScore | GameOver
    | Disconnect | Timeout
)
ClientMessage: TypeAlias = Login | ReadyOk | BestShot | Concede

_PRINTABLE = re.compile(rb"[ -~]*")
_SERVER: dict[str, type[ServerMessage]] = {
    "CONNECTED": Connected, "LOGIN OK": LoginOk, "ISREADY": IsReady, "NEWGAME": NewGame, "POSITION": Position,
    "SETSTATE": SetState, "GO": Go, "RUNSHOT": RunShot, "SCORE": Score, "TOTALSCORE": TotalScore,
    "GAMEOVER": GameOver, "DISCONNECT": Disconnect, "TIMEOUT": Timeout,
}
_CLIENT: dict[str, type[ClientMessage]] = {
    "LOGIN": Login, "READYOK": ReadyOk, "BESTSHOT": BestShot, "CONCEDE": Concede,
}
_SERVER_NAMES = {kind: name for name, kind in _SERVER.items()}
_CLIENT_NAMES = {kind: name for name, kind in _CLIENT.items()}


def decode_server(text: bytes) -> ServerMessage:
    """A text of a server, as a client receives it, with or without its NUL.

    Raises:
        ProtocolError: no message of a server, or more than MAX_TEXT bytes.
    """
    return _decode(_SERVER, text)


def decode_client(text: bytes) -> ClientMessage:
    """A text of a client, as a server receives it, with or without its NUL.

    Raises:
        ProtocolError: no message of a client, or more than MAX_TEXT bytes.
    """
    return _decode(_CLIENT, text)


def _decode(kinds: Mapping[str, type[M]], text: bytes) -> M:
    if len(text) > MAX_TEXT:
        raise refused(text, f"a message of {len(text)} bytes, at most {MAX_TEXT} are allowed")
    line = text.removesuffix(b"\0").rstrip(b"\r\n")
    if not _PRINTABLE.fullmatch(line):
        raise refused(text, "a message must be printable ASCII")
    words = line.decode().split()
    length = 2 if words[:1] == ["LOGIN"] and "LOGIN OK" in kinds else 1
    name, values = " ".join(words[:length]), words[length:]
    if name not in kinds:
        raise refused(text, f"not one of {', '.join(kinds)}")
    kind = kinds[name]
    count = 2 * STONES if kind is Position else len(kind.__struct_fields__)
    if len(values) != count:
        raise refused(text, f"{name} needs {count} values, not {len(values)}")
    given = [list(zip(values[::2], values[1::2], strict=True))] if kind is Position else values
    try:
        return msgspec.convert(given, kind, strict=False)
    except ValueError as error:
        raise refused(text, error) from None


def encode(message: ServerMessage | ClientMessage) -> bytes:
    """A message as text, ended by a NUL; real numbers have 6 decimals, as the server's.

    Raises:
        ProtocolError: a value that `decode_server` or `decode_client` refuses, such as a name with white space.
    """
    values = itertools.chain(*message.xy) if isinstance(message, Position) else astuple(message)
    words = [f"{value:.6f}" if isinstance(value, float) else str(value) for value in values]
    name = _SERVER_NAMES.get(type(message)) or _CLIENT_NAMES[type(message)]  # type: ignore[index, arg-type]
    text = " ".join([name, *words]).encode("utf-8", "surrogatepass")
    _decode(_SERVER if name in _SERVER else _CLIENT, text)
    return text + b"\0"


def to_sheet(positions: Array) -> Array:
    """Positions [..., 2] of this protocol in the shot frame, m."""
    return (positions - RELEASE) * _FLIP


def from_sheet(positions: Array) -> Array:
    """Positions [..., 2] of the shot frame in this protocol's, m."""
    return positions * _FLIP + RELEASE


def throw_to_sheet(shot: BestShot | RunShot) -> tuple[float, float, float]:
    """A throw in the shot frame: (vx, vy, rotation), m/s, rotation +1 for counter-clockwise or -1."""
    return shot.vx, -shot.vy, 1.0 if shot.spin else -1.0


def throw_from_sheet(vx: float, vy: float, rotation: float) -> tuple[float, float, int]:
    """The fields of a `BestShot` or `RunShot` from a throw in the shot frame."""
    return vx, -vy, 1 if rotation > 0.0 else 0


def rows(first: int) -> list[int]:
    """The row in `curling.sheet` of the stone of each shot 0..15, when team `first` throws first in the end."""
    return [TEAM_STONES * (first if shot % 2 == 0 else 1 - first) + shot // 2 for shot in range(STONES)]


def stones(position: Position, first: int) -> Array:
    """The stones of a position in the shot frame, [16, 2], m, NaN where absent.

    Args:
        position: as received.
        first: the team, 0 or 1, that throws first in this end.
    """
    thrown = np.array(position.xy)
    board = np.empty_like(thrown)
    board[rows(first)] = np.where((thrown == 0.0).all(1, keepdims=True), np.nan, to_sheet(thrown))
    return board


def position_of(board: Array, first: int) -> Position:
    """The reverse of `stones`."""
    thrown = np.nan_to_num(from_sheet(board[rows(first)]))
    return Position(tuple((float(x), float(y)) for x, y in thrown))
