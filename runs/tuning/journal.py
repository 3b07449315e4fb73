"""The episodes of tunings, each played once and kept in a file.

The file holds what was played and nothing about the search: a study that is resumed begins again from its seed, finds
the episodes that it asks for in the file, and so goes on exactly as if it had not been stopped. A study with more
trials, planners or episodes finds them as well.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import Any

import numpy as np

from bonspiel.planners import Array
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.results.rows import Episode, Failure
from bonspiel.runs.results.work import Work
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule


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
