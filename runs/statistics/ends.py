"""The scales of the problems of runs: ends that are known without a run, and means of what was played."""

from collections.abc import Iterable, Mapping

import numpy as np

from bonspiel.planners import BASELINES
from bonspiel.planners.model import Array
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.statistics.scale import BEST, DO_NOTHING, RANDOM, Known, Scale, known
from bonspiel.runs.statistics.targets import resampled_means

Samples = Mapping[tuple[int, Setting], Array]
"""Returns in a problem by the place of a run among several, and setting."""

LEAST_WIDTH = 0.25  # of the scale in a resample, by its width in the run: scores divide by it
PLANNERS = {RANDOM: "random", DO_NOTHING: "do_nothing"}


def scales(samples: Iterable[tuple[Setting, Array]]) -> dict[str, Scale]:
    """The scale of each problem in these samples of returns.

    Left out are problems of which neither the random policy nor doing nothing is known or has played, and those in
    which nothing is clearly above the better of these two (`Known.scale_to`).
    """
    means: dict[str, dict[str, list[float]]] = {}
    for setting, sample in samples:
        if len(sample):
            means.setdefault(setting.env, {}).setdefault(setting.planner, []).append(float(sample.mean()))
    found = {env: _scale(known(env), of_planners) for env, of_planners in means.items()}
    return {env: scale for env, scale in found.items() if scale is not None}


def _scale(values: Known, means: Mapping[str, list[float]]) -> Scale | None:
    played = {name: float(np.mean(means[name])) for name in BASELINES if name in means}
    unknown = {name: mean for name, mean in played.items() if getattr(values, name) is None}
    values = values._replace(**unknown)
    best = max(value for of_planner in means.values() for value in of_planner)
    found = values.scale_to(BEST, best) if values.top is None else values.scale
    return found and found._replace(zero_played=PLANNERS[found.zero] in unknown)


def resampled_scores(scale: Scale, samples: Samples) -> dict[tuple[int, Setting], Array]:
    """Mean scores in resamples of the episodes, [resamples], in a problem of whose scale an end was played.

    The ends are resampled too: in each resample all settings that have as many episodes take the same ones, which
    mostly met the same noise. A single episode has NaN.

    Args:
        scale: of the problem; where its top is the best of the run, it stays that of the same setting.
        samples: of all its settings. Returns their scores; nothing where both ends are known.
    """
    if not scale.zero_played and scale.top != BEST:
        return {}
    means: dict[tuple[int, Setting], Array] = {}
    for n in sorted(set(map(len, samples.values()))):
        alike = [key for key, sample in samples.items() if len(sample) == n]
        rng = named_rng(f"ends|{alike[0][1].env}", 0, n)
        means |= zip(alike, resampled_means([samples[key] for key in alike], rng).T, strict=True)
    zero = [drawn for (_, setting), drawn in means.items() if setting.planner == PLANNERS[scale.zero]]
    low = np.mean(zero, axis=0) if scale.zero_played else np.float64(scale.low)
    best = max(samples, key=lambda key: float(samples[key].mean()))
    high = means[best] if scale.top == BEST else np.float64(scale.high)
    width = np.maximum(high - low, LEAST_WIDTH * (scale.high - scale.low))
    return {key: (drawn - low) / width for key, drawn in means.items()}
