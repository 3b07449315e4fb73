"""The runner: plays episodes in batches, in worker processes or in this one.

Results do not depend on how episodes are batched, ordered or spread: each has its own random streams.
"""

import functools
import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import starmap
from statistics import mean
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from bonspiel.planners.core import signals
from bonspiel.runs import provenance, suite
from bonspiel.runs.experiment import Setting
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.runner import cores, trial
from bonspiel.runs.runner.backends import Workers
from bonspiel.runs.runner.episode import play_batch
from bonspiel.runs.runner.heartbeat import Beat
from bonspiel.runs.runner.trial import Trial, group, largest

T = TypeVar("T")
PlayBatch = Callable[..., Batch | Trial]  # of a setting and indices, without any of the run's episodes by budget too

BATCH_SECONDS = 1.0  # much more than the 2 ms overhead of a batch, little to lose in an interruption
LASTING = 1.25  # what an episode under way takes at least, in times of what it took so far
RETRIES = 3  # of a task when its worker died
SIGNALS = signal.SIGINT, signal.SIGTERM
AS_THEY_COME: dict[str, Any] = {"batch_size": 1, "return_as": "generator_unordered"}


class Schedule:
    """Divides episodes into batches: one episode of every setting first, to measure its cost, then the costliest first.

    Batches last about a second, and less towards the end, so that all workers finish together. With `trials`, a batch
    without episodes comes first for every planner in an environment: a trial, from which the costs are expected until
    they are measured.

    Batches are handed out in another thread than that which shows the progress, so copies are iterated over.

    Args:
        pending: the indices of the episodes to play, for each setting.
        jobs: number of workers.
        trials: whether workers try planners where they are given no episodes, as `trial.play_or_climb` does.

    Attributes:
        settings: of the episodes.
        timed: whether there are time budgets among them.
    """

    def __init__(self, pending: Mapping[Setting, Sequence[int]], jobs: int, trials: bool = False) -> None:
        """Begin without known costs."""
        self.jobs = jobs
        self._pending = {setting: list(indices) for setting, indices in pending.items() if indices}
        self.settings = tuple(self._pending)
        self._trials = largest(self.settings) if trials else []
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

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Batches, sized when they are requested."""
        yield from ((setting, [], self._shares[group(setting)]) for setting in self._trials)
        while self._pending:
            if self._probes:  # the cheapest first: they soon tell how long episodes are
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

    def record(self, done: Batch | Trial) -> None:
        """Learn the cost of an episode of the batch's setting, or what to expect of the trial's planner."""
        if isinstance(done, Batch):
            episodes, seconds = self._played.get(done.setting, (0, 0.0))
            self._played[done.setting] = episodes + len(done.results), seconds + done.seconds
            self._under_way[done.setting] -= len(done.results)
            count, steps = self._steps.get(group(done.setting), (0, 0.0))
            lengths = [one.steps for one in done.results if isinstance(one, Episode)]
            self._steps[group(done.setting)] = count + len(lengths), steps + sum(lengths)
            return
        self._tried += 1
        for setting in self.settings:
            if done.rungs and group(setting) == group(done.setting):
                slowdown = done.slowdown if setting.unit == "simulations" else 1.0
                expected = trial.cost(done.rungs, setting.budget, setting.unit)
                self._expected[setting] = slowdown * expected.seconds

    def see(self, beats: Iterable[Beat]) -> None:
        """Learn how far the episodes under way are: those that take longer than expected tell how long others will."""
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
        """How many times as long as expected the episodes of a planner took."""
        alike = [other for other in list(self._played) if group(other) == group(setting)]
        expected = sum(self._played[other][0] * self._expected[other] for other in alike)
        return sum(self._played[other][1] for other in alike) / expected if alike else 1.0


def _begin_worker(driver: int, pinned: bool) -> None:
    """Leave signals, which reach every process of a terminal or a job, to the driver; exit when that has ended."""
    if pinned:
        cores.claim()
    signals.leave_to_parent(*SIGNALS)
    threading.Thread(target=_leave_with, args=(driver,), daemon=True).start()


def _leave_with(driver: int) -> None:
    """Exit with the driver: killed, it cannot stop its workers, which would stay for minutes."""
    while os.getppid() == driver:
        time.sleep(1.0)
    os._exit(1)


class RetryQueue:
    """Tasks submitted to workers, by number; those of dead workers are submitted again.

    Args:
        tasks: argument tuples; read one by one.
    """

    def __init__(self, tasks: Iterable[tuple[Any, ...]]) -> None:
        """Begin with nothing submitted."""
        self._tasks = enumerate(tasks)
        self._out: dict[int, tuple[Any, ...]] = {}
        self._deaths: Counter[int] = Counter()

    def __iter__(self) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Unfinished tasks, then new ones."""
        yield from list(self._out.items())
        for number, task in self._tasks:
            self._out[number] = task
            yield number, task

    def done(self, number: int) -> None:
        """Remove a finished task."""
        del self._out[number]

    def died(self) -> bool:
        """Count the death of a worker against all submitted tasks; False if one of them has used up its retries."""
        self._deaths.update(self._out.keys())
        return all(self._deaths[number] <= RETRIES for number in self._out)


def _numbered(function: Callable[..., T], folder: str, number: int, task: tuple[Any, ...]) -> tuple[int, T]:
    """Call the function in the driver's folder: a worker may have been started by an earlier run, in another one."""
    os.chdir(folder)
    return number, function(*task)


_claim = functools.cache(cores.claim)


def _alike(function: Callable[..., T], identity: tuple[tuple[str, str], ...], pinned: bool, task: tuple[Any, ...]) -> T:
    """Call the function on a worker of a cluster, of the same version."""
    provenance.check_identity(identity)
    if pinned:
        _claim()
    return function(*task)


def spread(
    function: Callable[..., T],
    tasks: Iterable[tuple[Any, ...]],
    jobs: int,
    pinned: bool = False,
    backend: Any = None,
    modules: tuple[str, ...] = (),
) -> Generator[T]:
    """Call a function with each task's arguments; yields the results as they come, in any order.

    Without a backend the calls are made in this process if there is one job, otherwise by joblib's loky workers, one
    thread each. The tasks of a worker that dies are given to another, and their results are yielded once.

    Args:
        function: to be called.
        tasks: its arguments, call by call.
        jobs: number of workers.
        pinned: whether each worker is pinned to a core of its own, while cores are left.
        backend: of joblib, as from `runs.runner.backends.connect`.
        modules: of other packages, which a cluster's workers must have in the same version.

    Raises:
        TerminatedWorkerError: loky's workers died again and again.
        RunError: a cluster failed, or is of another version.
    """
    if backend is not None:
        identity = provenance.identity(modules)
        calls = (delayed(_alike)(function, identity, pinned, task) for task in tasks)
        yield from _results(Parallel(jobs, backend=backend, pre_dispatch=2 * jobs, **AS_THEY_COME), calls)
    elif jobs == 1:
        yield from starmap(function, tasks)
    else:
        yield from _by_loky(function, RetryQueue(tasks), jobs, pinned)


def _by_loky(function: Callable[..., T], queue: RetryQueue, jobs: int, pinned: bool) -> Generator[T]:
    settings = {"inner_max_num_threads": 1, "initializer": _begin_worker, "initargs": (os.getpid(), pinned)}
    folder = os.getcwd()
    with parallel_config(backend="loky", **settings):
        while True:
            try:
                calls = (delayed(_numbered)(function, folder, number, task) for number, task in queue)
                with closing(_results(Parallel(jobs, **AS_THEY_COME), calls)) as results:
                    for number, result in results:
                        queue.done(number)
                        yield result
                return
            except TerminatedWorkerError:
                if not queue.died():
                    raise
                print("a worker process died; its episodes are played again", file=sys.stderr)


def _results(workers: Parallel, calls: Iterable[Any]) -> Generator[Any]:
    """The results of the calls; pending calls are cancelled when the caller stops."""
    with ExitStack() as stack:
        with signals.held_back(*SIGNALS):  # processes that start would print a traceback each
            results = workers(calls)
            stack.callback(_close, results)
        for result in results:  # noqa: UP028 - `yield from` would close them itself, with the warning
            yield result


def _close(results: Generator[Any]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* tasks which were still being processed", UserWarning)
        results.close()


def run(schedule: Schedule, workers: Workers | None = None, play: PlayBatch = play_batch) -> Generator[Batch]:
    """Play the batches of a schedule; yields them as they finish, in any order; a trial as a batch without results.

    Workers on this machine are pinned to cores where time budgets are played.

    Args:
        schedule: the episodes.
        workers: of a cluster; processes of this machine if None.
        play: plays a batch, on a worker.
    """
    workers = workers or Workers(schedule.jobs)
    pinned = schedule.timed and not workers.remote
    modules = suite.modules(schedule.settings) if workers.backend is not None else ()
    with closing(spread(play, schedule, schedule.jobs, pinned, workers.backend, modules)) as batches:
        for done in batches:
            schedule.record(done)
            yield done if isinstance(done, Batch) else Batch(done.setting, [], 0.0)
