"""The chart of `bonspiel agreement`."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bonspiel.runs.agreement.searches import TREE
from bonspiel.runs.agreement.study import Study
from bonspiel.runs.agreement.summary import Summary
from bonspiel.runs.reporting.chart import apart
from bonspiel.runs.reporting.drawing import label_budgets, styled
from bonspiel.runs.reporting.styles import COLOURS, GREY, INK, LINES, MARKERS

BARS: Any = {"markersize": 5, "linewidth": 1.4, "capsize": 2.5, "elinewidth": 1.0}
BAR = 0.8  # width of the bars of a bin together


def draw(study: Study, found: Summary) -> Figure:
    """Agreement and regret against the simulations of all workers, agreement by p0, and unanimity."""
    with styled((10.0, 8.2), layout="constrained") as figure:
        (agreement, regret), (bins, unanimity) = figure.subplots(2, 2)
        looks = _looks(study)
        _against_simulations(agreement, study, found["agreement"], looks)
        most = f"what most of {study.most} choose"
        agreement.axhline(found["limit"][0], color=GREY, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1, label=most)
        agreement.set_ylabel("agreement, 95 % interval")
        _against_simulations(regret, study, found["regret"], looks)
        regret.set_ylabel("regret, 95 % interval")
        _bins(bins, study, found, looks)
        _unanimity(unanimity, found["unanimity"])
        handles, labels = agreement.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=3 if max(map(len, labels)) < 34 else 1)
        figure.suptitle(f"{study.planner} in {study.env}, {study.budget:,} simulations a worker", x=0.01, ha="left")
    return figure


def _looks(study: Study) -> dict[str, dict[str, Any]]:
    names = zip(study.rules, cycle(COLOURS[1:-1]), cycle(MARKERS[1:]), cycle(LINES[1:]), strict=False)
    looks = {
        rule: {"color": colour, "marker": marker, "ls": line, "label": rule} for rule, colour, marker, line in names
    }
    return {TREE: {"color": INK, "marker": "o", "label": "one tree"}, **looks}


def _against_simulations(axes: Axes, study: Study, rows: Mapping[str, Any], looks: Mapping[str, Any]) -> None:
    for place, (name, look) in enumerate(looks.items()):
        shift = apart(place, len(looks)) ** 2  # intervals of the rules are much alike
        x = np.array([int(workers) for workers in rows[name]]) * study.budget * shift
        value, low, high = np.array(list(rows[name].values()), float).T
        axes.errorbar(x, value, (value - low, high - value), **look, **BARS)
    totals = [workers * study.budget for workers in study.workers]
    axes.set(xscale="log", xlabel="simulations of all workers, or of one tree")
    label_budgets(axes, totals)
    axes.set_xlim(totals[0] / 1.5, totals[-1] * 1.5)


def _bins(axes: Axes, study: Study, found: Summary, looks: Mapping[str, Any]) -> None:
    width = BAR / len(looks)
    for place, (name, look) in enumerate(looks.items()):
        rows = [one["agreement"][name].get(str(study.most), (np.nan,) * 3) for one in found["bins"]]
        value, low, high = np.array(rows, float).T
        x = np.arange(len(rows)) + (place - 0.5 * (len(looks) - 1)) * width
        axes.bar(x, value, width, color=look["color"])
        axes.errorbar(x, value, (value - low, high - value), fmt="none", ecolor=GREY, elinewidth=0.8)
    names = [f"{one['from']:g} to {one['to']:g}\n{one['positions']} positions" for one in found["bins"]]
    axes.set_xticks(range(len(names)), names)
    axes.tick_params(labelsize=8)
    axes.set(xlabel="p0, the share of single workers that agree", ylim=(0.0, 1.05))
    axes.set_ylabel(f"agreement with W = {study.most}")


def _unanimity(axes: Axes, rows: Mapping[str, Any]) -> None:
    for (workers, row), colour, marker in zip(rows.items(), cycle(COLOURS), cycle(MARKERS), strict=False):
        k, value = [float(share) for share in row], [interval[0] for interval in row.values()]
        axes.plot(k, value, color=colour, marker=marker, markersize=5, linewidth=1.4, label=f"W = {workers}")
    axes.set(xlabel="share k of the votes", ylim=(0.0, 1.05))
    axes.set_ylabel("share of positions whose winner has k")
    axes.legend()
