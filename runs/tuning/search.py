"""The search for a planner's parameters: batches of trials, of which those that lag are stopped early.

All trials meet the same draws of the environment. A trial plays its episodes in STEPS; after each, it is stopped if the
mean of its returns so far is below the median of the earlier batches' full trials at that step (the median stopping
rule of Golovin et al. 2017, "Google Vizier"). The first batch is played in full.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bonspiel.planners import Array
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.results.rows import Episode, Failure
from bonspiel.runs.results.work import Work
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule
from bonspiel.runs.tuning import samplers
from bonspiel.runs.tuning.space import Space
from bonspiel.runs.tuning.study import TuningStudy


class Journal(Work[Setting, int, Episode]):
    """Episodes by their setting and number.

    Args:
        jobs: number of workers that play them.
    """

    file, noun = "tuning.jsonl", "a tuning"

    def __init__(self, jobs: int) -> None:
        super().__init__()
        self._jobs = jobs

    def entry(self, group: Setting, results: Mapping[int, Episode]) -> list[Any]:
        """The setting and its episodes, without what no tuning needs."""
        return [group, [[one.number, one.total, one.steps, one.seconds, one.simulations] for one in results.values()]]

    def results(self, entry: Any) -> tuple[Setting, dict[int, Episode]]:
        """The episodes in a line of the file."""
        setting, rows = entry
        return Setting(*setting), {row[0]: Episode(*row) for row in rows}

    def play(self, settings: Iterable[Setting], numbers: range, seen: Callable[[int, float], None]) -> None:
        """Play the episodes of these numbers in each setting, as far as they have not been played yet.

        `seen` gets numbers of episodes that are done and their seconds on all workers; 0 for those played before.
        """
        pending = {one: [n for n in numbers if n not in self.found[one]] for one in settings}
        seen(sum(len(numbers) - len(due) for due in pending.values()), 0.0)
        with closing(parallel.run(Schedule(pending, self._jobs))) as batches:
            for batch in batches:
                played = {result.number: result for result in batch.results if isinstance(result, Episode)}
                self.add(batch.setting, played)
                for result in batch.results:
                    if isinstance(result, Failure):
                        raise RunError(f"{batch.setting.planner}, episode {result.number}: {result.error}")
                seen(len(played), batch.seconds / self._jobs)

    def episodes(self, setting: Setting, numbers: range) -> list[Episode]:
        """Episodes that were played, in order."""
        return [self.found[setting][number] for number in numbers]

    def returns(self, setting: Setting, numbers: range) -> Array:
        """Their returns, [n]."""
        return np.array([episode.total for episode in self.episodes(setting, numbers)])


STEPS = 5


@dataclass
class Trial:
    """One candidate."""

    number: int  # 0 for the planner as it is written; the others from 1
    setting: Setting  # the planner and its environment
    means: list[float] = field(default_factory=list)  # mean return after each step
    pruned: bool = False  # whether it was stopped


def steps(episodes: int) -> list[int]:
    """The number of episodes played after each step."""
    return sorted({math.ceil(episodes * step / STEPS) for step in range(1, STEPS + 1)})


def search(study: TuningStudy, space: Space, journal: Journal, seen: Callable[[int, float], None]) -> list[Trial]:
    """Run the trials of a study for one planner; returns them in order. Episodes of stopped trials count as `seen`."""
    sampler = samplers.make(study, space)
    trials = [Trial(0, study.setting(space.start))]
    for first in range(1, study.trials + 1, samplers.BATCH):
        earlier = [trial for trial in trials if not trial.pruned] if first > 1 else []
        numbers = range(first, min(first + samplers.BATCH, study.trials + 1))
        asked = [Trial(number, study.setting(space.text(sampler.ask(number)))) for number in numbers]
        run(asked if earlier else trials + asked, earlier, steps(study.episodes), journal, seen)
        for trial in asked:
            sampler.tell(trial.number, trial.means, trial.pruned)
        trials += asked
    return trials


def run(
    batch: list[Trial], earlier: list[Trial], ends: list[int], journal: Journal, seen: Callable[[int, float], None]
) -> None:
    """Play the episodes of a batch of trials, step by step; stop those that lag behind `earlier`, if there are any."""
    start = 0
    for step, end in enumerate(ends):
        running = [trial for trial in batch if not trial.pruned]
        journal.play(dict.fromkeys(trial.setting for trial in running), range(start, end), seen)
        for trial in running:
            trial.means.append(float(journal.returns(trial.setting, range(end)).mean()))
            if earlier and end < ends[-1] and trial.means[step] < np.median([one.means[step] for one in earlier]):
                trial.pruned = True
                seen(ends[-1] - end, 0.0)
        start = end
