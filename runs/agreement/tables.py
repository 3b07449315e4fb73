"""The tables of `bonspiel agreement`."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bonspiel.runs.agreement.searches import TREE
from bonspiel.runs.agreement.study import Study
from bonspiel.runs.agreement.summary import Summary
from bonspiel.runs.progress import counted
from bonspiel.runs.tables import estimate, markdown

ONE_TREE = "one tree of W x budget"


def tables(study: Study, found: Summary, optimum_known: bool) -> Iterator[str]:
    """The tables, each below a line that explains it."""
    most = study.most
    best = "the known optimum" if optimum_known else f"a search of {study.reference} budgets"
    alike = ""
    if not study.same_actions:
        part = "the size of the noise" if study.bandwidth == "noise" else f"{study.bandwidth:g} of their range"
        alike = f"; actions within {part} (--bandwidth) count as the same"
    yield (
        f"{study.planner} in {study.env}: {counted(found['positions'], 'position')}, "
        f"{counted(study.budget, 'simulation')} per worker; best action by {best}{alike}"
    )
    yield _by_workers(study, "agreement: share of positions with the best action chosen", found["agreement"])
    if not any(interval[0] > 0.0 for row in found["agreement"].values() for interval in row.values()):
        wider = "" if optimum_known or study.same_actions else " or --bandwidth"
        yield f"no choice is best anywhere, so that nothing can be compared: give a larger --budget{wider}"
    yield _limit(study, found)
    if not all(math.isnan(interval[0]) for row in found["regret"].values() for interval in row.values()):
        yield _by_workers(study, "regret: loss of the choice against the best action", found["regret"])
    yield _by_workers(
        study, "equivalent budget: simulations of one tree that agrees as often", found["equivalent"], many
    )
    yield _bins(study, found, f"agreement with W = {most} by p0, the share of single workers that agree")
    yield _unanimity(found)
    if differences := [one for one in found["differences"] if one["workers"] == most]:
        yield _differences(differences, f"where two rules choose differently, W = {most}")
    for rule, row in found["splitting"].items():
        yield _splitting(rule, row)


def many(interval: Any) -> str:
    """Simulations with their interval."""
    value, low, high = interval
    return f"{value:,.0f}" if math.isnan(low) else f"{value:,.0f} [{low:,.0f}, {high:,.0f}]"


def _name(rule: str) -> str:
    return ONE_TREE if rule == TREE else rule


def _by_workers(
    study: Study, title: str, rows: Mapping[str, Mapping[str, Any]], cell: Callable[[Any], str] = estimate
) -> str:
    head = ["combine", *(f"W = {workers}" for workers in study.workers)]
    body = [
        [_name(rule), *(cell(row[str(w)]) if str(w) in row else "" for w in study.workers)]
        for rule, row in rows.items()
    ]
    return f"{title}\n{markdown([head, *body])}"


def _limit(study: Study, found: Summary) -> str:
    single = estimate(found["agreement"][TREE]["1"])
    return (
        f"a single worker agrees at {single}; the majority of {study.most} workers, the limit of many workers, "
        f"at {estimate(found['limit'])}"
    )


def _bins(study: Study, found: Summary, title: str) -> str:
    names = list(found["agreement"])
    rows = [["p0", "positions", *map(_name, names)]]
    for one in found["bins"]:
        cells = (one["agreement"][name].get(str(study.most)) for name in names)
        shown = [estimate(cell) if cell and not math.isnan(cell[0]) else "" for cell in cells]
        rows.append([f"{one['from']:g} to {one['to']:g}", str(one["positions"]), *shown])
    return f"{title}\n{markdown(rows)}"


def _unanimity(found: Summary) -> str:
    shares = list(next(iter(found["unanimity"].values())))
    rows = [["W", *(f"k = {k}" for k in shares)]]
    rows += [[workers, *map(estimate, row.values())] for workers, row in found["unanimity"].items()]
    return f"L_W(k): share of positions where the winner has at least the share k of the votes\n{markdown(rows)}"


def _differences(differences: list[Any], title: str) -> str:
    rows = [["rules", "positions", "best by the first", "by the second", "better actions", "and by the second"]]
    for one in differences:
        columns = [one["share"], *one["agreement"], *one["rank"]]
        cells = ["" if math.isnan(column[0]) else estimate(column) for column in columns]
        rows.append([" and ".join(one["rules"]), *cells])
    note = "better actions: mean number of actions better than the choice, its rank less 1"
    return f"{title}\n{markdown(rows)}\n{note}"


def _splitting(rule: str, row: Mapping[str, Any]) -> str:
    rows = [["W", "agreement lost", "regret added"]]
    rows += [[workers, estimate(one["agreement"]), estimate(one["regret"])] for workers, one in row.items()]
    return f"cost of splitting: {rule} against one search with the simulations of W workers\n{markdown(rows)}"
