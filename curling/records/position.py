"""A position of a match in plain values, with its conversions: to and from JSON, and a planner's model and state.

Its import is quick: code that is compiled is imported where the model or the state is made.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from bonspiel.curling.ice.noise import Noise, Pair, Thrower, noise_of
from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT, STONES, places, stones_at
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array

if TYPE_CHECKING:
    from bonspiel.curling.model import Curling

EXTRA_ENDS = 10  # assumed where ties are always played out; more would not change any value noticeably
PLAIN = "shot", "hammer", "lead", "end", "ends", "extra_ends", "reward", "tie", "physics", "rule", "max_speed"


class MixedDoubles(NamedTuple):
    """The part of a position that standard games lack.

    Attributes:
        pattern: place of the guards, 0 to 5.
        decider: the team that decides the set-up of the end, or has decided it.
        power_plays: whether team 0 and team 1 may still have theirs.
        throwers: of team 0 and of team 1; None: all throw alike.
    """

    pattern: int
    decider: int
    power_plays: tuple[bool, bool]
    throwers: tuple[Pair, Pair] | None = None


@dataclass(frozen=True, eq=False)
class MatchPosition:
    """A position and the settings of its match; values are checked where the model and the state are made.

    Attributes:
        stones: [16, 2], m, rows as in `curling.ice.sheet`, NaN where absent.
        shot: number of the next shot in its end, 0..15; in mixed doubles 0 before the set-up, then 6..15.
        hammer: the team, 0 or 1, that throws second in this end.
        lead: points of team 0 less those of team 1 in the ends before.
        end: number of the end, from 0; from `ends` on they are extra ends.
        ends: regular ends of the match; more than the model's most are taken as that many.
        extra_ends: most extra ends after a tie.
        reward: argument of `curling.model.Curling`.
        tie: argument of `Curling`.
        physics: argument of `Curling`.
        rule: argument of `Curling`.
        noise: argument of `Curling`; with `mixed.throwers` the errors of the one who throws next.
        max_speed: argument of `Curling`; with `mixed.throwers` that of the one who throws next.
        mixed: None in standard games.
    """

    stones: Array
    shot: int
    hammer: int = 1
    lead: int = 0
    end: int = 0
    ends: int = 1
    extra_ends: int = 0
    reward: Literal["points", "win", "win_probability"] = "points"
    tie: float = 0.5
    physics: Literal["fcv1", "dc2", "dc4"] = "fcv1"
    rule: str | None = None
    noise: str | Noise | None = None
    max_speed: float | None = None
    mixed: MixedDoubles | None = None

    @classmethod
    def of(cls, model: Curling, state: Array) -> Self:
        """The position of a model's state."""
        from bonspiel.curling.match.state import DECIDER, LEAD, POWER, TIME, hammer_of, stones_of

        (end, shot), thrower, mixed = divmod(int(state[TIME]), STONES), model.thrower(state), None
        if model.is_mixed:
            first, second = state[POWER : POWER + 2]
            mixed = MixedDoubles(model.pattern, int(state[DECIDER]), (bool(first), bool(second)), model.throwers)
        place = stones_of(state), shot, int(hammer_of(state)), int(state[LEAD]), end
        rewards = model.ends, model.extra_ends, model.reward, float(model.tie)
        return cls(*place, *rewards, model.physics, model.rule, thrower.noise, thrower.max_speed, mixed)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """The position of an object of `to_json`; other keys are ignored, and missing ones have their defaults.

        Raises:
            KeyError: without stones.
            TypeError: without a shot, or with values of other types.
            ValueError: the stones are not 16 places, each two finite numbers or null.
        """
        fields = {name: given[name] for name in PLAIN if name in given}
        if "noise" in given:
            fields["noise"] = Noise(**given["noise"])
        if "mixed_doubles" in given:
            fields["mixed"] = _mixed_of(**given["mixed_doubles"])
        return cls(stones_at(_checked_places(given["stones"])), **fields)

    def to_json(self) -> dict[str, Any]:
        """The position as an object of JSON; docs/curling/process-player.md describes its keys."""
        fields = {"stones": places(self.stones), "team": self.team, "noise": asdict(noise_of(self.noise))}
        fields |= {name: getattr(self, name) for name in PLAIN}
        if self.mixed is not None:
            throwers = self.mixed.throwers
            pairs = None if throwers is None else [[asdict(player) for player in pair] for pair in throwers]
            fields["mixed_doubles"] = self.mixed._asdict() | {"throwers": pairs}
        return fields

    @property
    def first_shot(self) -> int:
        """Number of the first shot of an end."""
        return 0 if self.mixed is None else MIXED_FIRST_SHOT

    @property
    def is_setup_due(self) -> bool:
        """Return whether the end has to be set up first."""
        return self.shot < self.first_shot

    @property
    def ends_left(self) -> int:
        """Regular ends left, the current one included; an extra end counts as one."""
        return max(self.ends - self.end, 1)

    @property
    def team(self) -> int:
        """The team that throws next."""
        return 1 - self.hammer if self.shot % 2 == 0 else self.hammer

    def model(self) -> Curling:
        """The model of the match.

        Raises:
            ValueError: a setting that the model refuses.
        """
        from bonspiel.curling.model import Curling
        from bonspiel.curling.settings import MOST_ENDS

        settings: dict[str, Any] = {"noise": self.noise, "max_speed": self.max_speed}
        if self.mixed is not None:
            settings |= {"game": "mixed_doubles", "pattern": self.mixed.pattern}
            if self.mixed.throwers is not None:
                settings |= {"noise": None, "max_speed": None, "throwers": self.mixed.throwers}
        for name in ("extra_ends", "reward", "tie", "physics", "rule"):
            settings[name] = getattr(self, name)
        return _first_of_equals(Curling(min(self.ends, MOST_ENDS), **settings))

    def state(self) -> Array:
        """The state of `model` in this position.

        Raises:
            ValueError: a number out of range.
        """
        from bonspiel.curling.match.mixed_doubles import mixed_state_of
        from bonspiel.curling.match.state import state_of

        position = self.stones, self.shot, self.hammer, self.end, self.lead
        if self.mixed is None:
            return state_of(*position)
        return mixed_state_of(*position, self.mixed.decider, self.mixed.power_plays)


@functools.lru_cache(maxsize=8)
def _first_of_equals(model: Curling) -> Curling:
    """The first model of this match, which may have its parameters already: in mixed doubles they take 30 ms."""
    return model


def _mixed_of(pattern: int, decider: int, power_plays: Any, throwers: Any) -> MixedDoubles:
    """The part of mixed doubles from its values in JSON."""
    first, second = power_plays
    if throwers is not None:
        team0, team1 = (tuple(Thrower(one["max_speed"], Noise(**one["noise"])) for one in pair) for pair in throwers)
        throwers = team0, team1
    return MixedDoubles(pattern, decider, (first, second), throwers)


def _checked_places(given: Any) -> Any:
    """Places from JSON; a ValueError unless they are 16, each two finite numbers or None."""
    listed = isinstance(given, list) and len(given) == STONES
    pairs = listed and all(place is None or (isinstance(place, list) and len(place) == 2) for place in given)
    require(pairs, "stones", given, f"{STONES} places, each [x, y] or null")
    for i, place in enumerate(given):
        finite = place is None or all(type(v) in (int, float) and isfinite(v) for v in place)
        require(finite, f"stones[{i}]", place, "two finite numbers or null")
    return given
