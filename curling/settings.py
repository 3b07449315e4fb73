"""The settings of a curling match: its length, physics, rule, errors of execution, rewards and game.

Its import is quick: code that is compiled is imported where `curling.model.Curling` checks them.
"""

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from bonspiel.curling.ice.noise import Noise, Pair
from bonspiel.curling.ice.physics import Physics, physics_of
from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT, STONES

MOST_ENDS = 100
Game: TypeAlias = Literal["standard", "mixed_doubles"]
GAMES: tuple[Game, ...] = get_args(Game)
NETWORK_TABLE = "network"


@dataclass(frozen=True)
class MatchSettings:
    """The settings of a match, or of a single end; `curling.model.Curling` describes and checks each of them."""

    ends: int = 1
    rule: str | None = None
    noise: str | Noise | None = None
    physics: Literal["fcv1", "dc2", "dc4"] = "fcv1"
    extra_ends: int = 0
    velocity_unit: Literal["m/s", "box"] = "m/s"
    reward: Literal["points", "win", "win_probability"] = "points"
    tie: float = 0.5
    table: str | tuple[float, ...] | None = None
    max_speed: float | None = None
    weights: str | None = None
    game: Game = "standard"
    pattern: int = 0
    throwers: tuple[Pair, Pair] | None = None

    def values(self) -> dict[str, Any]:
        """The settings by name, without what a subclass adds."""
        return {field.name: getattr(self, field.name) for field in fields(MatchSettings)}

    @property
    def is_mixed(self) -> bool:
        """Return whether the game is mixed doubles."""
        return self.game == "mixed_doubles"

    @property
    def first_shot(self) -> int:
        """Number of the first shot of an end."""
        return MIXED_FIRST_SHOT if self.is_mixed else 0

    @property
    def end_shots(self) -> int:
        """Number of shots of an end."""
        return STONES - self.first_shot

    @property
    def law(self) -> Physics:
        """The parameters of the physics."""
        return physics_of(self.physics)

    @property
    def horizon(self) -> int:
        """A bound on the shots of the longest match, to which the time in the states counts."""
        return STONES * (self.ends + self.extra_ends)

    @property
    def unit(self) -> tuple[float, float, float]:
        """(a, b, c) of the velocity (a * action[0], b + c * action[1]), m/s."""
        if self.velocity_unit == "m/s":
            return 1.0, 0.0, 1.0
        low, high = self.law.min_vy, self.law.max_speed
        return self.law.max_vx, 0.5 * (low + high), 0.5 * (high - low)
