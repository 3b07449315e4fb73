"""The episodes of tunings, each played once and kept in a file of JSON lines.

The file holds what was played and nothing about the search: a study that is resumed begins again from its seed, finds
the episodes that it asks for in the file, and so goes on exactly as if it had not been stopped. A study with more
trials, planners or episodes finds them as well.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.planners import Array
from bonspiel.runs import provenance
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.results import lines
from bonspiel.runs.results.rows import Episode, Failure
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule

FILE = "tuning.jsonl"


class Journal:
    """Plays episodes and keeps them.

    Args:
        jobs: number of workers.
        kept: episodes played before.
        add: called with an entry for every batch of episodes, to keep it; nothing is kept if None.
    """

    def __init__(
        self, jobs: int, kept: dict[Setting, dict[int, Episode]] | None = None, add: lines.Add | None = None
    ) -> None:
        self._jobs, self._add = jobs, add
        self._kept = {} if kept is None else kept

    def play(self, settings: Iterable[Setting], numbers: range, seen: Callable[[int, float], None]) -> None:
        """Play the episodes of these numbers in each setting, as far as they have not been played yet.

        Args:
            settings: planners and their environment.
            numbers: of the episodes.
            seen: called with numbers of episodes that are done, and the seconds that they took on all workers together;
                0 for those played before.

        Raises:
            RunError: an episode failed, or workers died repeatedly; the other episodes are kept.
        """
        pending = {one: [n for n in numbers if n not in self._kept.setdefault(one, {})] for one in settings}
        seen(sum(len(numbers) - len(due) for due in pending.values()), 0.0)
        with closing(parallel.run(Schedule(pending, self._jobs))) as batches:
            for batch in batches:
                played = [result for result in batch.results if isinstance(result, Episode)]
                self._keep(batch.setting, played)
                for result in batch.results:
                    if isinstance(result, Failure):
                        raise RunError(f"{batch.setting.planner}, episode {result.number}: {result.error}")
                seen(len(played), batch.seconds / self._jobs)

    def _keep(self, setting: Setting, played: list[Episode]) -> None:
        self._kept[setting].update((episode.number, episode) for episode in played)
        if self._add is not None:
            rows = [[one.number, one.total, one.steps, one.seconds, one.simulations] for one in played]
            self._add([setting, rows])

    def episodes(self, setting: Setting, numbers: range) -> list[Episode]:
        """Episodes that were played, in order."""
        return [self._kept[setting][number] for number in numbers]

    def returns(self, setting: Setting, numbers: range) -> Array:
        """Their returns, [n]."""
        return np.array([episode.total for episode in self.episodes(setting, numbers)])


@contextmanager
def kept(folder: Path | None, resume: bool, modules: tuple[str, ...], jobs: int) -> Iterator[Journal]:
    """A journal in a folder, which is locked; in memory alone if None.

    Args:
        folder: receives FILE.
        resume: whether to continue an existing file.
        modules: of other packages, from which planners or environments come.
        jobs: number of workers.

    Raises:
        UsageError: the folder cannot be used, or its episodes were played by other sources or packages.
    """
    if folder is None:
        yield Journal(jobs)
        return
    found: dict[Setting, dict[int, Episode]] = {}

    def take(entry: Any) -> None:
        episodes = (Episode(*row) for row in entry[1])
        found.setdefault(Setting(*entry[0]), {}).update((one.number, one) for one in episodes)

    with lines.kept(folder / FILE, "a tuning", dict(provenance.identity(modules)), resume, take) as add:
        yield Journal(jobs, found, add)
