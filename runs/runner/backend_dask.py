"""A Dask cluster as a backend of joblib.

joblib has one of its own. It plays in the driver if there is one worker, and waits for ever if a task ends every worker
that tries it (joblib 1.6).
"""

import importlib.metadata
import logging
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from typing import Any

from distributed import Client, KilledWorker, LocalCluster
from distributed.comm.addressing import resolve_address
from joblib.parallel import ParallelBackendBase

from bonspiel.runs.experiment import RunError, UsageError
from bonspiel.runs.runner.backends import PATIENCE, Workers, unplayable

DISTRIBUTION = "bonspiel"


class DaskBackend(ParallelBackendBase):  # type: ignore[misc]
    """Every batch is a task of Dask, which repeats it if its worker is lost."""

    supports_retrieve_callback = True

    def __init__(self, client: Any, jobs: int, **given: Any) -> None:
        """For a client that is connected."""
        super().__init__(**given)
        self._client, self._jobs = client, jobs
        self._waiting: set[Any] = set()

    def effective_n_jobs(self, n_jobs: int) -> int:
        """At least two: joblib plays in the driver otherwise."""
        return max(2, self._jobs)

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], Any]) -> Any:
        """Submit a batch."""
        future = self._client.submit(func, pure=False)
        self._waiting.add(future)
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, future: Any) -> Any:
        """The result of a batch."""
        self._waiting.discard(future)
        try:
            return future.result()
        except RunError:
            raise
        except KilledWorker as error:
            raise RunError(
                f"the same episodes ended {error.allowed_failures + 1} workers, one after another (killed, "
                "out of memory, or without bonspiel); the results so far are kept: continue with --resume"
            ) from error
        except (CancelledError, OSError) as error:
            raise RunError(
                "the connection to the Dask scheduler was lost; the results so far are kept: continue with --resume"
            ) from error
        except Exception as error:
            raise unplayable(error) from error

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Cancel the waiting batches."""
        self._client.cancel(list(self._waiting))
        self._waiting.clear()


@contextmanager
def connect(address: str | None, jobs: int | None) -> Iterator[Workers]:
    """As `runs.runner.backends.connect`."""
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # our own lines say what matters
    with ExitStack() as opened:
        scheduler = address or opened.enter_context(_local(jobs))
        client = opened.enter_context(_client(scheduler))
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise UsageError(
                f"the Dask scheduler at {address} has no workers; start some with `dask worker {address} "
                "--nworkers N --nthreads 1`"
            ) from error
        for worker, found in client.run(importlib.metadata.version, DISTRIBUTION, on_error="return").items():
            if isinstance(found, Exception):
                raise UsageError(f"the Dask worker {worker} has no bonspiel: install this version wherever workers run")
        threads = client.nthreads()
        for worker, count in threads.items():
            if count > 1:
                raise UsageError(
                    f"the Dask worker {worker} has {count} threads, which slow each other down: "
                    f"start processes of one thread, with `dask worker {address} --nworkers N --nthreads 1`"
                )
        jobs = jobs or len(threads)
        yield Workers(jobs, DaskBackend(client, jobs), remote=address is not None)


def dask_setup(worker: Any) -> None:
    """Dask calls this in every process of a cluster that ends with the driver: Ctrl-C is left to that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _local(jobs: int | None) -> Any:
    """Processes on this machine, quiet, and with all its memory like loky's."""
    return LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=jobs,
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address="127.0.0.1:0",
        preload=__name__,
        silence_logs=logging.CRITICAL,
    )


def _client(scheduler: Any) -> Any:
    try:
        if isinstance(scheduler, str):
            resolve_address(scheduler)
        return Client(scheduler, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {scheduler} within {PATIENCE:.0f} s; start one with `dask "
            "scheduler`, which prints its address, e.g. tcp://10.0.0.1:8786"
        ) from error
