"""Every number of a paper's figures and tables, and which of them are among the best."""

import csv
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bonspiel import planners
from bonspiel.runs.experiment import Setting
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.compare import Comparison, meet
from bonspiel.runs.statistics.curves import Panel
from bonspiel.runs.statistics.multiple import holm
from bonspiel.runs.statistics.sample import Interval

LEVEL = 0.05  # of significance
FILE, LEVELS = "numbers.csv", "levels.csv"


class Estimate(NamedTuple):
    """A planner's mean return with one budget."""

    setting: Setting  # what was played
    name: str  # of the planner in the paper
    n: int  # episodes
    mean: Interval  # with its 95 % interval
    # the best planner's mean less this one's over common episodes, with its interval; None if there are none
    behind: Interval | None
    p: float | None  # that the two are equal, corrected by Holm for the planners of this budget; None without `behind`
    # whether it is the best of those with all episodes, or not significantly behind; no planner is, where one episode
    # each tells nothing
    best: bool


def estimates(store: Store, panel: Panel) -> list[Estimate]:
    """The numbers of a panel, by budget and planner."""
    played = {
        (one.planner, one.budget): one
        for one in store.suite.settings()
        if (one.env, one.unit) == (panel.env, panel.unit)
    }
    returns, called, found = functools.cache(store.returns_of), names(panel), []
    for budget in panel.budgets:
        here = {planner: summary for planner, curve in panel.curves.items() for at, summary in curve if at == budget}
        most = max(summary.n for summary in here.values())  # a planner that failed in hard episodes has fewer
        whole = [planner for planner in here if here[planner].n == most]
        top = max(whole, key=lambda planner: here[planner].interval.value)
        others = [planner for planner in here if planner != top]
        met = {planner: meet(played[top, budget], played[planner, budget], returns) for planner in others}
        paired = {planner: both.paired for planner, both in met.items() if isinstance(both, Comparison)}
        corrected = dict(zip(paired, holm([both.p for both in paired.values()]).tolist(), strict=True))
        for planner, summary in here.items():
            behind, p = paired[planner].difference if planner in paired else None, corrected.get(planner)
            near = planner == top or (behind is not None and p is not None and (behind.value <= 0.0 or p > LEVEL))
            best, setting = near and most > 1, played[planner, budget]
            found.append(Estimate(setting, called[planner], summary.n, summary.interval, behind, p, best))
    return found


def names(panel: Panel) -> dict[str, str]:
    """The name of each planner in the paper: its label, else its name alone where no other planner has it."""
    alone = [panel.labels.get(text, planners.REGISTRY.read(text)[0]) for text in panel.curves]
    return {
        text: name if alone.count(name) == 1 else panel.label(text)
        for text, name in zip(panel.curves, alone, strict=True)
    }


def write(folder: Path, panels: Sequence[Panel], found: Sequence[Estimate]) -> None:
    """Write the numbers, and the values that are known without the run, as CSV."""
    with (folder / FILE).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        means = ("mean", "mean_low", "mean_high", "behind", "behind_low", "behind_high", "p_holm", "best")
        writer.writerow([*Setting._fields, "name", "episodes", *means])
        for one in found:
            behind = one.behind or ("", "", "")
            writer.writerow(
                [*one.setting, one.name, one.n, *one.mean, *behind, "" if one.p is None else one.p, int(one.best)]
            )
    with (folder / LEVELS).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["env", "name", "value"])
        writer.writerows(dict.fromkeys((panel.env, *level) for panel in panels for level in panel.known.levels.items()))
