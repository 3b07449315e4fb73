"""The tables and the chart of `bonspiel agreement`."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bonspiel.runs.agreement.measure import PARTS, TOLERANCE, Summary
from bonspiel.runs.agreement.study import TREE, AgreementStudy
from bonspiel.runs.progress import counted
from bonspiel.runs.reporting.chart import apart
from bonspiel.runs.reporting.drawing import label_budgets, styled
from bonspiel.runs.reporting.styles import COLOURS, GREY, INK, LINES, MARKERS
from bonspiel.runs.tables import estimate, markdown

BARS: Any = {"markersize": 5, "linewidth": 1.4, "capsize": 2.5, "elinewidth": 1.0}


def tables(study: AgreementStudy, found: Summary, optimum_known: bool) -> Iterator[str]:
    """The tables, each below a line that explains it."""
    most, agreement, regret = study.most, found["agreement"], found["regret"]
    best = (
        f"the known optimum, up to a loss of {TOLERANCE:g}, but {PARTS[0]:.3%} to {PARTS[1]:.0%} of the largest value"
        if optimum_known
        else f"a search of {study.reference} budgets"
    )
    alike = ""
    if study.kernel is not None:
        size = "the size of the noise" if study.bandwidth == "noise" else f"{study.bandwidth:g} of their range"
        of = "; to a vote, actions" if optimum_known else "; actions"
        alike = f"{of} within {size} (--bandwidth) count as the same"
    yield (
        f"{study.planner} in {study.env}: {counted(found['positions'], 'position')}, "
        f"{counted(study.budget, 'simulation')} per worker; best action by {best}{alike}"
    )
    yield _by_workers(study, "agreement: share of positions with the best action chosen", agreement)
    if not any(interval[0] > 0.0 for row in agreement.values() for interval in row.values()):
        wider = "" if optimum_known or study.kernel is None else " or --bandwidth"
        yield f"no choice is best anywhere, so that nothing can be compared: give a larger --budget{wider}"
    yield (
        f"a single worker agrees at {estimate(agreement[TREE]['1'])}; the majority of {most} workers, the limit of "
        f"many workers, at {estimate(found['limit'])}"
    )
    if not all(math.isnan(interval[0]) for row in regret.values() for interval in row.values()):
        yield _by_workers(study, "regret: loss of the choice against the best action", regret)
    title = "equivalent budget: simulations of one tree that agrees as often"
    yield _by_workers(study, title, found["equivalent"], _simulations)
    shown = (
        [_bin(one), str(one["positions"]), *(_shown(row.get(str(most))) for row in one["agreement"].values())]
        for one in found["bins"]
    )
    head = ["p0", "positions", *map(_name, agreement)]
    yield _table(f"agreement with W = {most} by p0, the share of single workers that agree", head, shown)
    for rule, row in found["splitting"].items():
        shown = ([workers, estimate(one["agreement"]), estimate(one["regret"])] for workers, one in row.items())
        title = f"cost of splitting: {rule} against one search with the simulations of W workers"
        yield _table(title, ["W", "agreement lost", "regret added"], shown)


def _by_workers(
    study: AgreementStudy, title: str, rows: Mapping[str, Mapping[str, Any]], cell: Callable[[Any], str] = estimate
) -> str:
    numbers = [str(workers) for workers in study.workers]
    body = ([_name(rule), *(cell(row[w]) if w in row else "" for w in numbers)] for rule, row in rows.items())
    return _table(title, ["combine", *(f"W = {workers}" for workers in numbers)], body)


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return f"{title}\n{markdown([head, *rows])}"


def _name(rule: str) -> str:
    return "one tree of W x budget" if rule == TREE else rule


def _bin(one: Mapping[str, Any]) -> str:
    return f"{one['from']:g} to {one['to']:g}"


def _shown(interval: Any) -> str:
    return estimate(interval) if interval and not math.isnan(interval[0]) else ""


def _simulations(interval: Any) -> str:
    value, low, high = interval
    return f"{value:,.0f}" if math.isnan(low) else f"{value:,.0f} [{low:,.0f}, {high:,.0f}]"


def draw(study: AgreementStudy, found: Summary) -> Figure:
    """Agreement and regret against the simulations of all workers."""
    styles = zip(study.rules, cycle(COLOURS[1:-1]), cycle(MARKERS[1:]), cycle(LINES[1:]), strict=False)
    looks = {TREE: {"color": INK, "marker": "o", "label": "one tree"}}
    looks |= {rule: {"color": colour, "marker": mark, "ls": line, "label": rule} for rule, colour, mark, line in styles}
    totals = [workers * study.budget for workers in study.workers]
    most = f"what most of {study.most} choose"
    with styled((10.0, 4.6), layout="constrained") as figure:
        panels = figure.subplots(1, 2)
        panels[0].axhline(found["limit"][0], color=GREY, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1, label=most)
        for axes, kind in zip(panels, ("agreement", "regret"), strict=True):
            for place, (name, look) in enumerate(looks.items()):
                shift = apart(place, len(looks)) ** 2  # intervals of the rules are much alike
                x = np.array([int(workers) for workers in found[kind][name]]) * study.budget * shift
                value, low, high = np.array(list(found[kind][name].values()), float).T
                axes.errorbar(x, value, (value - low, high - value), **look, **BARS)
            axes.set(xscale="log", xlabel="simulations of all workers, or of one tree")
            label_budgets(axes, totals)
            axes.set_xlim(totals[0] / 1.5, totals[-1] * 1.5)
            axes.set_ylabel(f"{kind}, 95 % interval")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=3 if max(map(len, labels)) < 34 else 1)
        figure.suptitle(f"{study.planner} in {study.env}, {study.budget:,} simulations a worker", x=0.01, ha="left")
    return figure
