"""What a planner is asked about, in plain numbers, so that the client itself need not load what is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planners.base import Array

if TYPE_CHECKING:
    from curling.model import Curling

EXTRA_ENDS = 10  # that planners reckon with where a tie is always played out; more change no value that matters


@dataclass(frozen=True, eq=False)
class Situation:
    """A position, and the rest of its match from the present end on; an extra end is a match of one end.

    Attributes:
        stones: [16, 2], m, rows as in `curling.sheet`, NaN where absent.
        shot: number of the next shot in its end, 0..15.
        hammer: the team, 0 or 1, that throws second in this end.
        lead: points of team 0 less those of team 1.
        ends: regular ends left, the present one included, at least 1.
        ties_go_on: whether a tie is followed by extra ends; otherwise it is a draw.
        rule: one of `curling.rules.RULES`.
        physics: "fcv1" or "dc2".
        noise: of the thrower: one of `curling.noise.NOISES`, or standard deviations of speed, m/s, and angle, rad.
        max_speed: that the thrower can give a stone, m/s; None is the simulator's own.
    """

    stones: Array
    shot: int
    hammer: int
    lead: int
    ends: int
    ties_go_on: bool
    rule: str
    physics: Literal["fcv1", "dc2"]
    noise: str | tuple[float, float]
    max_speed: float | None = None

    @property
    def team(self) -> int:
        """The team that throws next."""
        return 1 - self.hammer if self.shot % 2 == 0 else self.hammer

    def model(self) -> Curling:
        """What planners look ahead with: values are team 0's probability to win."""
        from curling.model import MOST_ENDS, Curling
        from curling.noise import Noise

        noise = self.noise if isinstance(self.noise, str) else Noise(*self.noise)
        return Curling(
            ends=min(self.ends, MOST_ENDS),
            rule=self.rule,
            noise=noise,
            physics=self.physics,
            extra_ends=EXTRA_ENDS if self.ties_go_on else 0,
            max_speed=self.max_speed,
        ).planning()

    def state(self) -> Array:
        """The position as the model has it."""
        from curling.state import state_of

        return state_of(self.stones, self.shot, self.hammer, lead=self.lead)
