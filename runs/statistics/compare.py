"""Paired comparison of two planners of a run, and the episodes needed to settle it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from bonspiel.planners.model import Array
from bonspiel.planners.registry import unknown
from bonspiel.runs.experiment import UNITS, Setting, UsageError, amount
from bonspiel.runs.results.store import Store
from bonspiel.runs.runner.episode import named_rng
from bonspiel.runs.statistics.curves import VARIES, varies
from bonspiel.runs.statistics.paired import Paired, paired, probability_of_improvement
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import estimate, markdown


@dataclass(frozen=True)
class Comparison:
    """Planner A against planner B with one budget in one environment.

    Attributes:
        a: the setting of A.
        b: the setting of B: the same but for the planner.
        means: mean returns of both, over the common episodes.
        paired: the difference A - B between these episodes.
        improvement: the probability that an episode of A scores more than one of B.
    """

    a: Setting
    b: Setting
    means: tuple[float, float]
    paired: Paired
    improvement: Interval


Floats = Sequence[float]


def compare(
    store: Store, a: str, b: str, environments: Sequence[str] = (), simulations: Floats = (), milliseconds: Floats = ()
) -> list[Comparison]:
    """Compare two planners of a run wherever both have played with the same seed: by environment, unit and budget.

    Args:
        store: the run.
        a: a planner's text or label in the run, or its name where no other planner of the environment has it.
        b: another one.
        environments: texts of the environments to compare in; all if empty.
        simulations: budgets to compare at; if none is given in either unit, all of both.
        milliseconds: the same in milliseconds.

    Raises:
        UsageError: a planner, environment or budget is not in the run or not clear, or there is nothing to compare.
    """
    chosen = choose(store.suite, a, b, environments)
    places = {env: place for place, env in enumerate(chosen)}
    settings = [setting for setting in store.suite.settings() if setting.env in chosen]
    settings.sort(key=lambda setting: (places[setting.env], UNITS.index(setting.unit), setting.budget))
    wanted = budgets(settings, simulations, milliseconds)
    result = []
    for setting in settings:
        first, second = chosen[setting.env]
        other = setting._replace(planner=second or "")
        if setting.planner == first and other in settings and (setting.unit, setting.budget) in wanted:
            # read together with their numbers, as the run may be running
            a_returns, b_returns = ({e.number: e.total for e in store.episodes(one)} for one in (setting, other))
            if both := [(a_returns[number], b_returns[number]) for number in a_returns if number in b_returns]:
                result.append(_comparison(setting, other, *np.array(both).T))
    if not result:
        show = f"the run's tables show what was played: `bonspiel report {store.folder}`"
        raise UsageError(f"{a!r} and {b!r} have no episode in common there; {show}")
    return result


def budgets(settings: Sequence[Setting], simulations: Floats, milliseconds: Floats) -> set[tuple[str, float]]:
    """The (unit, budget) pairs to compare at; see `compare`."""
    known = list(dict.fromkeys((setting.unit, setting.budget) for setting in settings))
    wanted = [("simulations", budget) for budget in simulations] + [("ms", budget) for budget in milliseconds]
    for unit, budget in wanted:
        if (unit, budget) not in known:
            choices = ", ".join(amount(budget, unit) for unit, budget in known)
            raise UsageError(
                f"budget {amount(budget, unit)} was not played in these environments, which have {choices}"
            )
    return set(wanted or known)


def choose(suite: Suite, a: str, b: str, environments: Sequence[str] = ()) -> dict[str, tuple[str | None, str | None]]:
    """The texts of two planners in each environment, None where it has no such planner; see `compare`."""
    known = list(dict.fromkeys(experiment.env for experiment in suite.experiment))
    for env in environments:
        if env not in known:
            raise UsageError(str(unknown("environment of this run", env, known)))
    chosen = {env: (find(suite, env, a), find(suite, env, b)) for env in environments or known}
    for place, name in enumerate((a, b)):
        if all(found[place] is None for found in chosen.values()):
            choices = dict.fromkeys(repr(label) for env in chosen for label in entrants(suite, env).values())
            run = f"this run{' there' * bool(environments)}, which has {', '.join(choices)}"
            raise UsageError(f"{name!r} is no planner of {run}")
    if any(first == second is not None for first, second in chosen.values()):
        raise UsageError(f"{a!r} and {b!r} are the same planner; give two different ones")
    return chosen


def entrants(suite: Suite, env: str) -> dict[str, str]:
    """The names of an environment's planners, by their texts."""
    experiments = [experiment for experiment in suite.experiment if experiment.env == env]
    return {e.planner: e.planner for experiment in experiments for e in experiment.planners} | suite.labels(env)


def find(suite: Suite, env: str, name: str) -> str | None:
    """The text of the planner called `name` in an environment; None if it has no such planner.

    Raises:
        UsageError: the name is ambiguous.
    """
    called = entrants(suite, env)
    if name in called:
        return name
    meant = [text for text, label in called.items() if label == name]
    meant = meant or [text for text in called if text.partition(":")[0] == name]
    if len(meant) > 1:
        choices = " or ".join(repr(called[text]) for text in meant)
        raise UsageError(f"{name!r} may be one of several planners in {env}: write {choices}")
    return meant[0] if meant else None


def _comparison(a: Setting, b: Setting, ours: Array, theirs: Array) -> Comparison:
    rng = named_rng(f"compare|{a.env}|{a.planner}|{b.planner}|{a.budget}|{a.unit}", a.seed, len(ours))
    means = float(ours.mean()), float(theirs.mean())
    return Comparison(a, b, means, paired(ours, theirs, rng), probability_of_improvement(ours, theirs, rng))


def table(comparisons: Sequence[Comparison]) -> str:
    """A table in Markdown for each environment, a row for each budget; and the meaning of the columns."""
    parts = []
    for (env, first, second), group in groupby(comparisons, lambda c: (c.a.env, c.a.planner, c.b.planner)):
        rows = [["budget", "episodes", "A", "B", "A - B [95 %]", "p", "P(A > B) [95 %]", "more episodes"]]
        for found in group:
            n, difference, p, more = found.paired
            head = [amount(found.a.budget, found.a.unit), f"{n:,}", *(f"{mean:.3f}" for mean in found.means)]
            rows.append([*head, estimate(difference), f"{p:.4f}", estimate(found.improvement), needed(more)])
        heads = [
            f"{name}: {text}{f' ({VARIES})' if varies(text) else ''}" for name, text in (("A", first), ("B", second))
        ]
        parts.append("\n".join([env, *heads, markdown(rows)]))
    return "\n\n".join([*parts, MEANING])


MEANING = """A - B: mean difference over episodes that met the same noise, with its 95 % interval
p: how often chance alone makes so large a difference
P(A > B): how often an episode of A scores more than one of B, ties counted half
more episodes: about as many more would settle it; settled if the interval is on one side of 0 and p at most 0.05"""


def needed(more: float) -> str:
    """The number of further episodes that would settle a comparison, in words."""
    if math.isnan(more):
        return "too few episodes"
    if math.isinf(more):
        return "no difference"
    return f"{more:,.0f}" if more else "settled"


def as_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON has it: null for a number that is not known or not finite."""
    a, (n, difference, p, more), (mean_a, mean_b) = comparison.a, comparison.paired, comparison.means
    setting = {"env": a.env, "budget": a.budget, "unit": a.unit, "a": a.planner, "b": comparison.b.planner}
    means = {"episodes": n, "mean_a": mean_a, "mean_b": mean_b, "difference": _known(difference), "p": p}
    settled = {"settled": more == 0.0, "more_episodes": int(more) if math.isfinite(more) else None}
    return {**setting, **means, "improvement": _known(comparison.improvement), **settled}


def _known(interval: Interval) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in interval._asdict().items()}
