"""Parameters of families varied one at a time, and the suite that plays them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from bonspiel import envs
from bonspiel.planners.registry import look_up, unknown
from bonspiel.runs.experiment import Entrant, Experiment, UsageError, number, parsed
from bonspiel.runs.statistics.split_half import FAMILY
from bonspiel.runs.suite import Suite


@dataclass(frozen=True)
class Variation:
    """A parameter of a family that is varied, while the family's other ones have their defaults."""

    family: str  # its name, with "family:"
    parameter: str
    default: float  # of the parameter
    values: tuple[float, ...]  # ascending

    def problem(self, value: float, instance: int) -> str:
        """The text of an instance with this value; with the default it is the same for all parameters."""
        changed = "" if value == self.default else f",{self.parameter}={value:.10g}"
        return f"{self.family}:instance={instance}{changed}"

    def problems(self, instances: int) -> Iterator[str]:
        """The texts of all its problems."""
        return (self.problem(value, instance) for value in self.values for instance in range(1, instances + 1))


def variations(families: Sequence[str] = (), given: Sequence[tuple[str, Sequence[float]]] = ()) -> list[Variation]:
    """The variations of some families, with or without "family:"; of all without any.

    A given parameter without values has the family's, and equal names add up; all parameters if none is given.
    """
    found = []
    known = {name.removeprefix(FAMILY): name for name in envs.FAMILIES}
    for short in dict.fromkeys(name.removeprefix(FAMILY) for name in families or known):
        try:
            family = look_up("family", short, known)
        except ValueError as error:
            raise UsageError(str(error)) from error
        cls = envs.REGISTRY.cls(family)
        asked = given or [*cls.varied.items()]
        for parameter in dict.fromkeys(name for name, _ in asked):
            if parameter not in cls.varied:
                raise UsageError(f"{unknown(f'parameter of {family}', parameter, cls.varied)}; or choose --families")
            lists = (some or cls.varied[parameter] for name, some in asked if name == parameter)
            values = tuple(sorted({float(f"{value:.10g}") for value in chain.from_iterable(lists)}))  # as in texts
            found.append(Variation(family, parameter, getattr(cls, parameter), values))
            _check_values(found[-1])
    return found


def _check_values(of: Variation) -> None:
    for problem in of.problems(1):
        try:
            parsed(envs.parse, problem)
        except UsageError as error:
            raise UsageError(f"{of.family}: {error}; or choose --families") from error


def suite(
    planners: Sequence[str], varied: Sequence[Variation], budget: int, episodes: int, instances: int, seed: int
) -> Suite:
    """The suite that plays all values of some variations."""
    number("instances", instances, 2, 10_000, whole=True)
    entrants = tuple(map(Entrant, dict.fromkeys(planners)))
    problems = dict.fromkeys(text for one in varied for text in one.problems(instances))
    played = (Experiment(text, entrants, (budget,), episodes=episodes, seed=seed) for text in problems)
    said = f"One parameter of a family varied at a time, {instances} instances, {budget} simulations per decision"
    return Suite("sensitivity", tuple(played), said)
