"""Positions that clients send to the planner's process, which makes the model and the state of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT
from bonspiel.planners.model import Array

if TYPE_CHECKING:
    from bonspiel.curling.model import Curling

# of two players: top speed, m/s, standard deviations of speed, m/s, and angle, rad
Throwers: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]

EXTRA_ENDS = 10  # assumed where ties are always played out; more would not change any value noticeably


class MixedDoubles(NamedTuple):
    """What is particular to a position of mixed doubles.

    Attributes:
        pattern: place of the guards, 0 to 5.
        decider: the team that decides the set-up of the end, or has decided it.
        power_plays: whether team 0 and team 1 may still have theirs.
        throwers: of team 0 and of team 1; None: all throw alike.
    """

    pattern: int
    decider: int
    power_plays: tuple[bool, bool]
    throwers: tuple[Throwers, Throwers] | None = None


@dataclass(frozen=True, eq=False)
class ClientPosition:
    """A position and the rest of its match, the current end included; an extra end is a match of one end.

    Attributes:
        stones: [16, 2], m, rows as in `curling.ice.sheet`, NaN where absent.
        shot: number of the next shot in its end, 0..15; in mixed doubles 0 before the set-up, then 6..15.
        hammer: the team, 0 or 1, that throws second in this end.
        lead: points of team 0 less those of team 1.
        ends: regular ends left, the current one included, at least 1.
        extra_ends: whether a tie is followed by extra ends; otherwise it is a draw.
        rule: one of `curling.match.rules.RULES`, or "modified" in mixed doubles.
        physics: "fcv1", "dc2" or "dc4".
        noise: of the thrower, if `mixed` tells none: one of `curling.ice.noise.NOISES`, or standard deviations of
        speed,
            m/s, and angle, rad.
        max_speed: the thrower's top speed, m/s, likewise; None is that of the physics.
        mixed: None in standard games.
    """

    stones: Array
    shot: int
    hammer: int
    lead: int
    ends: int
    extra_ends: bool
    rule: str
    physics: Literal["fcv1", "dc2", "dc4"]
    noise: str | tuple[float, float]
    max_speed: float | None = None
    mixed: MixedDoubles | None = None

    @property
    def first_shot(self) -> int:
        """Number of the first shot of an end."""
        return 0 if self.mixed is None else MIXED_FIRST_SHOT

    @property
    def is_setup_due(self) -> bool:
        """Whether the end has to be set up first."""
        return self.shot < self.first_shot

    @property
    def team(self) -> int:
        """The team that throws next."""
        return 1 - self.hammer if self.shot % 2 == 0 else self.hammer

    def model(self) -> Curling:
        """The model for planners; values are team 0's probability to win."""
        from bonspiel.curling.ice.noise import Noise, Thrower
        from bonspiel.curling.model import MOST_ENDS, Curling

        ends, extra_ends = min(self.ends, MOST_ENDS), EXTRA_ENDS if self.extra_ends else 0
        noise: str | Noise | None = self.noise if isinstance(self.noise, str) else Noise(*self.noise)
        of_game: dict[str, Any] = {"max_speed": self.max_speed}
        if self.mixed is not None:
            of_game |= {"game": "mixed_doubles", "pattern": self.mixed.pattern}
            if self.mixed.throwers is not None:
                teams = self.mixed.throwers
                pairs = [tuple(Thrower(top, Noise(*deviations)) for top, *deviations in team) for team in teams]
                noise, of_game["throwers"] = None, tuple(pairs)
        return Curling(ends, self.rule, noise, self.physics, extra_ends, **of_game).planning()

    def state(self) -> Array:
        """The state of `model` in this position."""
        from bonspiel.curling.match.mixed_doubles import mixed_state_of
        from bonspiel.curling.match.state import state_of

        position = self.stones, self.shot, self.hammer, 0, self.lead
        if self.mixed is None:
            return state_of(*position)
        return mixed_state_of(*position, self.mixed.decider, self.mixed.power_plays)
