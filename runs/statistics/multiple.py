"""Many paired comparisons: all pairs of planners of a run, or planners of two runs (docs/guides/statistics.md)."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.planners.model import Array
from bonspiel.runs.experiment import Setting, UsageError, amount
from bonspiel.runs.statistics.compare import (
    Comparison,
    Comparisons,
    Floats,
    LeftOut,
    Returns,
    as_json,
    budgets,
    find,
    meet,
    needed,
    places,
    reasons,
)
from bonspiel.runs.statistics.paired import FLIPS
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import estimate, figures, markdown

FLIPS_PER_PAIR = 40  # the smallest corrected p is half of 0.05


class Played(NamedTuple):
    """A run as comparisons see it: its name for people, its suite, parameters and returns, as of a `Store`."""

    name: str
    suite: Suite
    resolved: Mapping[str, str]
    returns: Returns


def holm(p: ArrayLike) -> Array:
    """Corrected p-values: reject those at most 0.05, and any false rejection has a probability of at most 0.05.

    The i-th smallest of m is multiplied by m - i + 1, and none is below a smaller one's (Holm 1979).

    Args:
        p: of the m hypotheses, [m]. Returns those of the same places, [m].
    """
    given = np.asarray(p, np.float64)
    order = np.argsort(given, kind="stable")
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1)))
    return corrected


def all_pairs(
    suite: Suite,
    returns: Returns,
    environments: Sequence[str] = (),
    simulations: Floats = (),
    milliseconds: Floats = (),
    steps: Floats = (),
    by_holm: bool = False,
) -> Comparisons:
    """Compare every two planners of a run wherever both have played; see `compare.compare`.

    With `by_holm` many pairs take more random flips, as else no corrected p could be small.
    """
    known = functools.cache(returns)
    result, left_out = list[Comparison](), list[LeftOut]()
    chosen = places(suite, environments)
    settings = [setting for setting in suite.settings() if setting.env in chosen]
    wanted = budgets(settings, simulations, milliseconds, steps)
    for env in chosen:
        for key in wanted:
            here = [setting for setting in settings if (setting.env, *setting[2:4]) == (env, *key)]
            pairs = list(combinations(here, 2))
            flips = max(FLIPS, by_holm * FLIPS_PER_PAIR * len(pairs))
            for ours, theirs in pairs:
                found = meet(ours, theirs, known, flips=flips)
                if isinstance(found, Comparison):
                    result.append(found)
                else:
                    pair = " and ".join(repr(suite.names(env)[one.planner]) for one in (ours, theirs))
                    left_out.append(found._replace(reason=f"{pair}: {found.reason}"))
    if not result:
        raise UsageError(f"no two planners have an episode in common there{_because(left_out)}")
    return Comparisons(result, left_out)


def across(
    ours: Played,
    theirs: Played,
    names: Sequence[str] = (),
    environments: Sequence[str] = (),
    simulations: Floats = (),
    milliseconds: Floats = (),
    steps: Floats = (),
) -> Comparisons:
    """Compare planners of two runs where they met the same noise: the same environment and seed.

    Of two `names`, A is a planner of `ours` and B of `theirs`; without them every planner that both have is compared.
    """
    result, left_out = list[Comparison](), list[LeftOut]()
    chosen = places(ours.suite, environments)
    settings = [setting for setting in ours.suite.settings() if setting.env in chosen]
    wanted = budgets(settings, simulations, milliseconds, steps)
    others: dict[tuple[object, ...], Setting] = {setting[:4]: setting for setting in theirs.suite.settings()}
    pairs = {env: _texts(ours.suite, theirs.suite, env, names) for env in chosen}
    for place, name in enumerate(names):
        run = (ours, theirs)[place]
        absent = [env for env, texts in pairs.items() if texts[0][place] is None]
        left_out += [LeftOut(env, None, "", f"not played by {name!r} in {run.name}") for env in absent]
        if len(absent) == len(pairs):
            choices = dict.fromkeys(repr(label) for env in chosen for label in run.suite.names(env).values())
            raise UsageError(f"{name!r} is no planner of {run.name} there, which has {', '.join(choices) or 'none'}")
    for setting in settings:
        env, planner, *key = setting[:4]
        for text in (b for a, b in pairs[env] if a == planner and b is not None and tuple(key) in wanted):
            other = others.get((env, text, *key))
            if other is None:
                left_out.append(LeftOut(env, setting.budget, setting.unit, f"not played by {text!r} in {theirs.name}"))
            elif ours.resolved.get(env) != theirs.resolved.get(env):
                left_out.append(LeftOut(env, None, "", f"it has other parameters or sources in {theirs.name}"))
            elif isinstance(found := meet(setting, other, ours.returns, theirs.returns), Comparison):
                result.append(found)
            else:
                left_out.append(found)
    left_out = list(dict.fromkeys(left_out))
    result.sort(key=lambda one: (chosen.index(one.a.env), wanted.index(one.a[2:4])))
    if not result:
        raise UsageError(f"{ours.name} and {theirs.name} have no episode in common there{_because(left_out)}")
    return Comparisons(result, left_out)


def _texts(ours: Suite, theirs: Suite, env: str, names: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """The pairs of texts to compare in an environment."""
    if names:
        a, b = names
        return [(find(ours, env, a), find(theirs, env, b))]
    return [(text, text) for text in ours.names(env)]


def _because(left_out: Sequence[LeftOut]) -> str:
    return f": {'; '.join(reasons(left_out))}" if left_out else "; `bonspiel report RUN` shows what was played"


def corrected(comparisons: Sequence[Comparison]) -> list[float]:
    """Their p corrected by Holm, among those of one environment and budget."""
    return [p for _, group in _groups(comparisons) for p in holm([one.paired.p for one in group]).tolist()]


def _groups(comparisons: Sequence[Comparison]) -> Iterator[tuple[Setting, list[Comparison]]]:
    """The comparisons of each environment and budget, under the first one's setting of A."""
    for _, group in groupby(comparisons, lambda one: (one.a.env, *one.a[2:4])):
        found = list(group)
        yield found[0].a, found


def table(comparisons: Comparisons, names: tuple[Suite, Suite], by_holm: bool) -> str:
    """A table in Markdown for each environment and budget, a row for each pair, what is missing, and a legend.

    The suites have the names of A and of B.
    """
    parts = []
    for (env, _, budget, unit, _), group in _groups(comparisons):
        rows = [
            ["A", "B", "episodes", "mean A", "mean B", "A - B [95 %]", "p", *["p, Holm"] * by_holm, "more episodes"]
        ]
        for one, p in zip(group, corrected(group), strict=True):
            n, difference, alone, more = one.paired
            both = (suite.names(env)[of.planner] for suite, of in zip(names, (one.a, one.b), strict=True))
            means = figures(one.means)
            ps = [_digits(alone), *[_digits(p)] * by_holm]
            rows.append([*both, f"{n:,}", *means, estimate(difference), *ps, needed(more)])
        parts.append(f"{env}, {amount(budget, unit)}\n{markdown(rows)}")
    parts += ["\n".join(f"not compared: {line}" for line in reasons(comparisons.left_out))] * bool(comparisons.left_out)
    return "\n\n".join([*parts, MEANING + HOLM * by_holm])


def _digits(p: float) -> str:
    return f"{p:.4f}" if p >= 1e-4 else "< 0.0001"


MEANING = """A - B: mean difference over episodes that met the same noise, with its 95 % interval
p: how often chance alone makes so large a difference; of 20 pairs of equal planners one has p below 0.05
more episodes: about as many more would settle this pair alone"""
HOLM = """
p, Holm: p corrected for the number of pairs of this problem and budget (Holm 1979); at most 0.05 is significant"""


def all_as_json(comparisons: Comparisons, by_holm: bool) -> list[dict[str, Any]]:
    """The comparisons as JSON has them, with "p_holm" if wanted."""
    found = zip(comparisons, corrected(comparisons), strict=True)
    return [as_json(one) | ({"p_holm": p} if by_holm else {}) for one, p in found]
