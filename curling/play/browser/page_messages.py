"""Messages from a person's page, as JSON."""

import msgspec


class AimMessage(msgspec.Struct):
    """A person's aim: the target in m, the spin (1 counter-clockwise, -1 clockwise), the weight as in `Aim`."""

    x: float
    y: float
    side: float
    weight: float


class ThrowMessage(AimMessage):
    """A throw; `shot` is its number in the match, from 0."""

    shot: int


class SetupMessage(msgspec.Struct):
    """A set-up of the end, from 0, in mixed doubles: one of `curling.match.setup_value.CHOICES`."""

    end: int
    choice: str
