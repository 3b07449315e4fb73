r"""Encodes and decodes the messages of Digital Curling 3, and converts their stones to arrays and back.

>>> encode(dc3.DcOk("bonspiel"))
b'{"cmd":"dc_ok","name":"bonspiel"}\n'
>>> decode_server(b'{"cmd": "game_over"}\r\n')
GameOver()
"""

import math
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.protocols import dc3, decode_json, invalid_message
from bonspiel.planners.model import Array

MAX_CLIENT_LINE = 1 << 16  # bytes of the longest line that a server accepts
MAX_SERVER_LINE = 1 << 24  # bytes of the longest line that a client accepts; trajectories are large

T = TypeVar("T")


class _AnyShot(Struct, frozen=True, tag_field="type", tag="shot"):
    """A throw as servers accept it: an unknown rotation is counter-clockwise."""

    velocity: dc3.Velocity
    rotation: Any


class _AnyMove(Struct, frozen=True, tag_field="cmd", tag="move"):
    move: _AnyShot | dc3.Concede


class _FullReadyOk(dc3.ReadyOk, frozen=True, tag_field="cmd", tag="ready_ok"):
    player_order: tuple[int, ...]  # required by servers


_ENCODER = msgspec.json.Encoder(order="sorted")
_SERVER = msgspec.json.Decoder[dc3.ServerMessage](dc3.ServerMessage)
_CLIENT = msgspec.json.Decoder[dc3.DcOk | _FullReadyOk | _AnyMove](dc3.DcOk | _FullReadyOk | _AnyMove)


def decode_server(line: bytes) -> dc3.ServerMessage:
    """Decode a server's message.

    Raises:
        ProtocolError: not a message of a server, or more than MAX_SERVER_LINE bytes.
    """
    return _decode(_SERVER, line, MAX_SERVER_LINE)


def decode_client(line: bytes) -> dc3.ClientMessage:
    """Decode a client's message.

    Raises:
        ProtocolError: not a message of a client, or more than MAX_CLIENT_LINE bytes.
    """
    message = _decode(_CLIENT, line, MAX_CLIENT_LINE)
    if isinstance(message, dc3.DcOk):
        return message
    if isinstance(message, _FullReadyOk):
        return dc3.ReadyOk(message.player_order)
    shot = message.move
    if isinstance(shot, dc3.Concede):
        return dc3.Move(shot)
    return dc3.Move(dc3.ShotMove(shot.velocity, "cw" if shot.rotation == "cw" else "ccw"))


def _decode(decoder: msgspec.json.Decoder[T], line: bytes, limit: int) -> T:
    if len(line) > limit:
        raise invalid_message(line, f"a message of {len(line)} bytes, at most {limit} are allowed")
    return decode_json(decoder, line)


def encode(message: dc3.ServerMessage | dc3.ClientMessage) -> bytes:
    """Encode a message as one line of JSON with sorted keys, ended by a line feed.

    Raises:
        ProtocolError: a string that UTF-8 cannot encode.
    """
    try:
        return _ENCODER.encode(message) + b"\n"
    except ValueError as error:
        raise invalid_message(repr(message).encode("utf-8", "replace"), error) from None


def stone_array(stones: dc3.PerTeam[dc3.Stones]) -> Array:
    """The stones of a state or a trajectory as an array [16, 2], m, NaN where absent."""
    absent = (math.nan, math.nan)
    return np.array([absent if s is None else (s.position.x, s.position.y) for s in stones.team0 + stones.team1])


def stone_lists(stones: Array, angles: Array | None = None) -> dc3.PerTeam[dc3.Stones]:
    """The reverse of `stone_array`, with the rotation of each stone since its release, [16], rad; 0 if None.

    Raises:
        ValueError: a number that is not finite.
    """
    turned = np.zeros(STONES) if angles is None else angles
    rows = [(float(x), float(y), float(angle)) for (x, y), angle in zip(stones, turned, strict=True)]
    listed = tuple(None if math.isnan(x) else dc3.Stone(dc3.Coordinate(x, y), angle) for x, y, angle in rows)
    return dc3.PerTeam(listed[:TEAM_STONES], listed[TEAM_STONES:])
