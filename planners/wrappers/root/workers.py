"""The workers of a root-parallel search: on threads, in processes, or one after the other, with the same results."""

import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, Literal, TypeVar

from bonspiel.planners.core import signals
from bonspiel.planners.core.jit import compile_missing
from bonspiel.planners.core.search import INTERRUPT_SECONDS, Stopped, stopped_by, stopping
from bonspiel.planners.model import Model

T = TypeVar("T")
Run = Literal["threads", "processes", "one"]


def share_interpreter(run: Run, model: Model) -> bool:
    """True if workers can only take turns, as those on threads do in a model of plain Python."""
    return not model.compiled and (run == "threads" or (run == "processes" and is_worker()))


def run_all(run: Run, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], together: bool) -> list[T]:
    """Call a function with each task's arguments; the results in the order of the tasks.

    Args:
        run: on "threads", in "processes", or "one" call after the other; a worker process of joblib, such as a job
            of `bonspiel run`, starts no further ones, but threads.
        function: one of a module, so that another process can import it.
        tasks: its arguments, call by call; a call may change them.
        together: whether all calls must run at the same time, as under a budget of seconds, on however few cores.

    Raises:
        Exception: what the first call that failed raised; the others are stopped.
        TypeError: an argument cannot be sent to another process.
    """
    if run == "one":
        return [function(*task) for task in tasks]
    most = len(tasks) if together else min(len(tasks), _cores())
    return (_on_threads if run == "threads" or is_worker() else _in_processes)(function, tasks, most)


def _cores() -> int:
    import joblib  # takes a tenth of a second, which other planners need not wait for

    return int(joblib.cpu_count())


def is_worker() -> bool:
    """True if this process is one of joblib's, whose other workers use the cores already."""
    from joblib.parallel import get_active_backend

    return bool(get_active_backend()[0].nesting_level)


def _on_threads(function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], most: int) -> list[T]:
    stop = threading.Event()

    def call(task: tuple[Any, ...]) -> T:
        with stopped_by(stop):
            return function(*task)

    futures: list[Future[T]] = []
    with ThreadPoolExecutor(most) as threads:
        try:
            futures += [threads.submit(call, task) for task in tasks]
            left = set(futures)
            while left and not stopping() and not any(future.exception() for future in futures if future.done()):
                _, left = wait(futures, INTERRUPT_SECONDS, FIRST_EXCEPTION)
        finally:  # after Ctrl-C or an error; else all have ended
            stop.set()
            threads.shutdown(cancel_futures=True)
    errors = [future.exception() for future in futures if not future.cancelled()]
    for error in errors:
        if error is not None and not isinstance(error, Stopped):
            raise error
    if stopping():
        raise Stopped
    return [future.result() for future in futures]


def _in_processes(function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], most: int) -> list[T]:
    from joblib import Parallel, delayed, parallel_config

    compile_missing()  # else every process would compile
    try:
        # without limit: larger arguments would be shared, and read-only
        with parallel_config(backend="loky", inner_max_num_threads=1, initializer=leave_ctrl_c_to_the_parent):
            workers = Parallel(most, batch_size=1, max_nbytes=None, return_as="generator")
            with signals.held_back(signal.SIGINT):  # processes that start would print a traceback each
                found: Iterator[T] = workers(delayed(function)(*task) for task in tasks)
            return list(found)
    except pickle.PicklingError as error:
        raise TypeError(f"run='processes': cannot send the model to a process ({error}); run=threads fits") from error


def leave_ctrl_c_to_the_parent() -> None:
    """Ctrl-C reaches every process of a terminal; this one is ended by its parent."""
    signals.leave_to_parent(signal.SIGINT)
