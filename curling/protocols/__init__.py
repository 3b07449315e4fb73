"""The messages of the Digital Curling servers: typed, encoded and decoded by pure functions, apart from any socket."""

import math

import msgspec


class ProtocolError(ValueError):
    """A message that the protocol does not allow here; the text is one line."""


class Finite(msgspec.Struct, frozen=True):
    """A struct whose own real numbers are neither NaN nor infinite."""

    def __post_init__(self) -> None:
        """Refuse those that are."""
        if not all(math.isfinite(v) for v in msgspec.structs.astuple(self) if isinstance(v, float)):
            raise ValueError("a number that is not finite")


def refused(message: bytes, why: object) -> ProtocolError:
    """The error for a message as it came: why it is refused, then its beginning, unless that may hold a password.

    Both are cut and escaped: whoever sent the message does not decide how the line looks.
    """
    reason = ascii(str(why))[1:-1][:160]
    secret = b"LOGIN" in message[:80].upper()
    return ProtocolError(reason if secret else f"{reason}: {_excerpt(message)}")


def _excerpt(message: bytes) -> str:
    text = ascii(message[:80].decode("utf-8", "replace"))
    return text if len(message) <= 80 and len(text) <= 80 else text[:77] + "..."
