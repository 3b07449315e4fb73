"""Curves of a run: for each environment, unit of budget and planner, summaries by budget."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter

import numpy as np

from bonspiel import planners
from bonspiel.planners.model import Array
from bonspiel.planners.planner import traits_of
from bonspiel.runs.draws import planner_rng
from bonspiel.runs.experiment import Setting, amount
from bonspiel.runs.progress import followed
from bonspiel.runs.statistics.regret import simple_regret, start_values
from bonspiel.runs.statistics.sample import Interval, Summary, normalised, regret, summarise
from bonspiel.runs.statistics.scale import Known, known
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import by_budget, estimate, figures, markdown

UNKNOWN = Known()


@dataclass(frozen=True)
class Panel:
    """The curves of one environment and unit of budget."""

    env: str  # the environment's text
    unit: str  # of the budgets
    # for each planner's text, its (budget, summary) pairs in order of budget
    curves: dict[str, list[tuple[float, Summary]]]
    known: Known = UNKNOWN  # values of the environment
    # names of planners by their texts; a planner without one is called by its text
    labels: Mapping[str, str] = field(default_factory=dict)

    def label(self, planner: str) -> str:
        """The name of a planner."""
        return self.labels.get(planner, planner)

    @property
    def budgets(self) -> list[float]:
        """Every budget that a curve has a point at, in order."""
        return sorted({budget for curve in self.curves.values() for budget, _ in curve})


Samples = Iterable[tuple[Setting, Array]]


def panels(suite: Suite, returns: Mapping[Setting, Array], episodes: Mapping[Setting, Array]) -> list[Panel]:
    """Curves of returns, in order of the settings; those without a result yet are left out.

    Args:
        suite: has the labels of the planners.
        returns: of each setting, [n].
        episodes: their numbers, from which their starts follow, [n].
    """

    def summary(setting: Setting, sample: Array) -> Summary:
        found, best = _summary(setting, sample), start_values(setting.env, setting.seed, episodes[setting])
        return found if best is None else replace(found, loss=_summary(setting, best - sample).interval)

    found = list(_panels(suite, returns.items(), summary))
    return [replace(panel, known=known(panel.env)) for panel in followed(found, "problems with their optima")]


def simple_regrets(suite: Suite, first_actions: Samples, most: int | None = None) -> list[Panel]:
    """Curves of the simple regret of the first action (`runs.statistics.regret`) in the environments that are solved.

    Args:
        suite: has the labels of the planners.
        first_actions: of each setting, [n, action_dim]; NaN where none was kept.
        most: of a setting with more different first actions, only the first `most` episodes count; None is no limit.
    """
    return _panels(suite, _lost(first_actions, most))


def _lost(first_actions: Samples, most: int | None) -> Iterator[tuple[Setting, Array]]:
    unsolved: set[str] = set()
    for setting, actions in first_actions:
        kept = actions[~np.isnan(actions).any(axis=1)] if actions.size else actions[:0]
        if most is not None and len(np.unique(kept, axis=0)) > most:
            kept = kept[:most]
        if setting.env not in unsolved:
            try:
                yield setting, simple_regret(setting.env, kept)
            except TypeError:
                unsolved.add(setting.env)


def _summary(setting: Setting, sample: Array) -> Summary:
    return summarise(sample, planner_rng(setting, len(sample)))


def _panels(suite: Suite, samples: Samples, summary: Callable[[Setting, Array], Summary] = _summary) -> list[Panel]:
    found: dict[tuple[str, str], dict[str, list[tuple[float, Summary]]]] = {}
    for setting, sample in samples:
        if len(sample):
            curve = found.setdefault((setting.env, setting.unit), {}).setdefault(setting.planner, [])
            curve.append((setting.budget, summary(setting, sample)))
    for curves in found.values():
        for curve in curves.values():
            curve.sort(key=itemgetter(0))
    return [Panel(*key, curves, labels=suite.labels(key[0])) for key, curves in found.items()]


Column = Callable[[Summary], Interval]


def columns(panel: Panel) -> dict[str, Column]:
    """The estimates of a point, by name; a regret and a normalised score where the values that they need are known."""
    found: dict[str, Column] = {"mean return": attrgetter("interval")}
    found["median"] = lambda summary: Interval(summary.median, math.nan, math.nan)
    found["interquartile mean"] = attrgetter("iqm")
    optimum, scale = panel.known.optimum, panel.known.scale
    if optimum is not None:
        found["regret"] = lambda summary: regret(summary, optimum)
    if scale is not None:
        found[scale.name] = lambda summary: normalised(summary, scale.low, scale.high)
    return found


def table(panel: Panel, column: Column = attrgetter("interval")) -> str:
    """A panel in Markdown: planners by budgets, with the estimate of `column` as `value [low, high]` in the cells."""
    curves = ((panel.label(planner), curve) for planner, curve in panel.curves.items())
    cells = {name: {budget: estimate(column(summary)) for budget, summary in curve} for name, curve in curves}
    return by_budget(cells, panel.unit)


def table_of_largest(panel: Panel) -> str:
    """A panel in Markdown: a row for each planner at its largest budget, with all estimates of `columns`."""
    shown = columns(panel)
    rows = [["planner", panel.unit, *shown]]
    for planner, curve in panel.curves.items():
        budget, summary = curve[-1]
        rows.append([panel.label(planner), f"{budget:g}", *(estimate(column(summary)) for column in shown.values())])
    return markdown(rows)


def caption(panel: Panel) -> str:
    """The lines below a table: episodes, optimum, baselines, the texts behind labels."""
    sizes = {summary.n for curve in panel.curves.values() for _, summary in curve}
    episodes = f"{min(sizes)}" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"
    levels = panel.known.levels
    known = [f"{name} {value}" for name, value in zip(levels, figures(levels.values(), 4), strict=True)]
    facts = ", ".join([f"mean return [95 % interval] over {episodes} episodes", *known])
    meanings = [f"- {panel.labels[planner]}: `{planner}`" for planner in panel.curves if planner in panel.labels]
    notes = [f"- {panel.label(planner)} {VARIES}" for planner in panel.curves if varies(planner)]
    largest = {planner: curve[-1][0] for planner, curve in panel.curves.items()}
    ends = [
        f"- {panel.label(planner)} ends at {amount(budget, panel.unit)}: no episode with a larger budget has finished"
        for planner, budget in largest.items()
        if budget < panel.budgets[-1]
    ]
    return "\n".join([facts, *meanings, *notes, *ends])


VARIES = "decides otherwise when it is run again with the same seed: its threads share a tree"


def varies(planner: str) -> bool:
    """True if the planner of this text declares that its decisions are not reproducible."""
    try:
        return not traits_of(planners.parse(planner)).reproducible
    except (ImportError, TypeError, ValueError):  # of a package that is not installed here
        return False
