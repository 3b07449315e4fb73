"""The expected time of a suite on this machine, from the first episodes of every setting."""

from collections.abc import Mapping, Sequence
from contextlib import closing

from bonspiel.runs.experiment import WHOLE, RunError, RunPart, Setting
from bonspiel.runs.progress import counted, duration, progress
from bonspiel.runs.results.rows import Batch, Failure
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.episode import play_batch
from bonspiel.runs.runner.schedule import Schedule
from bonspiel.runs.suite import Suite
from bonspiel.runs.tables import by_setting

SECONDS, MOST = 0.1, 20  # of the episodes of a setting that are played; one if it takes longer


def estimate(suite: Suite, jobs: int) -> dict[Setting, float]:
    """The mean seconds of the first episodes of each setting, played on as many workers as the run has."""
    settings = list(suite.settings())
    schedule, found = Schedule({setting: [0] for setting in settings}, jobs), {}
    with progress(len(settings), "settings") as advance, closing(parallel.run(schedule, play=_first)) as batches:
        for batch in batches:
            for result in batch.results:
                if isinstance(result, Failure):
                    raise RunError(f"{batch.setting.planner} fails in {batch.setting.env}: {result.error}")
            found[batch.setting] = batch.seconds
            advance(1, schedule.seconds_left())
    return {setting: found[setting] for setting in settings}


def _first(setting: Setting, indices: Sequence[int]) -> Batch:
    """The first episode, with the mean seconds of the first ones."""
    first = play_batch(setting, indices)
    count = min(MOST, int(SECONDS / first.seconds))
    more = play_batch(setting, range(1, count))
    return Batch(setting, [*first.results, *more.results], (first.seconds + more.seconds) / max(1, count))


def text(suite: Suite, costs: Mapping[Setting, float], jobs: int, part: RunPart = WHOLE) -> str:
    """Episodes of a suite and their expected time: a table for each environment and unit, and the sum."""
    episodes = {setting: len(part.episodes(count)) for setting, count in suite.episodes().items()}
    played = [(count, costs[setting]) for setting, count in episodes.items() if count]
    work = sum(count * seconds for count, seconds in played)
    wall = max([work / jobs, *(seconds for _, seconds in played)])
    name = suite.name if part == WHOLE else f"{suite.name}, part {part}"
    cells = {setting: f"{count} x {duration(costs[setting])}" for setting, count in episodes.items()}
    whole = (
        f"{name}: {counted(sum(episodes.values()), 'episode')} of {counted(len(played), 'setting')}, about "
        f"{duration(wall)} with {counted(jobs, 'job')} ({duration(work)} of work); nothing was kept\n"
        "cells: episodes x time of one, measured now with the first episodes of each planner and budget"
    )
    return "\n\n".join([*by_setting(suite, cells), whole])
