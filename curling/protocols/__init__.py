"""The messages of the Digital Curling servers: typed, encoded and decoded by pure functions, apart from any socket."""


class ProtocolError(ValueError):
    """A message that the protocol does not allow here; the text is one line."""
