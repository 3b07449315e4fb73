r"""Encodes and decodes the messages of Digital Curling 2.

>>> from bonspiel.curling.protocols.dc2 import BestShot
>>> encode(BestShot(-0.99074, -29.559774, 0))
b'BESTSHOT -0.990740 -29.559774 0\x00'
>>> decode_server(b"GO 59956 60000")
Go(first_ms=59956, second_ms=60000)
"""

import itertools
import re
from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.protocols import invalid_message
from bonspiel.curling.protocols.dc2 import ClientMessage, LoginOk, Position, ServerMessage

MAX_TEXT = 4096  # bytes of the longest message, in either direction


def _keyword(kind: type[Struct]) -> str:
    return "LOGIN OK" if kind is LoginOk else kind.__name__.upper()


_PRINTABLE = re.compile(rb"[ -~]*")
_SERVER: dict[str, type[Struct]] = {_keyword(kind): kind for kind in get_args(ServerMessage)}
_CLIENT: dict[str, type[Struct]] = {_keyword(kind): kind for kind in get_args(ClientMessage)}


def decode_server(text: bytes) -> ServerMessage:
    """Decode a server's message, with or without its NUL.

    Raises:
        ProtocolError: not a message of a server, or more than MAX_TEXT bytes.
    """
    return _decode(_SERVER, text)


def decode_client(text: bytes) -> ClientMessage:
    """Decode a client's message, with or without its NUL.

    Raises:
        ProtocolError: not a message of a client, or more than MAX_TEXT bytes.
    """
    return _decode(_CLIENT, text)


def _decode(kinds: dict[str, type[Struct]], text: bytes) -> Any:
    if len(text) > MAX_TEXT:
        raise invalid_message(text, f"a message of {len(text)} bytes, at most {MAX_TEXT} are allowed")
    line = text.removesuffix(b"\0").rstrip(b"\r\n")
    if not _PRINTABLE.fullmatch(line):
        raise invalid_message(text, "a message must be printable ASCII")
    words = line.decode().split()
    length = 2 if words[:1] == ["LOGIN"] and "LOGIN OK" in kinds else 1
    keyword, values = " ".join(words[:length]), words[length:]
    if keyword not in kinds:
        raise invalid_message(text, f"not one of {', '.join(kinds)}")
    kind = kinds[keyword]
    count = 2 * STONES if kind is Position else len(kind.__struct_fields__)
    if len(values) != count:
        raise invalid_message(text, f"{keyword} needs {count} values, not {len(values)}")
    fields = [list(zip(values[::2], values[1::2], strict=True))] if kind is Position else values
    try:
        return msgspec.convert(fields, kind, strict=False)
    except ValueError as error:
        raise invalid_message(text, error) from None


def encode(message: ServerMessage | ClientMessage) -> bytes:
    """Encode a message, ended by a NUL; real numbers have 6 decimals, as the server's.

    Raises:
        ProtocolError: a value that cannot be decoded again, such as a name with white space.
    """
    values = itertools.chain(*message.xy) if isinstance(message, Position) else astuple(message)
    words = [f"{value:.6f}" if isinstance(value, float) else str(value) for value in values]
    keyword = _keyword(type(message))
    text = " ".join([keyword, *words]).encode("utf-8", "surrogatepass")
    _decode(_SERVER if keyword in _SERVER else _CLIENT, text)
    return text + b"\0"
