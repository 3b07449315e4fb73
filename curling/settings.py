"""The settings of a curling match: its length, physics, rule, errors of execution, rewards and game."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from bonspiel.curling.ice.noise import Noise, Pair, mean_noise, name_of, noise_of
from bonspiel.curling.ice.physics import Physics, physics_of
from bonspiel.curling.ice.sheet import DC3_SHEET, MIXED_FIRST_SHOT, MIXED_THROWERS, STONES
from bonspiel.curling.match.mixed_doubles import PATTERNS
from bonspiel.curling.match.rules import MODIFIED, rule_of
from bonspiel.curling.match.state import REWARDS
from bonspiel.curling.match.value import table_of
from bonspiel.curling.network.end_weights import load
from bonspiel.planners.checks import require, require_choice, require_count, require_positive, require_share

MOST_ENDS = 100
Game: TypeAlias = Literal["standard", "mixed_doubles"]
GAMES: tuple[Game, ...] = get_args(Game)
NETWORK_TABLE = "network"


@dataclass(frozen=True)
class MatchSettings:
    """The settings of a match, or of a single end; `curling.model.Curling` describes each of them.

    Raises:
        ValueError: one that is not allowed; the message names it.
    """

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

    def __post_init__(self) -> None:
        require_count("ends", self.ends, 1, MOST_ENDS)
        require_count("extra_ends", self.extra_ends, 0, MOST_ENDS)
        require_choice("reward", self.reward, REWARDS)
        require_share("tie", self.tie)
        require_choice("velocity_unit", self.velocity_unit, ("m/s", "box"))
        self._check_game()
        # models of the same match must be equal and print alike
        self._fill("rule", MODIFIED if self.is_mixed else self.law.rule)
        self._fill("noise", self.law.noises[0] if self.throwers is None else _mean_noise(self.throwers))
        if not self.is_mixed:
            rule_of(self.rule)
        noise_of(self.noise)
        fits = isinstance(self.noise, Noise) or name_of(self.noise) in self.law.noises
        names = ", ".join(map(repr, self.law.noises))
        allowed = f"{names}, one of these with a factor, or a Noise of your own with physics={self.physics!r}"
        require(fits, "noise", self.noise, allowed)
        if self.max_speed is not None:
            require_positive("max_speed", self.max_speed)
        if self.table not in (None, NETWORK_TABLE):
            object.__setattr__(self, "table", table_of(self.table, self.physics))
        if self.weights not in (None, "none"):
            require(isinstance(self.weights, str), "weights", self.weights, 'a file or "none"')
            load(Path(str(self.weights)))

    def _check_game(self) -> None:
        """Refuse settings of the other game."""
        require_choice("game", self.game, GAMES)
        require_count("pattern", self.pattern, 0, PATTERNS - 1)
        if self.is_mixed:
            in_mixed = "in mixed doubles"
            require(self.law.sheet == DC3_SHEET, "physics", self.physics, f"'fcv1' or 'dc4' {in_mixed}")
            require(self.rule in (None, MODIFIED), "rule", self.rule, f"None or {MODIFIED!r} {in_mixed}")
            require(self.table is None, "table", self.table, f"None {in_mixed}")
        if self.throwers is not None:
            require(self.is_mixed, "throwers", self.throwers, "None in standard games")
            require(self.max_speed is None, "max_speed", self.max_speed, "None with throwers, who have their own")
            mean = _mean_noise(self.throwers)
            require(self.noise in (None, mean), "noise", self.noise, "None with throwers, who have their own")

    def _fill(self, name: str, default: str | Noise | None) -> None:
        """Give a setting that is None its default."""
        if getattr(self, name) is None:
            object.__setattr__(self, name, default)

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


def _mean_noise(throwers: tuple[Pair, Pair]) -> Noise:
    """The mean errors of the throws of an end of mixed doubles."""
    return mean_noise([pair[player] for pair in throwers for player in MIXED_THROWERS])
