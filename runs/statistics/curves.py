"""Curves of a run: for each environment, unit of budget and planner, summaries by budget."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

import envs
from planners.base import Array
from runs.experiment import Setting
from runs.results.store import Store
from runs.runner.episode import planner_rng
from runs.statistics.regret import simple_regret
from runs.statistics.sample import Interval, Summary, normalised, regret, summarise
from runs.tables import by_budget, estimate, markdown


@dataclass(frozen=True)
class Panel:
    """The curves of one environment and unit of budget.

    Attributes:
        env: the environment's text.
        unit: of the budgets.
        curves: for each planner's text, its (budget, summary) pairs in order of budget.
        optimum: value of the optimal policy; None where it is not known.
        random: value of the uniformly random policy; None where it is not known.
        labels: names of planners by their texts; a planner without one is called by its text.
    """

    env: str
    unit: str
    curves: dict[str, list[tuple[float, Summary]]]
    optimum: float | None = None
    random: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def levels(self) -> dict[str, float]:
        """The known values among those of the optimal and of the random policy, by name."""
        values = {"optimum": self.optimum, "random policy": self.random}
        return {name: value for name, value in values.items() if value is not None}

    def label(self, planner: str) -> str:
        """The name of a planner."""
        return self.labels.get(planner, planner)

    @property
    def budgets(self) -> list[float]:
        """Every budget that a curve has a point at, in order."""
        return sorted({budget for curve in self.curves.values() for budget, _ in curve})


def references(env: str) -> tuple[float | None, float | None]:
    """The values of the optimal and of the random policy, None where they are not known."""
    from envs.optimal import optimal_value, random_value

    def known(value: Callable[[Any], float]) -> float | None:
        try:
            return value(envs.parse(env))
        except TypeError:
            return None

    return known(optimal_value), known(random_value)


def panels(store: Store) -> list[Panel]:
    """The run's curves of returns, in order of the suite; settings without a result yet are left out."""
    found = ((panel, references(panel.env)) for panel in _panels(store, store.returns().items()))
    return [replace(panel, optimum=optimum, random=random) for panel, (optimum, random) in found]


def simple_regrets(store: Store, most: int | None = None) -> list[Panel]:
    """Curves of the simple regret of the first action (`runs.statistics.regret`) in the environments that are solved.

    Args:
        store: the run.
        most: of a setting with more different first actions, only the first `most` episodes count; None is no limit.
    """
    return _panels(store, _lost(store, most))


def _lost(store: Store, most: int | None) -> Iterator[tuple[Setting, Array]]:
    unsolved: set[str] = set()
    for setting, actions in store.first_actions():
        kept = actions[~np.isnan(actions).any(axis=1)] if actions.size else actions[:0]
        if most is not None and len(np.unique(kept, axis=0)) > most:
            kept = kept[:most]
        if setting.env not in unsolved:
            try:
                yield setting, simple_regret(setting.env, kept)
            except TypeError:
                unsolved.add(setting.env)


def _panels(store: Store, samples: Iterable[tuple[Setting, Array]]) -> list[Panel]:
    found: dict[tuple[str, str], dict[str, list[tuple[float, Summary]]]] = {}
    for setting, sample in samples:
        if len(sample):
            curve = found.setdefault((setting.env, setting.unit), {}).setdefault(setting.planner, [])
            curve.append((setting.budget, summarise(sample, planner_rng(setting, len(sample)))))
    for curves in found.values():
        for curve in curves.values():
            curve.sort(key=itemgetter(0))
    return [Panel(*key, curves, labels=store.suite.labels(key[0])) for key, curves in found.items()]


Column = Callable[[Summary], Interval]


def columns(panel: Panel) -> dict[str, Column]:
    """The estimates of a point, by name; regret and normalised score where the optimum is known."""
    found: dict[str, Column] = {"mean return": attrgetter("interval")}
    found["median"] = lambda summary: Interval(summary.median, math.nan, math.nan)
    found["interquartile mean"] = attrgetter("iqm")
    optimum, random = panel.optimum, panel.random
    if optimum is not None:
        found["regret"] = lambda summary: regret(summary.interval, optimum)
        if random is not None:
            found["normalised score"] = lambda summary: normalised(summary.interval, random, optimum)
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
    """The lines below a table: episodes, optimum, random policy, the texts behind labels."""
    sizes = {summary.n for curve in panel.curves.values() for _, summary in curve}
    episodes = f"{min(sizes)}" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"
    known = [f"{name} {value:.4f}" for name, value in panel.levels.items()]
    facts = ", ".join([f"mean return [95 % interval] over {episodes} episodes", *known])
    meanings = [f"- {panel.labels[planner]}: `{planner}`" for planner in panel.curves if planner in panel.labels]
    return "\n".join([facts, *meanings])
