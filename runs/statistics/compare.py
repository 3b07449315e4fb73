"""Paired comparison of two planners of a run, and the episodes needed to settle it."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from bonspiel.planners.model import Array
from bonspiel.planners.registry import unknown
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import UNITS, Setting, UsageError, amount
from bonspiel.runs.statistics.curves import VARIES, varies
from bonspiel.runs.statistics.paired import FLIPS, Paired, paired, probability_of_improvement
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import estimate, figures, markdown, without_nan


@dataclass(frozen=True)
class Comparison:
    """Planner A against planner B with one budget in one environment."""

    a: Setting  # the setting of A
    b: Setting  # the setting of B, which differs from A's only in the planner
    means: tuple[float, float]  # mean returns of both, over the common episodes
    paired: Paired  # the difference A - B between these episodes
    improvement: Interval  # the probability that an episode of A scores more than one of B


class LeftOut(NamedTuple):
    """What was asked for and could not be compared: a budget in an environment, or all of it if the budget is None."""

    env: str
    budget: float | None
    unit: str
    reason: str


class Comparisons(list[Comparison]):
    """Comparisons, by environment, unit and budget.

    Attributes:
        left_out: comparisons that could not be made.
    """

    def __init__(self, found: Iterable[Comparison], left_out: Sequence[LeftOut]) -> None:
        super().__init__(found)
        self.left_out = left_out


Floats = Sequence[float]
Returns = Callable[[Setting], Mapping[int, float]]
"""A setting -> its returns by the number of the episode."""


def compare(
    suite: Suite,
    returns: Returns,
    a: str,
    b: str,
    environments: Sequence[str] = (),
    simulations: Floats = (),
    milliseconds: Floats = (),
    steps: Floats = (),
) -> Comparisons:
    """Compare two planners of a run wherever both have played with the same seed: by environment, unit and budget.

    All environments if none is given, all budgets if none is in any unit.
    """
    chosen = choose(suite, a, b, environments)
    settings = [setting for setting in suite.settings() if setting.env in chosen]
    wanted = budgets(settings, simulations, milliseconds, steps)
    result, left_out = [], []
    for env, texts in chosen.items():
        played = {setting[1:4]: setting for setting in settings if setting.env == env}
        own = {one[1:] for one in played}
        here = [key for key in wanted if simulations or milliseconds or steps or key in own]
        for budget, unit in here if all(texts) else ():
            ours, theirs = (played.get((text or "", budget, unit)) for text in texts)
            if ours is None or theirs is None:
                absent = [repr(name) for name, found in ((a, ours), (b, theirs)) if found is None]
                left_out.append(LeftOut(env, budget, unit, f"not played by {' and '.join(absent)}"))
            elif isinstance(found := meet(ours, theirs, returns), Comparison):
                result.append(found)
            else:
                left_out.append(found)
        if missing := [repr(name) for name, text in zip((a, b), texts, strict=True) if text is None]:
            left_out.append(LeftOut(env, None, "", f"not played by {' and '.join(missing)}"))
    if not result:
        show = "`bonspiel report RUN` shows what was played"
        raise UsageError(f"{a!r} and {b!r} have no episode in common there: {'; '.join(reasons(left_out))}; {show}")
    return Comparisons(result, left_out)


def meet(
    ours: Setting, theirs: Setting, returns: Returns, other: Returns | None = None, flips: int = FLIPS
) -> Comparison | LeftOut:
    """Compare two settings in their common episodes, or say why they cannot be."""
    if ours.seed != theirs.seed:
        return LeftOut(ours.env, ours.budget, ours.unit, f"played with seeds {ours.seed} and {theirs.seed}")
    first, second = returns(ours), (other or returns)(theirs)
    if both := [(first[number], second[number]) for number in first if number in second]:
        a, b = np.array(both).T
        return _comparison(ours, theirs, a, b, flips)
    return LeftOut(ours.env, ours.budget, ours.unit, "no finished episode in common")


def budgets(
    settings: Sequence[Setting], simulations: Floats, milliseconds: Floats, steps: Floats
) -> list[tuple[float, str]]:
    """The (budget, unit) pairs to compare at, in order; see `compare`."""
    known = list(dict.fromkeys(setting[2:4] for setting in settings))
    given = {"simulations": simulations, "ms": milliseconds, "steps": steps}
    wanted = [(budget, unit) for unit, of_unit in given.items() for budget in of_unit]
    for one in wanted:
        if one not in known:
            choices = ", ".join(amount(*budget) for budget in known)
            raise UsageError(f"budget {amount(*one)} was not played in these environments, which have {choices}")
    return sorted(set(wanted or known), key=lambda one: (UNITS.index(one[1]), one[0]))


def choose(suite: Suite, a: str, b: str, environments: Sequence[str] = ()) -> dict[str, tuple[str | None, str | None]]:
    """The texts of two planners in each environment, None where it has no such planner; see `compare`."""
    chosen = {env: (find(suite, env, a), find(suite, env, b)) for env in places(suite, environments)}
    for place, name in enumerate((a, b)):
        if all(found[place] is None for found in chosen.values()):
            choices = dict.fromkeys(repr(label) for env in chosen for label in suite.names(env).values())
            run = f"this run{' there' * bool(environments)}, which has {', '.join(choices)}"
            raise UsageError(f"{name!r} is no planner of {run}")
    if any(first == second is not None for first, second in chosen.values()):
        raise UsageError(f"{a!r} and {b!r} are the same planner; give two different ones")
    return chosen


def places(suite: Suite, environments: Sequence[str] = ()) -> list[str]:
    """These environments of a run, all if empty."""
    known = list(dict.fromkeys(experiment.env for experiment in suite.experiment))
    for env in environments:
        if env not in known:
            raise UsageError(str(unknown("environment of this run", env, known)))
    return [*environments] or known


def find(suite: Suite, env: str, name: str) -> str | None:
    """The text of the planner called `name` in an environment; None if it has no such planner.

    Args:
        suite: of the run.
        env: one of its environments.
        name: the planner's name in the tables, which counts first; its text; or the first word of that, where no other
            planner has it.
    """
    called = suite.names(env)
    meant = [text for text, label in called.items() if label == name]
    meant = meant or [text for text in called if text == name]
    meant = meant or [text for text in called if text.partition(":")[0] == name]
    if len(meant) > 1:
        choices = " or ".join(repr(called[text]) for text in meant)
        raise UsageError(f"{name!r} may be one of several planners in {env}: write {choices}")
    return meant[0] if meant else None


def _comparison(a: Setting, b: Setting, ours: Array, theirs: Array, flips: int) -> Comparison:
    rng = named_rng(f"compare|{a.env}|{a.planner}|{b.planner}|{a.budget}|{a.unit}", a.seed, len(ours))
    means = float(ours.mean()), float(theirs.mean())
    return Comparison(a, b, means, paired(ours, theirs, rng, flips), probability_of_improvement(ours, theirs, rng))


def table(comparisons: Comparisons) -> str:
    """A table in Markdown for each environment, a row for each budget, missing comparisons, and a legend."""
    parts = []
    for (env, first, second), group in groupby(comparisons, lambda c: (c.a.env, c.a.planner, c.b.planner)):
        rows = [["budget", "episodes", "A", "B", "A - B [95 %]", "p", "P(A > B) [95 %]", "more episodes"]]
        for found in group:
            n, difference, p, more = found.paired
            head = [amount(found.a.budget, found.a.unit), f"{n:,}", *figures(found.means)]
            rows.append([*head, estimate(difference), f"{p:.4f}", estimate(found.improvement), needed(more)])
        heads = [
            f"{name}: {text}{f' ({VARIES})' if varies(text) else ''}" for name, text in (("A", first), ("B", second))
        ]
        parts.append("\n".join([env, *heads, markdown(rows)]))
    if comparisons.left_out:
        parts.append("\n".join(f"not compared: {line}" for line in reasons(comparisons.left_out)))
    return "\n\n".join([*parts, MEANING])


def reasons(found: Iterable[LeftOut]) -> Iterator[str]:
    """A text for each budget and reason, with the environments."""
    grouped: dict[tuple[float | None, str, str], list[str]] = {}
    for env, budget, unit, reason in found:
        grouped.setdefault((budget, unit, reason), []).append(env)
    for (budget, unit, reason), places in grouped.items():
        what = "" if budget is None else f"{amount(budget, unit)} in "
        yield f"{what}{', '.join(places)} ({reason})"


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
    means = {"episodes": n, "mean_a": mean_a, "mean_b": mean_b, "difference": without_nan(difference._asdict()), "p": p}
    settled = {"settled": more == 0.0, "more_episodes": int(more) if math.isfinite(more) else None}
    return {**setting, **means, "improvement": without_nan(comparison.improvement._asdict()), **settled}
