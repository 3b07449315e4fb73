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
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import starmap
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from bonspiel.planners.core import signals
from bonspiel.runs import provenance, suite
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.results.rows import Batch
from bonspiel.runs.runner import cores
from bonspiel.runs.runner.backends import Workers
from bonspiel.runs.runner.episode import play_batch
from bonspiel.runs.runner.schedule import Schedule

T = TypeVar("T")
PlayBatch = Callable[[Setting, Sequence[int]], Batch]

RETRIES = 3  # of a task when its worker died
DIED = (
    "worker processes died repeatedly{work} (killed, crashed, or out of memory); the results in an output folder are "
    "kept: continue with --resume, and with fewer --jobs if memory was short"
)
SIGNALS = signal.SIGINT, signal.SIGTERM
AS_THEY_COME: dict[str, Any] = {"batch_size": 1, "return_as": "generator_unordered"}


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

    def fatal(self) -> str:
        """The planners and environments of the tasks that workers died of most, as a part of a sentence."""
        most = max(self._deaths.values(), default=0)
        given = [part for number, task in self._out.items() if self._deaths[number] == most for part in task]
        played = dict.fromkeys(f"{one.planner} in {one.env}" for one in given if isinstance(one, Setting))
        return f" while they played {' or '.join(played)}" if played else ""


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


def compile_once() -> None:
    """Compile what this process has imported, which else each of its workers would."""
    from bonspiel.planners.core.jit import compile_missing

    compile_missing()


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
    Workers are `pinned` to cores of their own while some are left; those of a cluster must have the same `modules`.
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
            except TerminatedWorkerError as error:
                if not queue.died():
                    raise RunError(DIED.format(work=queue.fatal())) from error
                print("a worker process died; its work is repeated", file=sys.stderr)


def _results(workers: Parallel, calls: Iterable[Any]) -> Generator[Any]:
    """The results of the calls; pending calls are cancelled when the caller stops."""
    with ExitStack() as stack:
        with signals.held_back(*SIGNALS):  # processes that start would print a traceback each
            results = workers(calls)
            stack.callback(_close, results)
        for result in results:  # noqa: UP028 - `yield from` would close them itself, with the warning
            yield result


def _close(results: Generator[Any]) -> None:
    hook = threading.excepthook
    threading.excepthook = partial(_report, hook)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* tasks which were still being processed", UserWarning)
            results.close()
    finally:
        threading.excepthook = hook


def _report(hook: Callable[[threading.ExceptHookArgs], Any], error: threading.ExceptHookArgs) -> None:
    """Report the error of a thread, but not that of loky's which looks for a task that was cancelled at that moment."""
    if not (error.exc_type is KeyError and error.thread is not None and error.thread.name == "ExecutorManagerThread"):
        hook(error)


def run(schedule: Schedule, workers: Workers | None = None, play: PlayBatch = play_batch) -> Generator[Batch]:
    """Play the batches of a schedule; yields them as they finish, in any order.

    Workers on this machine are pinned to cores where time budgets are played.
    """
    workers = workers or Workers(schedule.jobs)
    pinned = schedule.timed and not workers.remote
    modules = suite.modules(schedule.settings) if workers.backend is not None else ()
    with closing(spread(play, schedule.batches(), schedule.jobs, pinned, workers.backend, modules)) as results:
        for done in results:
            schedule.record(done)
            yield done
