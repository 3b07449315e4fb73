"""The runner: hands out episodes in batches, to worker processes or in this one.

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
from contextlib import closing
from itertools import starmap
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from runs import provenance
from runs.experiment import Setting
from runs.runner import cores
from runs.runner.backends import Workers
from runs.runner.episode import Batch, play_batch

T = TypeVar("T")
PlayBatch = Callable[[Setting, Sequence[int]], Batch]

BATCH_SECONDS = 1.0  # long against the 2 ms that handing out a batch costs, short against what an interruption loses
RETRIES = 3  # of a task whose worker died
AS_THEY_COME: dict[str, Any] = {"batch_size": 1, "return_as": "generator_unordered"}


class Schedule:
    """Hands out the episodes to play: one of every setting first, to learn what it costs, then the dearest first.

    Batches last about a second, and less towards the end, so that all workers finish together.

    Args:
        pending: the indices of the episodes to play, for each setting.
        jobs: number of workers.

    Attributes:
        timed: whether there are time budgets among them.
    """

    def __init__(self, pending: Mapping[Setting, Sequence[int]], jobs: int) -> None:
        """Nothing is known about costs yet."""
        self.jobs = jobs
        self._pending = {setting: list(indices) for setting, indices in pending.items() if indices}
        self._probes = sorted(self._pending, key=lambda setting: setting.budget)
        self._played: dict[Setting, tuple[int, float]] = {}
        self.timed = any(setting.unit == "ms" for setting in self._pending)

    def __iter__(self) -> Iterator[tuple[Setting, list[int]]]:
        """Batches, each sized when it is asked for."""
        while self._pending:
            if self._probes:
                setting, size = self._probes.pop(), 1
            else:
                setting = max(self._pending, key=self._cost)
                target = min(BATCH_SECONDS, self.remaining() / (4 * self.jobs))
                size = max(1, int(target / self._cost(setting)))
            indices = self._pending[setting]
            batch, self._pending[setting] = indices[:size], indices[size:]
            if not self._pending[setting]:
                del self._pending[setting]
            yield setting, batch

    def record(self, batch: Batch) -> None:
        """Learn from a batch what an episode of its setting costs."""
        episodes, seconds = self._played.get(batch.setting, (0, 0.0))
        self._played[batch.setting] = episodes + len(batch.results), seconds + batch.seconds

    def remaining(self) -> float:
        """Seconds of work on one core that are still to be handed out, as far as known."""
        pending = list(self._pending.items())
        return sum(len(indices) * self._cost(setting) for setting, indices in pending if setting in self._played)

    def _cost(self, setting: Setting) -> float:
        """Seconds an episode; one that is still being tried counts as a whole batch."""
        episodes, seconds = self._played.get(setting, (1, BATCH_SECONDS))
        return max(seconds / episodes, 1e-6)


def _begin_worker(driver: int, pinned: bool) -> None:
    """Leave Ctrl-C, which reaches every process of a terminal, to the driver, and go when the driver has gone."""
    if pinned:
        cores.claim()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(driver,), daemon=True).start()


def _leave_with(driver: int) -> None:
    """A killed driver cannot stop its workers: they look for themselves, or they would stay for minutes."""
    while os.getppid() == driver:
        time.sleep(1.0)
    os._exit(1)


class Hand:
    """Tasks on their way through workers, each known by a number; those of workers that died are dealt out once more.

    Args:
        tasks: whatever is to be done; asked for one by one.
    """

    def __init__(self, tasks: Iterable[tuple[Any, ...]]) -> None:
        """Nothing is dealt out yet."""
        self._tasks = enumerate(tasks)
        self._out: dict[int, tuple[Any, ...]] = {}
        self._deaths: Counter[int] = Counter()

    def __iter__(self) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """What is out, then what is new."""
        yield from list(self._out.items())
        for number, task in self._tasks:
            self._out[number] = task
            yield number, task

    def done(self, number: int) -> None:
        """A task's result is there."""
        del self._out[number]

    def died(self) -> bool:
        """A worker died, maybe of one of the tasks that were out; whether there is hope in dealing them out again."""
        self._deaths.update(self._out.keys())
        return all(self._deaths[number] <= RETRIES for number in self._out)


def _numbered(function: Callable[..., T], number: int, task: tuple[Any, ...]) -> tuple[int, T]:
    return number, function(*task)


_claim = functools.cache(cores.claim)


def _alike(function: Callable[..., T], identity: tuple[tuple[str, str], ...], pinned: bool, task: tuple[Any, ...]) -> T:
    """Call the function on a worker that others may have started, maybe elsewhere."""
    provenance.check_identity(identity)
    if pinned:
        _claim()
    return function(*task)


def spread(
    function: Callable[..., T], tasks: Iterable[tuple[Any, ...]], jobs: int, pinned: bool = False, backend: Any = None
) -> Generator[T]:
    """Call a function with each task's arguments; yields the results as they come, in any order.

    Without a backend the calls are made in this process if there is one job, otherwise by joblib's loky workers, one
    thread each. The tasks of a worker that dies are given to another, and their results are yielded once.

    Args:
        function: to be called.
        tasks: its arguments, call by call.
        jobs: number of workers.
        pinned: whether each worker stays on a core of its own, as far as there are enough.
        backend: of joblib, as from `runs.runner.backends.connect`.

    Raises:
        TerminatedWorkerError: loky's workers died again and again.
        RunError: a cluster failed, or is of another version.
    """
    if backend is not None:
        identity = provenance.identity()
        calls = (delayed(_alike)(function, identity, pinned, task) for task in tasks)
        yield from _results(Parallel(jobs, backend=backend, pre_dispatch=2 * jobs, **AS_THEY_COME), calls)
    elif jobs == 1:
        yield from starmap(function, tasks)
    else:
        yield from _by_loky(function, Hand(tasks), jobs, pinned)


def _by_loky(function: Callable[..., T], hand: Hand, jobs: int, pinned: bool) -> Generator[T]:
    settings = {"inner_max_num_threads": 1, "initializer": _begin_worker, "initargs": (os.getpid(), pinned)}
    with parallel_config(backend="loky", **settings):
        while True:
            try:
                calls = (delayed(_numbered)(function, number, task) for number, task in hand)
                with closing(_results(Parallel(jobs, **AS_THEY_COME), calls)) as results:
                    for number, result in results:
                        hand.done(number)
                        yield result
                return
            except TerminatedWorkerError:
                if not hand.died():
                    raise
                print("a worker process died; what it had is played again", file=sys.stderr)


def _results(workers: Parallel, calls: Iterable[Any]) -> Generator[Any]:
    """The results of the calls; those that nobody waits for any more are given up."""
    results = workers(calls)
    try:
        for result in results:  # noqa: UP028 - `yield from` would close them itself, with the warning
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* tasks which were still being processed", UserWarning)
            results.close()


def run(schedule: Schedule, workers: Workers | None = None, play: PlayBatch = play_batch) -> Generator[Batch]:
    """Play what the schedule hands out; yields batches as they come, in any order.

    Workers on this machine are pinned to cores where time budgets are played.

    Args:
        schedule: the episodes.
        workers: of a cluster; processes of this machine if None.
        play: plays a batch, on a worker.
    """
    workers = workers or Workers(schedule.jobs)
    pinned = schedule.timed and not workers.remote
    with closing(spread(play, schedule, schedule.jobs, pinned, workers.backend)) as batches:
        for batch in batches:
            schedule.record(batch)
            yield batch
