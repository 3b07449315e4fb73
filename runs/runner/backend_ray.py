"""A Ray cluster as a backend of joblib.

Ray has one of its own. It assigns batches to workers in turn, so that short ones wait behind a long one while other
workers are idle, and it does not yield results as they arrive (Ray 2.60).
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib.parallel import ParallelBackendBase

from bonspiel.runs.experiment import RunError, UsageError
from bonspiel.runs.runner.backends import PATIENCE, Workers, unplayable

RETRIES = 3


def _play(batch: Callable[[], Any]) -> Any:
    return batch()


class RayBackend(ParallelBackendBase):  # type: ignore[misc]
    """Every batch is a task of Ray, which repeats it if its worker is lost."""

    supports_retrieve_callback = True

    def __init__(self, ray: Any, jobs: int, **given: Any) -> None:
        """For Ray's module, connected."""
        super().__init__(**given)
        self._ray, self._jobs = ray, jobs
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)
        self._waiting: dict[Any, Any] = {}

    def effective_n_jobs(self, n_jobs: int) -> int:
        """At least two: joblib plays in the driver otherwise."""
        return max(2, self._jobs)

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], Any]) -> Any:
        """Submit a batch."""
        reference = self._task.remote(func)
        future = reference.future()
        self._waiting[future] = reference
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, future: Any) -> Any:
        """The result of a batch."""
        self._waiting.pop(future, None)
        failures = self._ray.exceptions
        try:
            return future.result()
        except failures.RayTaskError as error:
            raise error.cause if isinstance(error.cause, RunError) else unplayable(error.cause) from None
        except failures.WorkerCrashedError as error:
            raise RunError(
                f"the same episodes ended {RETRIES + 1} workers, one after another (killed, or out of "
                "memory); the results so far are kept: continue with --resume"
            ) from error
        except failures.RayError as error:
            raise unplayable(error) from error

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Cancel the waiting batches."""
        for reference in list(self._waiting.values()):
            self._ray.cancel(reference)
        self._waiting.clear()


@contextmanager
def connect(address: str | None, jobs: int | None) -> Iterator[Workers]:
    """As `runs.runner.backends.connect`."""
    import ray  # here, so that doctests can load this module where Ray is missing

    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is None:
            ray.init("local", num_cpus=jobs, include_dashboard=False, **quiet)
        else:
            _reach(address)
            ray.init(address, **quiet)
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"no Ray cluster at {address} ({' '.join(str(error).split())})") from error
    try:
        cores = int(ray.cluster_resources().get("CPU", 0))
        if cores == 0:
            raise UsageError(f"the Ray cluster at {address} has no CPU: add a node, with `ray start --address ...`")
        jobs = jobs or cores
        yield Workers(jobs, RayBackend(ray, jobs), remote=address is not None)
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Refuse an address where nothing listens; Ray itself would try for long."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"nothing answers at {address} within {PATIENCE:.0f} s; give the address that `ray start "
            "--head` prints, e.g. 10.0.0.1:6379"
        ) from error
