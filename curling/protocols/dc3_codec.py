r"""Encodes and decodes the messages of Digital Curling 3.

>>> encode(DcOk("bonspiel"))
b'{"cmd":"dc_ok","name":"bonspiel"}\n'
>>> decode_server(b'{"cmd": "game_over"}\r\n')
GameOver()
"""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from curling.protocols import decode_json, invalid_message
from curling.protocols.dc3 import ClientMessage, Concede, DcOk, Move, ReadyOk, ServerMessage, ShotMove, Velocity

MAX_CLIENT_LINE = 1 << 16  # bytes of the longest line that a server accepts
MAX_SERVER_LINE = 1 << 24  # bytes of the longest line that a client accepts; trajectories are large

T = TypeVar("T")


class _AnyShot(Struct, frozen=True, tag_field="type", tag="shot"):
    """A throw as servers accept it: an unknown rotation is counter-clockwise."""

    velocity: Velocity
    rotation: Any


class _AnyMove(Struct, frozen=True, tag_field="cmd", tag="move"):
    move: _AnyShot | Concede


class _FullReadyOk(ReadyOk, frozen=True, tag_field="cmd", tag="ready_ok"):
    player_order: tuple[int, ...]  # required by servers


_ENCODER = msgspec.json.Encoder(order="sorted")
_SERVER = msgspec.json.Decoder[ServerMessage](ServerMessage)
_CLIENT = msgspec.json.Decoder[DcOk | _FullReadyOk | _AnyMove](DcOk | _FullReadyOk | _AnyMove)


def decode_server(line: bytes) -> ServerMessage:
    """Decode a server's message.

    Raises:
        ProtocolError: not a message of a server, or more than MAX_SERVER_LINE bytes.
    """
    return _decode(_SERVER, line, MAX_SERVER_LINE)


def decode_client(line: bytes) -> ClientMessage:
    """Decode a client's message.

    Raises:
        ProtocolError: not a message of a client, or more than MAX_CLIENT_LINE bytes.
    """
    message = _decode(_CLIENT, line, MAX_CLIENT_LINE)
    if isinstance(message, DcOk):
        return message
    if isinstance(message, _FullReadyOk):
        return ReadyOk(message.player_order)
    shot = message.move
    if isinstance(shot, Concede):
        return Move(shot)
    return Move(ShotMove(shot.velocity, "cw" if shot.rotation == "cw" else "ccw"))


def _decode(decoder: msgspec.json.Decoder[T], line: bytes, limit: int) -> T:
    if len(line) > limit:
        raise invalid_message(line, f"a message of {len(line)} bytes, at most {limit} are allowed")
    return decode_json(decoder, line)


def encode(message: ServerMessage | ClientMessage) -> bytes:
    """Encode a message as one line of JSON with sorted keys, ended by a line feed.

    Raises:
        ProtocolError: a string that UTF-8 cannot encode.
    """
    try:
        return _ENCODER.encode(message) + b"\n"
    except ValueError as error:
        raise invalid_message(repr(message).encode("utf-8", "replace"), error) from None
