"""The messages of Digital Curling 2 as texts."""

import itertools
import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from curling.protocols import refused
from curling.protocols.dc2_messages import (
    BestShot,
    ClientMessage,
    Concede,
    Connected,
    Disconnect,
    GameOver,
    Go,
    IsReady,
    Login,
    LoginOk,
    NewGame,
    Position,
    ReadyOk,
    RunShot,
    Score,
    ServerMessage,
    SetState,
    Timeout,
    TotalScore,
)
from curling.sheet import STONES

MAX_TEXT = 4096  # bytes of the longest message, either way

M = TypeVar("M", bound=Struct)

_PRINTABLE = re.compile(rb"[ -~]*")
_SERVER: dict[str, type[ServerMessage]] = {
    "CONNECTED": Connected,
    "LOGIN OK": LoginOk,
    "ISREADY": IsReady,
    "NEWGAME": NewGame,
    "POSITION": Position,
    "SETSTATE": SetState,
    "GO": Go,
    "RUNSHOT": RunShot,
    "SCORE": Score,
    "TOTALSCORE": TotalScore,
    "GAMEOVER": GameOver,
    "DISCONNECT": Disconnect,
    "TIMEOUT": Timeout,
}
_CLIENT: dict[str, type[ClientMessage]] = {"LOGIN": Login, "READYOK": ReadyOk, "BESTSHOT": BestShot, "CONCEDE": Concede}
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
