"""A position of a match in plain values, with its conversions: to and from JSON, and a planner's model and state.

Its import is quick: code that is compiled is imported where the model or the state is made.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

from bonspiel.curling.ice.noise import Noise, Thrower, noise_of
from bonspiel.curling.ice.sheet import STONES, places, stones_at
from bonspiel.curling.settings import MOST_ENDS, MatchSettings
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array

if TYPE_CHECKING:
    from bonspiel.curling.model import Curling

EXTRA_ENDS = 10  # assumed where ties are always played out; more would not change any value noticeably
PLACE = "shot", "hammer", "lead", "end"  # keys in JSON
NOISE = tuple(part.name for part in fields(Noise))
THROWER = tuple(part.name for part in fields(Thrower))
MIXED = "pattern", "decider", "power_plays", "throwers"
SETTINGS = "ends", "extra_ends", "reward", "tie", "physics", "rule", "max_speed"


@dataclass(frozen=True, eq=False)
class MatchPosition:
    """A position and the settings of its match; values are checked where the model and the state are made.

    Attributes:
        stones: [16, 2], m, rows as in `curling.ice.sheet`, NaN where absent.
        shot: number of the next shot in its end, 0..15; in mixed doubles 0 before the set-up, then 6..15.
        hammer: the team, 0 or 1, that throws second in this end.
        lead: points of team 0 less those of team 1 in the ends before.
        end: number of the end, from 0; from `settings.ends` on they are extra ends.
        settings: of the match; more ends than the model's most are taken as that many. With throwers, `noise` and
            `max_speed` are those of the one who throws next.
        decider: in mixed doubles the team that decides the set-up of the end, or has decided it.
        power_plays: in mixed doubles whether team 0 and team 1 may still have theirs.
    """

    stones: Array
    shot: int
    hammer: int = 1
    lead: int = 0
    end: int = 0
    settings: MatchSettings = field(default_factory=MatchSettings)
    decider: int = 1
    power_plays: tuple[bool, bool] = (True, True)

    @classmethod
    def of(cls, model: Curling, state: Array) -> Self:
        """The position of a model's state."""
        from bonspiel.curling.match.state import DECIDER, LEAD, POWER, TIME, hammer_of, stones_of

        (end, shot), thrower = divmod(int(state[TIME]), STONES), model.thrower(state)
        own = {"tie": float(model.tie), "noise": thrower.noise, "max_speed": thrower.max_speed}
        settings = MatchSettings(**model.values() | own)
        found = cls(stones_of(state), shot, int(hammer_of(state)), int(state[LEAD]), end, settings)
        if not model.is_mixed:
            return found
        first, second = state[POWER : POWER + 2]
        return replace(found, decider=int(state[DECIDER]), power_plays=(bool(first), bool(second)))

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """The position of an object of `to_json`; other keys are ignored, and missing ones have their defaults.

        Raises:
            KeyError: without stones.
            TypeError: without a shot.
            ValueError: the stones are not 16 places, each two finite numbers or null, or an object has other values.
        """
        place, settings = ({name: given[name] for name in names if name in given} for names in (PLACE, SETTINGS))
        if "noise" in given:
            settings["noise"] = _noise_of(given["noise"])
        if "mixed_doubles" in given:
            more, setup = _mixed_of(given["mixed_doubles"])
            settings |= more
            place |= setup
        return cls(stones_at(_checked_places(given["stones"])), **place, settings=MatchSettings(**settings))

    def to_json(self) -> dict[str, Any]:
        """The position as an object of JSON; docs/curling/process-player.md describes its keys."""
        settings = self.settings
        found = {"stones": places(self.stones), "team": self.team, "noise": _told(noise_of(settings.noise))}
        found |= {name: getattr(self, name) for name in PLACE} | {name: getattr(settings, name) for name in SETTINGS}
        if settings.is_mixed:
            setup = {"pattern": settings.pattern, "decider": self.decider, "power_plays": self.power_plays}
            throwers = settings.throwers and [[_told_thrower(one) for one in pair] for pair in settings.throwers]
            found["mixed_doubles"] = setup | {"throwers": throwers}
        return found

    @property
    def is_setup_due(self) -> bool:
        """Return whether the end has to be set up first."""
        return self.shot < self.settings.first_shot

    @property
    def ends_left(self) -> int:
        """Regular ends left, the current one included; an extra end counts as one."""
        return max(self.settings.ends - self.end, 1)

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

        return _first_of_equals(Curling.of(self.settings, ends=min(self.settings.ends, MOST_ENDS)))

    def state(self) -> Array:
        """The state of `model` in this position.

        Raises:
            ValueError: a number out of range.
        """
        from bonspiel.curling.match.mixed_doubles import mixed_state_of
        from bonspiel.curling.match.state import state_of

        end = max(self.end - max(self.settings.ends - MOST_ENDS, 0), 0)  # of the model, whose first ends are left out
        position = self.stones, self.shot, self.hammer, end, self.lead
        if not self.settings.is_mixed:
            return state_of(*position)
        return mixed_state_of(*position, self.decider, self.power_plays)


@functools.lru_cache(maxsize=8)
def _first_of_equals(model: Curling) -> Curling:
    """The first model of this match, which may have its parameters already: in mixed doubles they take 30 ms."""
    return model


def _mixed_of(given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings and the set-up of mixed doubles from their object in JSON."""
    require(_has_keys(given, MIXED), "mixed_doubles", given, f"an object with the keys {', '.join(MIXED)}")
    left, throwers = given["power_plays"], given["throwers"]
    require(_is_pair(left) and {*map(type, left)} == {bool}, "power_plays", left, "[true or false, true or false]")
    if throwers is not None:
        pairs = _is_pair(throwers) and all(_is_pair(pair) for pair in throwers)
        good = pairs and all(_has_keys(one, THROWER) for pair in throwers for one in pair)
        require(good, "throwers", throwers, f"null or two teams of two players, each with {' and '.join(THROWER)}")
        team0, team1 = (tuple(Thrower(one["max_speed"], _noise_of(one["noise"])) for one in pair) for pair in throwers)
        throwers = team0, team1
    settings = {"game": "mixed_doubles", "pattern": given["pattern"], "throwers": throwers}
    return settings, {"decider": given["decider"], "power_plays": tuple(left)}


def _told(noise: Noise) -> dict[str, float]:
    """The object in JSON of errors of execution; Gaussian ones as versions before 0.3 know them."""
    return {name: value for name, value in asdict(noise).items() if value or name != "freedom"}


def _told_thrower(thrower: Thrower) -> dict[str, Any]:
    return {"max_speed": thrower.max_speed, "noise": _told(thrower.noise)}


def _noise_of(given: Any) -> Noise:
    """Errors of execution from their object in JSON."""
    good = isinstance(given, dict) and given.keys() <= {*NOISE}
    require(good, "noise", given, f"an object of standard deviations, its keys of {', '.join(NOISE)}")
    return Noise(**given)


def _has_keys(given: Any, keys: tuple[str, ...]) -> bool:
    return isinstance(given, dict) and given.keys() == {*keys}


def _is_pair(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2


def _checked_places(given: Any) -> Any:
    """Places from JSON; a ValueError unless they are 16, each two finite numbers or None."""
    listed = isinstance(given, list) and len(given) == STONES
    pairs = listed and all(place is None or (isinstance(place, list) and len(place) == 2) for place in given)
    require(pairs, "stones", given, f"{STONES} places, each [x, y] or null")
    for i, place in enumerate(given):
        finite = place is None or all(type(v) in (int, float) and isfinite(v) for v in place)
        require(finite, f"stones[{i}]", place, "two finite numbers or null")
    return given
