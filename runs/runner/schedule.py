"""The order and the size of the batches of a run, and the time left, from the measured costs of its episodes."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

from bonspiel.runs.experiment import Setting
from bonspiel.runs.results.rows import Batch

BATCH_SECONDS = 1.0  # much more than the 2 ms overhead of a batch, little to lose in an interruption


class Schedule:
    """Divides episodes into batches: one episode of every setting first, to measure its cost, then the costliest first.

    Batches last about a second, and less towards the end, so that all workers finish together.

    Batches are handed out in another thread than that which shows the progress, so copies are iterated over.

    Args:
        pending: the indices of the episodes to play, for each setting.
        jobs: number of workers.

    Attributes:
        jobs: as given.
        settings: of the episodes.
        timed: whether there are time budgets among them.
    """

    def __init__(self, pending: Mapping[Setting, Sequence[int]], jobs: int) -> None:
        """Begin without known costs."""
        self.jobs = jobs
        self._pending = {setting: list(indices) for setting, indices in pending.items() if indices}
        self.settings = tuple(self._pending)
        self.timed = any(setting.unit == "ms" for setting in self.settings)
        self._probes = sorted(self.settings, key=lambda setting: setting.budget)
        self._played: dict[Setting, tuple[int, float]] = {}
        self._alike: dict[tuple[str, str, str], list[Setting]] = {}  # those played
        self._under_way: Counter[Setting] = Counter()
        self._recorded = time.monotonic()

    def batches(self) -> Iterator[tuple[Setting, Sequence[int]]]:
        """Settings and indices of their episodes, sized when they are requested."""
        while self._pending:
            if self._probes:  # the smallest budgets first: they soon show how long episodes are
                setting, size = self._probes.pop(0), 1
            else:
                setting = max(self._pending, key=self._cost)
                target = min(BATCH_SECONDS, self._ahead() / (4 * self.jobs))
                size = max(1, int(target / self._cost(setting)))
            indices = self._pending[setting]
            batch, self._pending[setting] = indices[:size], indices[size:]
            if not self._pending[setting]:
                del self._pending[setting]
            self._under_way[setting] += len(batch)
            yield setting, batch

    def record(self, done: Batch) -> None:
        """Learn the cost of an episode from a batch."""
        episodes, seconds = self._played.get(done.setting, (0, 0.0))
        self._played[done.setting] = episodes + len(done.results), seconds + done.seconds
        if not episodes:
            self._alike.setdefault(_group(done.setting), []).append(done.setting)
        self._under_way[done.setting] -= len(done.results)
        self._recorded = time.monotonic()

    def seconds_left(self) -> float | None:
        """Expected time to the end; None until each planner has ended an episode with one of its budgets of a unit."""
        under_way = [(setting, count) for setting, count in list(self._under_way.items()) if count]
        due = [*(setting for setting, _ in under_way), *list(self._pending)]
        if any(_group(setting) not in self._alike for setting in due):
            return None
        work = self._ahead() + sum(count * self._cost(setting) for setting, count in under_way)
        left = max([work / self.jobs, *map(self._cost, due)])
        return max(0.0, left - (time.monotonic() - self._recorded))

    def _ahead(self) -> float:
        """Seconds of work on one core in episodes not yet in a batch."""
        return sum(len(indices) * self._cost(setting) for setting, indices in list(self._pending.items()))

    def _cost(self, setting: Setting) -> float:
        """Seconds per episode: measured, or else in proportion from the planner's nearest measured budget.

        The mean of all measured ones where the planner has played nothing, and a whole batch before the first.
        """
        if alike := self._alike.get(_group(setting)):
            nearest = min(alike, key=lambda other: abs(other.budget - setting.budget))
            episodes, seconds = self._played[nearest]
            return max(seconds / episodes * setting.budget / nearest.budget, 1e-6)
        known = [seconds / episodes for episodes, seconds in list(self._played.values())]
        return max(mean(known or [BATCH_SECONDS]), 1e-6)


def _group(setting: Setting) -> tuple[str, str, str]:
    """Settings with the same planner, environment and unit differ in their budgets."""
    return setting.env, setting.planner, setting.unit
