"""Rank correlation of planners between the odd and the even instances of a family, two disjoint draws."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy  # whose statistics are imported where they are used: that takes half a second

from bonspiel.planners.core.text import read
from bonspiel.planners.model import Array
from bonspiel.runs.draws import named_rng
from bonspiel.runs.plants import PlantText
from bonspiel.runs.statistics.ranks import FEWEST_PLANNERS, Leaderboard
from bonspiel.runs.statistics.sample import Interval, percentiles, resampled

Halves = tuple[list[str], list[str]]
"""Problems with odd instance numbers, and with even ones."""


FAMILY = "family:"


class SplitHalf(NamedTuple):
    """The rank correlation of planners between two halves of the instances."""

    # Spearman's, of the planners' mean scores over odd and over even instances, with a 95 % interval from resampled
    # instances; NaN where a half ranks all planners alike, and an interval of NaN where a half of a family has a single
    # instance
    correlation: Interval
    planners: int  # their number
    odd: int  # the number of problems with odd instances
    even: int  # the number of those with even ones


def halves(problems: Sequence[str]) -> dict[tuple[str, str], Halves]:
    """The instances among some problems by their family and all but the instance, where there are some of either half.

    Instances that planners plan in are meant; the other one of a plant may be any.
    """
    found: dict[tuple[str, str], Halves] = {}
    for problem in problems:
        parts = PlantText.of(problem)
        if parts.model.startswith(FAMILY):
            name, parameters = read(parts.model)
            odd = parameters.get("instance", 1) % 2
            alike = parts._replace(model=_any_instance(parts.model), plant=_any_instance(parts.plant))
            found.setdefault((name, str(alike)), ([], []))[1 - odd].append(problem)
    return {key: both for key, both in found.items() if all(both)}


def _any_instance(problem: str) -> str:
    if not problem.startswith(FAMILY):
        return problem
    name, parameters = read(problem)
    parameters.pop("instance", None)
    return f"{name}:{parameters}"


def split_half(scores: Mapping[str, Mapping[str, float]], families: Sequence[Halves], name: str = "") -> SplitHalf:
    """The rank correlation of planners between odd and even instances.

    Args:
        scores: mean score of each planner by problem; the planners have all problems.
        families: their problems in halves, at least one family; instances are resampled within each half of each.
        name: of the random stream of the resamples.
    """
    rng = named_rng(f"split half|{name}", 0, len(scores))
    point, drawn, sizes = [], [], []
    for half in range(2):
        groups = [np.array([[of[env] for env in both[half]] for of in scores.values()]) for both in families]
        sizes.append(sum(group.shape[1] for group in groups))
        point.append(sum(group.sum(axis=1) for group in groups) / sizes[-1])
        drawn.append(sum(_resampled_sums(group, rng) for group in groups) / sizes[-1])
    rho = float(_spearman(*point))
    alone = min(len(problems) for both in families for problems in both) < 2
    low, high = (np.nan, np.nan) if alone else percentiles(_spearman(*drawn))
    return SplitHalf(Interval(rho, float(low), float(high)), len(scores), *sizes)


def of_board(board: Leaderboard) -> dict[str, SplitHalf]:
    """The rank correlation of a leaderboard over all its families, and of each alone; empty without families.

    Problems of a family that differ in other parameters, such as the size, count together.
    """
    scores = {one.planner: {env: of.value for env, of in one.scores.items()} for one in board.standings}
    found = halves(list(board.standings[0].scores)) if len(scores) >= FEWEST_PLANNERS else {}
    groups: dict[str, list[Halves]] = {}
    for (family, _), both in found.items():
        groups.setdefault(family, []).append(both)
    if len(groups) > 1:
        groups = {"all families": list(found.values())} | groups
    return {name: split_half(scores, of, f"{name}|{board.unit}|{board.budget}") for name, of in groups.items()}


def _resampled_sums(scores: Array, rng: np.random.Generator) -> Array:
    """Sums over resampled instances, [resamples, planners], of scores, [planners, instances]."""
    return np.concatenate([counts @ scores.T for counts in resampled(np.arange(scores.shape[1]), rng)])


def _spearman(first: Array, second: Array) -> Array:
    """Spearman's rank correlation along the last axis; NaN where all values of a side are equal."""
    a, b = (scipy.stats.rankdata(np.round(side, 12), axis=-1) for side in (first, second))
    a, b = (side - side.mean(axis=-1, keepdims=True) for side in (a, b))
    with np.errstate(invalid="ignore"):
        return np.asarray((a * b).sum(axis=-1) / np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1)))
