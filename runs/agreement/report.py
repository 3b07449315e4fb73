"""The tables and the chart of `bonspiel agreement`."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bonspiel.runs.agreement.study import TREE, AgreementStudy
from bonspiel.runs.agreement.summary import Summary
from bonspiel.runs.progress import counted
from bonspiel.runs.reporting.chart import apart
from bonspiel.runs.reporting.drawing import label_budgets, styled
from bonspiel.runs.reporting.styles import COLOURS, GREY, INK, LINES, MARKERS
from bonspiel.runs.tables import estimate, markdown

BARS: Any = {"markersize": 5, "linewidth": 1.4, "capsize": 2.5, "elinewidth": 1.0}
BAR = 0.8  # width of the bars of a bin together


def tables(study: AgreementStudy, found: Summary, optimum_known: bool) -> Iterator[str]:
    """The tables, each below a line that explains it."""
    most, agreement, regret = study.most, found["agreement"], found["regret"]
    best = "the known optimum" if optimum_known else f"a search of {study.reference} budgets"
    alike = ""
    if study.kernel is not None:
        size = "the size of the noise" if study.bandwidth == "noise" else f"{study.bandwidth:g} of their range"
        alike = f"; actions within {size} (--bandwidth) count as the same"
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
    yield _table(
        f"agreement with W = {most} by p0, the share of single workers that agree",
        ["p0", "positions", *map(_name, agreement)],
        (
            [_bin(one), str(one["positions"]), *(_shown(row.get(str(most))) for row in one["agreement"].values())]
            for one in found["bins"]
        ),
    )
    unanimity = found["unanimity"]
    yield _table(
        "L_W(k): share of positions where the winner has at least the share k of the votes",
        ["W", *(f"k = {k}" for k in next(iter(unanimity.values())))],
        ([workers, *map(estimate, row.values())] for workers, row in unanimity.items()),
    )
    if differences := [one for one in found["differences"] if one["workers"] == most]:
        columns = ["positions", "best by the first", "by the second", "better actions", "and by the second"]
        shown = (
            [" and ".join(one["rules"]), *map(_shown, (one["share"], *one["agreement"], *one["rank"]))]
            for one in differences
        )
        yield (
            f"{_table(f'where two rules choose differently, W = {most}', ['rules', *columns], shown)}\n"
            "better actions: mean number of actions better than the choice, its rank less 1"
        )
    for rule, row in found["splitting"].items():
        yield _table(
            f"cost of splitting: {rule} against one search with the simulations of W workers",
            ["W", "agreement lost", "regret added"],
            ([workers, estimate(one["agreement"]), estimate(one["regret"])] for workers, one in row.items()),
        )


def _by_workers(
    study: AgreementStudy, title: str, rows: Mapping[str, Mapping[str, Any]], cell: Callable[[Any], str] = estimate
) -> str:
    body = (
        [_name(rule), *(cell(row[str(w)]) if str(w) in row else "" for w in study.workers)]
        for rule, row in rows.items()
    )
    return _table(title, ["combine", *(f"W = {workers}" for workers in study.workers)], body)


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


def _looks(study: AgreementStudy) -> dict[str, dict[str, Any]]:
    names = zip(study.rules, cycle(COLOURS[1:-1]), cycle(MARKERS[1:]), cycle(LINES[1:]), strict=False)
    looks = {
        rule: {"color": colour, "marker": marker, "ls": line, "label": rule} for rule, colour, marker, line in names
    }
    return {TREE: {"color": INK, "marker": "o", "label": "one tree"}, **looks}


def _against_simulations(axes: Axes, study: AgreementStudy, rows: Mapping[str, Any], looks: Mapping[str, Any]) -> None:
    for place, (name, look) in enumerate(looks.items()):
        shift = apart(place, len(looks)) ** 2  # intervals of the rules are much alike
        x = np.array([int(workers) for workers in rows[name]]) * study.budget * shift
        value, low, high = np.array(list(rows[name].values()), float).T
        axes.errorbar(x, value, (value - low, high - value), **look, **BARS)
    totals = [workers * study.budget for workers in study.workers]
    axes.set(xscale="log", xlabel="simulations of all workers, or of one tree")
    label_budgets(axes, totals)
    axes.set_xlim(totals[0] / 1.5, totals[-1] * 1.5)


def _bins(axes: Axes, study: AgreementStudy, found: Summary, looks: Mapping[str, Any]) -> None:
    width = BAR / len(looks)
    for place, (name, look) in enumerate(looks.items()):
        rows = [one["agreement"][name].get(str(study.most), (np.nan,) * 3) for one in found["bins"]]
        value, low, high = np.array(rows, float).T
        x = np.arange(len(rows)) + (place - 0.5 * (len(looks) - 1)) * width
        axes.bar(x, value, width, color=look["color"])
        axes.errorbar(x, value, (value - low, high - value), fmt="none", ecolor=GREY, elinewidth=0.8)
    names = [f"{_bin(one)}\n{one['positions']} positions" for one in found["bins"]]
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
