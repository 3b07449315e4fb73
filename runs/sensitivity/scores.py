"""Scores of planners by the value of a parameter."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bonspiel.planners.model import Array
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.progress import counted, followed
from bonspiel.runs.results.store import Store
from bonspiel.runs.sensitivity.variations import Variation
from bonspiel.runs.statistics.ends import scales
from bonspiel.runs.statistics.regret import start_values
from bonspiel.runs.statistics.sample import Interval, summarise
from bonspiel.runs.statistics.scale import NO_SCALE, OPTIMUM, Scale

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
