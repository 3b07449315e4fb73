"""Experiments as data: planners, environment, budgets, number of episodes, seed; and a machine's part of them."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from bonspiel.planners import Model, Planner

T = TypeVar("T")

UNITS = ("simulations", "steps", "ms")
NOUNS = {"simulations": "simulation", "steps": "model step"}


class UsageError(Exception):
    """An invalid request; the message is one line with the fault and the allowed values."""


class RunError(Exception):
    """A run had to stop; the message is one line with the reason and the kept results."""


class Setting(NamedTuple):
    """The parameters of an episode; `env` and `planner` are texts as on the command line, `unit` is one of UNITS."""

    env: str
    planner: str
    budget: int | float
    unit: str
    seed: int

    @property
    def words(self) -> str:
        """All but the seed in words."""
        return f"{self.planner} in {self.env} with {amount(self.budget, self.unit)}"


def amount(budget: float, unit: str) -> str:
    """A budget in words, such as "100 simulations", "1 simulation", "500 model steps", "1 ms" and "20 s a game"."""
    noun = NOUNS.get(unit)
    return f"{budget:g} {unit if noun is None else noun + 's' * (budget != 1)}"


def number(name: str, value: Any, low: float, high: float, *, whole: bool) -> Any:
    """The value, an int if it is whole."""
    kind = "a whole number" if whole else "a number"
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not (good and low <= value <= high and (not whole or value == int(value))):
        given = int(value) if good and value == int(value) else value
        raise UsageError(f"{name}={given!r}: must be {kind} from {low:g} to {high:.10g}")
    return int(value) if value == int(value) else value


def parsed(parse: Callable[[str], T], text: str) -> T:
    """Parse a text, such as that of a planner or of an environment."""
    try:
        return parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error
    except TypeError as error:
        raise UsageError(f"{text!r}: a parameter has the wrong kind of value ({error})") from error


def planner_for(text: str, model: "Model", env: str) -> "Planner":
    """The planner of a text, which can search the model of the environment `env`."""
    from bonspiel import planners

    planner = parsed(planners.parse, text)
    if reason := planners.unsupported(planner, model):
        raise UsageError(f"{text} cannot search {env}: {reason}; {able(model)}")
    return planner


def able(model: "Model") -> str:
    """The end of an error's line: which planners can search a model."""
    from bonspiel import planners

    return f"these can: {', '.join(planners.names_for(model, extensions=True))}"


def known_fields(cls: type[Any], given: Mapping[str, Any], where: str, *more: str) -> None:
    """Refuse keys that are neither fields of the dataclass nor among `more`, with the close match named."""
    from bonspiel.planners.registry import unknown

    allowed = [*(field.name for field in fields(cls)), *more]
    for key in given:
        if key not in allowed:
            raise UsageError(str(unknown(f"key of {where}", key, allowed)))


@dataclass(frozen=True)
class Entrant:
    """A planner in an experiment, with the largest budgets that it takes part in (slow planners are capped)."""

    planner: str  # NAME[:key=value,...]
    max_simulations: float | None = None  # leave out larger budgets of simulations
    max_milliseconds: float | None = None  # leave out larger time budgets
    label: str | None = None  # its name in tables and charts; the planner's text if None

    def __post_init__(self) -> None:
        """Refuse caps that are no numbers, and a label that is no text of one line."""
        if not (self.label is None or (isinstance(self.label, str) and len(self.label.splitlines()) == 1)):
            raise UsageError(f"label={self.label!r}: must be a text of one line")
        for name in ("max_simulations", "max_milliseconds"):
            if getattr(self, name) is not None:
                number(name, getattr(self, name), 0, 1e12, whole=False)

    def grid(self) -> list["Entrant"]:
        """An entrant for each planner of a grid, such as "dpw:exploration=0.1|1"."""
        from bonspiel import planners

        texts = parsed(planners.REGISTRY.expand, self.planner)
        if len(texts) > 1 and self.label:
            raise UsageError(
                f"label={self.label!r} cannot name the {len(texts)} planners of {self.planner}: leave it out"
            )
        return [replace(self, planner=text) for text in texts]

    @classmethod
    def of(cls, given: str | Mapping[str, Any]) -> "Entrant":
        """From the text of a planner, or from a table with the text and the caps."""
        if isinstance(given, str):
            return cls(given)
        if isinstance(given, Mapping):
            known_fields(cls, given, "a planner entry")
        if not (isinstance(given, Mapping) and isinstance(given.get("planner"), str)):
            raise UsageError(f"planner entry {given!r}: must be a text, or a table with the text as `planner`")
        return cls(**given)


@dataclass(frozen=True)
class Experiment:
    """Some planners in one environment."""

    env: str  # NAME[:key=value,...]
    planners: tuple[Entrant, ...]
    simulations: tuple[int, ...] = ()  # budgets in simulations per decision
    milliseconds: tuple[int | float, ...] = ()  # budgets in milliseconds per decision
    episodes: int = 100  # episodes for each planner and budget
    seed: int = 0
    steps: tuple[int, ...] = ()  # budgets in steps of the model per decision, see `counting.StepBudget`

    def __post_init__(self) -> None:
        """Normalise the numbers and refuse what cannot be played."""
        whole = {"episodes": (1, 1e9), "seed": (0, 2**32 - 1)}
        for name, (low, high) in whole.items():
            object.__setattr__(self, name, number(name, getattr(self, name), low, high, whole=True))
        simulations = tuple(number("budget", b, 1, 1e12, whole=True) for b in self.simulations)
        steps = tuple(number("steps", b, 1, 1e15, whole=True) for b in self.steps)
        milliseconds = tuple(number("milliseconds", b, 1e-3, 1e9, whole=False) for b in self.milliseconds)
        object.__setattr__(self, "simulations", simulations)
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "milliseconds", milliseconds)
        if not self.planners:
            raise UsageError(f"{self.env}: needs at least one planner")
        if not (simulations or steps or milliseconds):
            raise UsageError(f"{self.env}: needs at least one budget, in simulations, model steps or milliseconds")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Experiment":
        """From a table of a TOML or JSON file."""
        known_fields(cls, given, "an experiment")
        lists = dict.fromkeys(("planners", "simulations", "steps", "milliseconds"), list)
        for name, kind in {"env": str, **lists}.items():
            if not isinstance(given.get(name, kind()), kind):
                raise UsageError(f"{name}={given[name]!r}: must be a {'text' if kind is str else 'list'}")
        if "env" not in given:
            raise UsageError('an experiment needs an `env`, e.g. env = "trap:noise_range=0.01"')
        numbers = {key: value for key, value in given.items() if key not in ("env", "planners")}
        return cls(
            given["env"],
            tuple(one for entry in given.get("planners", ()) for one in Entrant.of(entry).grid()),
            **numbers,
        )

    def settings(self) -> Iterator[Setting]:
        """Every combination of planner and budget to play."""
        for entrant in self.planners:
            for budget in self.simulations:
                if entrant.max_simulations is None or budget <= entrant.max_simulations:
                    yield Setting(self.env, entrant.planner, budget, "simulations", self.seed)
            for budget in self.steps:
                yield Setting(self.env, entrant.planner, budget, "steps", self.seed)
            for time in self.milliseconds:
                if entrant.max_milliseconds is None or time <= entrant.max_milliseconds:
                    yield Setting(self.env, entrant.planner, time, "ms", self.seed)


MOST = 100_000


class RunPart(NamedTuple):
    """Every `of`-th episode of every setting, beginning with the `nth`, counted from 1."""

    nth: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "RunPart":
        """From a text such as "1/4"."""
        try:
            nth, of = map(int, text.split("/"))
        except ValueError:
            raise UsageError(f"part {text!r}: must be written as 1/4, the first of four") from None
        number("parts", of, 1, MOST, whole=True)
        number("part", nth, 1, of, whole=True)
        return cls(nth, of)

    def episodes(self, count: int) -> range:
        """The episodes of this part where a setting has `count`."""
        return range(self.nth - 1, count, self.of)

    def __str__(self) -> str:
        return f"{self.nth}/{self.of}"


WHOLE = RunPart(1, 1)
