"""What a run found: for each environment and unit of budget, one curve of summaries for each planner."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

import envs
from runs.episode import planner_rng
from runs.statistics import Summary, summarise
from runs.store import Store


@dataclass(frozen=True)
class Panel:
    """Curves that belong together.

    Attributes:
        env: the environment's text.
        unit: of the budgets.
        curves: for each planner's text, its (budget, summary) pairs in order of budget.
        optimum: value of the optimal policy; None where it is not known.
        random: value of the uniformly random policy; None where it is not known.
        labels: what planners are called, by their texts; the texts themselves where nothing is given.
    """

    env: str
    unit: str
    curves: dict[str, list[tuple[float, Summary]]]
    optimum: float | None = None
    random: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def label(self, planner: str) -> str:
        """What a planner is called."""
        return self.labels.get(planner, planner)


def references(env: str) -> tuple[float | None, float | None]:
    """The values of the optimal and of the random policy, None where the environment is too large to know them."""
    from envs.optimal import optimal_value, random_value

    model = envs.parse(env)
    try:
        return optimal_value(model), random_value(model)
    except TypeError:
        return None, None


def panels(store: Store) -> list[Panel]:
    """The run's curves, in order of the suite; settings without a result yet are left out."""
    found: dict[tuple[str, str], dict[str, list[tuple[float, Summary]]]] = {}
    for setting, returns in store.returns().items():
        if len(returns):
            curve = found.setdefault((setting.env, setting.unit), {}).setdefault(setting.planner, [])
            summary = summarise(returns, planner_rng(setting, len(returns)))
            curve.append((setting.budget, summary))
    return [Panel(env, unit, {planner: sorted(curve, key=lambda point: point[0]) for planner, curve in curves.items()},
                  *references(env), store.suite.labels(env)) for (env, unit), curves in found.items()]


def table(panel: Panel) -> str:
    """A panel in Markdown: a row for each planner, a column for each budget, `mean [low, high]` in the cells."""
    budgets = sorted({budget for curve in panel.curves.values() for budget, _ in curve})
    rows = [["planner", *(f"{budget:g} {panel.unit}" for budget in budgets)]]
    for planner, curve in panel.curves.items():
        cells = {budget: _cell(summary) for budget, summary in curve}
        rows.append([panel.label(planner), *(cells.get(budget, "") for budget in budgets)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    lines = (" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"| {line} |" for line in lines)


def caption(panel: Panel) -> str:
    """What a reader needs to know beside the table: episodes, optimum, random policy, the texts behind labels."""
    sizes = {summary.n for curve in panel.curves.values() for _, summary in curve}
    episodes = f"{min(sizes)}" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"
    known = [f"{name} {value:.4f}" for name, value in (("optimum", panel.optimum), ("random policy", panel.random))
             if value is not None]
    facts = ", ".join([f"mean return [95 % interval] over {episodes} episodes", *known])
    meanings = [f"- {panel.labels[planner]}: `{planner}`" for planner in panel.curves if planner in panel.labels]
    return "\n".join([facts, *meanings])


def _cell(summary: Summary) -> str:
    if np.isnan(summary.low):
        return f"{summary.mean:.3f}"
    return f"{summary.mean:.3f} [{summary.low:.3f}, {summary.high:.3f}]"
