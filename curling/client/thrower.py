"""The model of a match whose thrower cannot throw as hard as others."""

from dataclasses import dataclass
from functools import cached_property

from curling.model import Curling
from curling.state import CAP
from planners.base import Array, require_positive


@dataclass(frozen=True)
class Thrower(Curling):
    """A match of curling; see `curling.model.Curling`.

    Args:
        max_speed: aims are capped at this speed, m/s, if it is below that of the physics; None is that of the physics.
    """

    max_speed: float | None = None

    def __post_init__(self) -> None:
        """Refuse a match that cannot be played."""
        super().__post_init__()
        if self.max_speed is not None:
            require_positive("max_speed", self.max_speed)

    @cached_property
    def params(self) -> Array:
        """As of the match, with the thrower's own cap."""
        params: Array = super().params.copy()
        if self.max_speed is not None:
            params[CAP] = min(self.max_speed, params[CAP])
        return params
