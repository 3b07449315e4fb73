"""The order and the size of the batches of a run, from the measured and the expected costs of their episodes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean

from bonspiel.runs.experiment import Setting
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.runner import trial
from bonspiel.runs.runner.heartbeat import Beat
from bonspiel.runs.runner.trial import Trial, group, largest

BATCH_SECONDS = 1.0  # much more than the 2 ms overhead of a batch, little to lose in an interruption
LASTING = 1.25  # an episode under way takes at least this many times what it took so far


class Schedule:
    """Divides episodes into batches: one episode of every setting first, to measure its cost, then the costliest first.

    Batches last about a second, and less towards the end, so that all workers finish together. The trials of planners,
    which come before the batches, give the costs that are expected until they are measured.

    Batches are handed out in another thread than that which shows the progress, so copies are iterated over.

    Args:
        pending: the indices of the episodes to play, for each setting.
        jobs: number of workers.
        with_trials: whether each planner is tried in each environment first.

    Attributes:
        settings: of the episodes.
        timed: whether there are time budgets among them.
    """

    def __init__(self, pending: Mapping[Setting, Sequence[int]], jobs: int, with_trials: bool = False) -> None:
        """Begin without known costs."""
        self.jobs = jobs
        self._pending = {setting: list(indices) for setting, indices in pending.items() if indices}
        self.settings = tuple(self._pending)
        self._trials = largest(self.settings) if with_trials else []
        self._shares: dict[tuple[str, str, str], dict[float, int]] = {}
        for setting, indices in self._pending.items():
            self._shares.setdefault(group(setting), {})[setting.budget] = len(indices)
        self._steps: dict[tuple[str, str, str], tuple[int, float]] = {}
        self._beats: dict[Setting, list[Beat]] = {}
        self._tried = 0
        self._probes = list(self.settings)
        self._expected: dict[Setting, float] = {}
        self._played: dict[Setting, tuple[int, float]] = {}
        self._under_way: Counter[Setting] = Counter()
        self.timed = any(setting.unit == "ms" for setting in self.settings)

    def trials(self) -> Iterator[tuple[Setting, Mapping[float, int]]]:
        """The arguments of `trial.try_planner` for each planner to try."""
        return ((setting, self._shares[group(setting)]) for setting in self._trials)

    def batches(self) -> Iterator[tuple[Setting, Sequence[int]]]:
        """Settings and indices of their episodes, sized when they are requested."""
        while self._pending:
            if self._probes:  # the cheapest first: they soon show how long episodes are
                setting, size = min(self._probes, key=self._cost), 1
                self._probes.remove(setting)
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
        self._under_way[done.setting] -= len(done.results)
        count, steps = self._steps.get(group(done.setting), (0, 0.0))
        lengths = [one.steps for one in done.results if isinstance(one, Episode)]
        self._steps[group(done.setting)] = count + len(lengths), steps + sum(lengths)

    def expect(self, done: Trial) -> None:
        """Learn the expected cost of a planner's episodes from its trial."""
        self._tried += 1
        for setting in self.settings:
            if done.rungs and group(setting) == group(done.setting):
                slowdown = done.slowdown if setting.unit == "simulations" else 1.0
                expected = trial.cost(done.rungs, setting.budget, setting.unit)
                self._expected[setting] = slowdown * expected.seconds

    def see(self, beats: Iterable[Beat]) -> None:
        """Learn how far the episodes under way are; one that takes longer than expected raises the cost of others."""
        found: dict[Setting, list[Beat]] = {}
        for beat in beats:
            found.setdefault(beat.setting, []).append(beat)
        self._beats = found

    def seconds_left(self) -> float | None:
        """Expected time to the end; None while trials are under way, or where nothing is known of a planner then."""
        if self._tried < len(self._trials) or not (self._expected or self._played or self._beats):
            return None
        if self._trials:
            known = {group(setting) for of in (self._expected, self._played, self._beats) for setting in list(of)}
            if any(group(setting) not in known for setting in self._trials):
                return None
        under_way = [(setting, count) for setting, count in list(self._under_way.items()) if count]
        due = [setting for setting, _ in under_way] + list(self._pending)
        work = self._ahead() + sum(count * self._cost(setting) for setting, count in under_way)
        spent = {setting: [beat.seconds for beat in self._beats.get(setting, ())] for setting in due}
        rests = (self._cost(setting) - max(seconds, default=0.0) for setting, seconds in spent.items())
        return max([0.0, (work - sum(map(sum, spent.values()))) / self.jobs, *rests])

    def _ahead(self) -> float:
        """Seconds of work on one core in episodes not yet in a batch."""
        return sum(len(indices) * self._cost(setting) for setting, indices in list(self._pending.items()))

    def _cost(self, setting: Setting) -> float:
        """Seconds per episode.

        As measured; else as expected, corrected by what was measured of the planner with other budgets; else the mean
        of all that is known, and a whole batch where nothing is. It is no less than what an episode under way shows.
        """
        known, beats = self._known_cost(setting), self._beats.get(setting)
        return max([known, *map(self._foreseen, beats)]) if beats else known

    def _foreseen(self, beat: Beat) -> float:
        """Seconds that an episode under way will take; one that is longer than usual is taken to last for a while."""
        count, steps = self._steps.get(group(beat.setting), (0, 0.0))
        usual = steps / count if count else beat.horizon
        return beat.seconds * max(usual / beat.decisions, min(LASTING, beat.horizon / beat.decisions))

    def _known_cost(self, setting: Setting) -> float:
        if setting in self._played:
            known = [self._played[setting]]
        elif setting in self._expected:
            return self._expected[setting] * self._correction(setting)
        else:
            known = list(self._played.values()) or [(1, BATCH_SECONDS)]
        return max(mean(seconds / episodes for episodes, seconds in known), 1e-6)

    def _correction(self, setting: Setting) -> float:
        """The ratio of measured to expected seconds of a planner's episodes; 1 where none was played."""
        alike = [other for other in list(self._played) if group(other) == group(setting)]
        expected = sum(self._played[other][0] * self._expected[other] for other in alike)
        return sum(self._played[other][1] for other in alike) / expected if alike else 1.0
