"""The final of a study: the best trials again, on fresh draws and with more episodes; only these choose the winners.

The best of many noisy means is too good to be true. A winner is called so only if it is ahead of the next by the paired
interval (`runs.statistics.paired`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bonspiel import planners
from bonspiel.planners import Array
from bonspiel.runs.draws import named_rng, planner_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.statistics.compare import needed
from bonspiel.runs.statistics.curves import Panel, caption, table
from bonspiel.runs.statistics.paired import paired
from bonspiel.runs.statistics.sample import summarise
from bonspiel.runs.statistics.scale import known
from bonspiel.runs.tables import estimate, markdown
from bonspiel.runs.tuning.search import Journal, Trial, steps
from bonspiel.runs.tuning.study import TuningStudy

FINALISTS = 4  # of each planner, in addition to the planner as it is written
EPISODES = 8  # times as many as in a trial

Returns = dict[Setting, Array]
"""The returns of some settings, [n] each; the best mean first."""


def fresh(study: TuningStudy) -> range:
    """The episodes of the final."""
    return range(study.episodes, (1 + EPISODES) * study.episodes)


def finalists(study: TuningStudy, searches: Mapping[str, Sequence[Trial]]) -> dict[str, list[Setting]]:
    """The candidates in the final, by the planner that they are variants of."""
    found: dict[str, list[Setting]] = {}
    for start, trials in searches.items():
        full = sorted((trial for trial in trials if not trial.pruned), key=lambda trial: -trial.means[-1])
        written = trials[0].setting
        others = _different([written, *(one.setting for one in full)])[1:]
        found[start] = [written, *others[:FINALISTS]]  # of equals the first counts as the best
    for text in study.against:
        start = next((start for start in searches if _name(start) == _name(text)), text)
        found[start] = _different([*found.get(start, ()), study.setting(text)])
    return found


def _different(settings: Iterable[Setting]) -> list[Setting]:
    """The first setting of each planner; its parameters may be written out, or left to be the default."""
    found: dict[str, Setting] = {}
    for one in settings:
        found.setdefault(_played(one), one)
    return list(found.values())


def _played(setting: Setting) -> str:
    return repr(planners.parse(setting.planner))


def _name(text: str) -> str:
    name, _ = planners.REGISTRY.read(text)
    return planners.REGISTRY.aliases.get(name, name)


def ranked(journal: Journal, settings: Iterable[Setting], episodes: range) -> Returns:
    """The returns of some settings."""
    returns = {setting: journal.returns(setting, episodes) for setting in settings}
    return dict(sorted(returns.items(), key=lambda item: -item[1].mean()))


def verdict(final: Returns) -> str:
    """The best of a final, and its paired difference to the next; a winner only if that is settled."""
    (best, ours), *others = final.items()
    if not others:
        return f"winner\n{best.planner}"
    following, theirs = others[0]
    found = paired(ours, theirs, named_rng(f"tune|{best.planner}|{following.planner}", best.seed, len(ours)))
    title, open_ = "winner", ""
    if found.more > 0.0 or np.isnan(found.more):
        title = "no clear winner: the best is within noise of the next"
        open_ = f"; further episodes needed to settle it: {needed(found.more)}"
    return (
        f"{title}\n{best.planner}\n{estimate(found.difference)} ahead of {following.planner} "
        f"(mean difference over {found.n} episodes [95 %], p {found.p:.4f}{open_})"
    )


def rounds(title: str, env: str, returns: Returns) -> str:
    """A table of returns with its title."""
    summaries = ((setting, summarise(sample, planner_rng(setting, 0))) for setting, sample in returns.items())
    curves = {setting.planner: [(setting.budget, summary)] for setting, summary in summaries}
    panel = Panel(env, "simulations", curves, known(env))
    return f"{title}\n{table(panel)}\n{caption(panel)}"


@dataclass(frozen=True)
class TuningEffort:
    """The cost of a planner's tuning."""

    trials: int  # candidates, the planner as it is written included
    pruned: int  # of them, stopped early
    episodes: int  # of search and final
    simulations: int  # of all their decisions
    seconds: float  # of planning

    @classmethod
    def of(
        cls, study: TuningStudy, trials: Sequence[Trial], final: Iterable[Setting], journal: Journal
    ) -> "TuningEffort":
        """Of one planner."""
        ends = steps(study.episodes)
        played = dict[Setting, int]()  # a candidate may be tried again, and then be stopped earlier
        for trial in trials:
            played[trial.setting] = max(ends[len(trial.means) - 1], played.get(trial.setting, 0))
        found = [one for setting, end in played.items() for one in journal.episodes(setting, range(end))]
        found += [one for setting in final for one in journal.episodes(setting, fresh(study))]
        simulations = sum(one.simulations or 0 for one in found)
        seconds = sum(one.seconds for one in found)
        return cls(len(trials), sum(trial.pruned for trial in trials), len(found), simulations, seconds)


def spent(efforts: Mapping[str, TuningEffort]) -> str:
    """A table of the cost of each planner's tuning."""
    rows = [["planner", "trials", "pruned", "episodes", "simulations", "seconds of planning"]]
    for name, one in efforts.items():
        numbers = (one.trials, one.pruned, one.episodes, one.simulations)
        rows.append([name, *(f"{number:,}" for number in numbers), f"{one.seconds:,.1f}"])
    return f"spent\n{markdown(rows)}"


def entries(winners: Sequence[str], as_written: Iterable[str]) -> list[str]:
    """Winners as planner entries of a suite file; labelled as tuned unless they were written so before."""
    given, lines = set(as_written), []
    names = [_name(winner) for winner in winners]
    for place, (winner, name) in enumerate(zip(winners, names, strict=True)):
        alike = names[:place].count(name)
        label = json.dumps(f"{name}, tuned" + (f" ({alike + 1})" if alike else ""))
        text = json.dumps(winner)
        lines.append(f"    {text}," if winner in given else f"    {{ label = {label}, planner = {text} }},")
    return lines
