"""The messages of Digital Curling 3 as lines of JSON."""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from curling.protocols import refused
from curling.protocols.dc3_messages import ClientMessage, Concede, DcOk, Move, ReadyOk, ServerMessage, Shot, Velocity

MAX_CLIENT_LINE = 1 << 16  # bytes of the longest line that a server reads
MAX_SERVER_LINE = 1 << 24  # bytes of the longest line that a client reads: trajectories are large

T = TypeVar("T")


class _AnyShot(Struct, frozen=True, tag_field="type", tag="shot"):
    """A throw as a server takes it: a rotation that it does not know is counter-clockwise."""

    velocity: Velocity
    rotation: Any


class _AnyMove(Struct, frozen=True, tag_field="cmd", tag="move"):
    move: _AnyShot | Concede


class _FullReadyOk(ReadyOk, frozen=True, tag_field="cmd", tag="ready_ok"):
    player_order: tuple[int, ...]  # a server takes no default


_ENCODER = msgspec.json.Encoder(order="sorted")
_SERVER = msgspec.json.Decoder[ServerMessage](ServerMessage)
_CLIENT = msgspec.json.Decoder[DcOk | _FullReadyOk | _AnyMove](DcOk | _FullReadyOk | _AnyMove)


def decode_server(line: bytes) -> ServerMessage:
    """A line of a server, as a client receives it.

    Raises:
        ProtocolError: no message of a server, or more than MAX_SERVER_LINE bytes.
    """
    return _decode(_SERVER, line, MAX_SERVER_LINE)


def decode_client(line: bytes) -> ClientMessage:
    """A line of a client, as a server receives it.

    Raises:
        ProtocolError: no message of a client, or more than MAX_CLIENT_LINE bytes.
    """
    message = _decode(_CLIENT, line, MAX_CLIENT_LINE)
    if isinstance(message, DcOk):
        return message
    if isinstance(message, _FullReadyOk):
        return ReadyOk(message.player_order)
    shot = message.move
    if isinstance(shot, Concede):
        return Move(shot)
    return Move(Shot(shot.velocity, "cw" if shot.rotation == "cw" else "ccw"))


def _decode(decoder: msgspec.json.Decoder[T], line: bytes, limit: int) -> T:
    if len(line) > limit:
        raise refused(line, f"a message of {len(line)} bytes, at most {limit} are allowed")
    try:
        return decoder.decode(line)
    except RecursionError:
        raise refused(line, "a message nested too deeply") from None
    except ValueError as error:
        raise refused(line, error) from None


def encode(message: ServerMessage | ClientMessage) -> bytes:
    """A message as one line, ended by a line feed; keys are sorted.

    Raises:
        ProtocolError: a string that has no UTF-8 form.
    """
    try:
        return _ENCODER.encode(message) + b"\n"
    except ValueError as error:
        raise refused(repr(message).encode("utf-8", "replace"), error) from None
