"""The messages of the Digital Curling servers as types, with functions to encode and decode them; no sockets here."""

import math
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

T = TypeVar("T")
Thrown: TypeAlias = Annotated[float, Meta(ge=-1000.0, le=1000.0)]  # m/s or rad; more than any throw has


class ProtocolError(ValueError):
    """A message that the protocol does not allow; the text is one line."""


class Finite(msgspec.Struct, frozen=True):
    """A struct whose real numbers are neither NaN nor infinite."""

    def __post_init__(self) -> None:
        if not all(math.isfinite(v) for v in msgspec.structs.astuple(self) if isinstance(v, float)):
            raise ValueError("a number that is not finite")


def check_kind(message: Any, *kinds: type[T]) -> T:
    """The message, which must be of one of these kinds.

    Raises:
        ProtocolError: it is of another kind.
    """
    if not isinstance(message, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise ProtocolError(f"{type(message).__name__} received, {expected} expected")
    return message


def decode_json(decoder: msgspec.json.Decoder[T], message: bytes) -> T:
    """Decode a message of JSON.

    Raises:
        ProtocolError: not a message of this decoder's type.
    """
    try:
        return decoder.decode(message)
    except RecursionError:
        raise invalid_message(message, "nested too deeply") from None
    except ValueError as error:
        raise invalid_message(message, error) from None


def invalid_message(message: bytes, reason: object) -> ProtocolError:
    """The error for an invalid message: the reason and the message's beginning, unless it may contain a password.

    Both are shortened and escaped, so that the sender cannot affect the form of the line.
    """
    text, excerpt = ascii(str(reason))[1:-1][:160], ascii(message[:80].decode("utf-8", "replace"))
    if b"LOGIN" in message[:80].upper():
        return ProtocolError(text)
    return ProtocolError(f"{text}: {excerpt if max(len(message), len(excerpt)) <= 80 else excerpt[:77] + '...'}")
