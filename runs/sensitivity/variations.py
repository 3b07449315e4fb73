"""Parameters of families varied one at a time, the suite that plays them, and the scores."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from bonspiel import envs
from bonspiel.planners.model import Array
from bonspiel.planners.registry import look_up, unknown
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import Entrant, Experiment, Setting, UsageError, number, parsed
from bonspiel.runs.progress import counted, followed
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.ends import scales
from bonspiel.runs.statistics.regret import start_values
from bonspiel.runs.statistics.sample import Interval, summarise
from bonspiel.runs.statistics.scale import NO_SCALE, OPTIMUM, Scale
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


Scores = Mapping[float, Interval]
"""A value of the parameter -> the mean score over instances; values without a score are left out."""


class Sensitivity(NamedTuple):
    """The scores of planners against one parameter."""

    variation: Variation
    scores: Mapping[str, Scores]  # by the name of the planner
    notes: Sequence[str]  # sentences on scores that are missing, or on another scale


def sensitivities(store: Store, varied: Sequence[Variation], instances: int) -> list[Sensitivity]:
    """The scores of a run's planners against each parameter."""
    episodes, played = store.values("episode"), dict[str, dict[Setting, Array]]()
    for setting, sample in store.returns().items():
        if len(sample):
            played.setdefault(setting.env, {})[setting] = sample
    problems: dict[str, Scale | None] = {}
    means: dict[tuple[str, str], float] = {}  # by problem and planner
    for env in followed(list(played), "problems scored"):
        problems[env] = scale = scales(played[env].items()).get(env)
        if scale is not None:
            for setting, sample in played[env].items():
                means[env, setting.planner] = float(_scores(scale, setting, sample, episodes[setting]).mean())
    return [_of_variation(store, one, instances, problems, means) for one in varied]


def _scores(scale: Scale, setting: Setting, sample: Array, episodes: Array) -> Array:
    """Normalised scores of episodes; from different starts each against the optimum of its own."""
    best = start_values(setting.env, setting.seed, episodes) if scale.top == OPTIMUM else None
    return np.asarray(scale.scores(sample if best is None else sample + scale.high - best))


def _of_variation(
    store: Store,
    of: Variation,
    instances: int,
    problems: Mapping[str, Scale | None],
    means: Mapping[tuple[str, str], float],
) -> Sensitivity:
    names = store.suite.names(of.problem(of.values[0], 1))
    scores: dict[str, dict[float, Interval]] = {name: {} for name in names.values()}
    notes = []
    for value in of.values:
        texts = [of.problem(value, instance) for instance in range(1, instances + 1)]
        tops = Counter(scale.top for text in texts if (scale := problems.get(text)) is not None)
        flat = [number for number, text in enumerate(texts, 1) if text in problems and problems[text] is None]
        given = f"With {of.parameter}={value:.10g}"
        if flat:
            notes.append(f"{given} left out: instance {', '.join(map(str, flat))}, where {NO_SCALE}.")
        notes += [
            f"{given} score 1 is the {top} in {counted(tops[top], 'instance')}." for top in tops if top != OPTIMUM
        ]
        for planner, name in names.items():
            found = [means[text, planner] for text in texts if (text, planner) in means]
            if len(found) < instances - len(flat):
                notes.append(f"{given} {name} has scores in {len(found)} of {instances} instances.")
            if found:  # the same resamples for all planners
                rng = named_rng(f"sensitivity|{of.family}|{of.parameter}|{value}", 0, len(found))
                scores[name][value] = summarise(found, rng).interval
    return Sensitivity(of, scores, notes)
