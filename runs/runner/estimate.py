"""The expected time of a suite on this machine, from a few trial episodes of every planner."""

from collections.abc import Mapping
from contextlib import closing

from bonspiel.runs.experiment import Setting
from bonspiel.runs.part import WHOLE, Part
from bonspiel.runs.progress import counted, duration
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.episode import failures_named
from bonspiel.runs.runner.trial import Cost, Trial, climb, cost, group, largest
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import by_setting


def estimate(suite: Suite, jobs: int) -> dict[Setting, Cost]:
    """The expected cost of an episode of each setting, measured on as many workers as the run has.

    Raises:
        RunError: a planner failed.
    """
    settings = list(suite.settings())
    with closing(parallel.spread(_climb, ((setting,) for setting in largest(settings)), jobs)) as found:
        rungs = {group(tried.setting): tried.rungs for tried in found}
    return {setting: cost(rungs[group(setting)], setting.budget, setting.unit) for setting in settings}


def _climb(setting: Setting) -> Trial:
    with failures_named(setting.planner, setting.env):
        return climb(setting)


def text(suite: Suite, costs: Mapping[Setting, Cost], jobs: int, part: Part = WHOLE) -> str:
    """Episodes of a suite and their expected time: a table for each environment and unit, and the sum.

    Args:
        suite: the suite to run.
        costs: as from `estimate`.
        jobs: worker processes.
        part: the share of the episodes to run.
    """
    episodes = {setting: len(part.episodes(count)) for setting, count in suite.episodes().items()}
    tables = by_setting(suite, {setting: f"{count} x {_cell(costs[setting])}" for setting, count in episodes.items()})
    name = suite.name if part == WHOLE else f"{suite.name}, part {part}"
    return "\n\n".join([*tables, f"{name}: {_whole(episodes, costs, jobs)}"])


def _whole(episodes: Mapping[Setting, int], costs: Mapping[Setting, Cost], jobs: int) -> str:
    played = [(count, costs[setting]) for setting, count in episodes.items() if count]
    work = sum(count * cost.seconds for count, cost in played)
    guessed = sum(count * cost.seconds for count, cost in played if not cost.measured)
    wall = max([work / jobs, *(cost.seconds for _, cost in played)])
    return (
        f"{counted(sum(episodes.values()), 'episode')} of {counted(len(played), 'setting')}, about "
        f"{duration(wall)} with {counted(jobs, 'job')} ({duration(work)} of work); nothing was started\n"
        "cells: episodes x time of one on an idle machine, measured now with a few episodes of every planner;\n"
        f"~ extrapolated, {guessed / work if work else 0.0:.0%} of the time: in simulations from the largest budget "
        "tried, in ms from the number of decisions"
    )


def _cell(cost: Cost) -> str:
    """The time of an episode, marked if it is extrapolated."""
    return f"{'' if cost.measured else '~'}{duration(cost.seconds)}"
