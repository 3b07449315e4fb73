"""Places that run tasks: worker processes of this machine (loky), a Dask or a Ray cluster."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from bonspiel.runs.experiment import RunError, UsageError, number

PACKAGES = {"dask": "distributed", "ray": "ray"}
NAMES = ("loky", *PACKAGES)
MOST_JOBS = 1024  # processes that are started on this machine
PATIENCE = 10.0  # s; for a cluster to answer, and then for its first worker


class Place(NamedTuple):
    """A backend and a cluster's address; without one Dask and Ray start a cluster on this machine."""

    backend: str = "loky"
    address: str | None = None


HERE = Place()


@dataclass(frozen=True)
class Workers:
    """Connected workers."""

    jobs: int  # number of workers to keep busy
    backend: Any = None  # of joblib; None for loky's processes, which joblib starts itself
    remote: bool = False  # whether they belong to an existing cluster


def job_count(jobs: int | None) -> int:
    """The number of processes to start on this machine: all cores if None."""
    import joblib

    return joblib.cpu_count() if jobs is None else number("jobs", jobs, 1, MOST_JOBS, whole=True)


def check(place: Place) -> None:
    """Refuse a place that cannot be reached from here."""
    if place.backend == "loky":
        if place.address is not None:
            raise UsageError(f"--address {place.address} needs --backend dask or --backend ray")
        return
    name, package = place.backend, PACKAGES[place.backend]
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise UsageError(f"--backend {name} needs the package {package}: pip install -e '.[{name}]'") from error


@contextmanager
def connect(place: Place, jobs: int | None) -> Iterator[Workers]:
    """Connect to a cluster, or start one on this machine, which ends with the block.

    An existing cluster keeps `jobs` workers busy, present or still to come; all that are present if None.
    """
    from bonspiel.planners.core.code.cache import usable_folder

    check(place)
    usable_folder()  # if the cache cannot be written, this process says so, and its workers share another one
    if place.backend == "loky":
        yield Workers(job_count(jobs))
        return
    if jobs is not None or place.address is None:
        jobs = job_count(jobs)
    backend = importlib.import_module(f"bonspiel.runs.runner.backend_{place.backend}")
    with backend.connect(place.address, jobs) as workers:
        yield workers


def unplayable(error: BaseException) -> RunError:
    """The error of a worker that cannot play a batch, e.g. without bonspiel."""
    from bonspiel.planners.core.code.errors import error_text  # numpy comes with it, and the parser needs this module

    return RunError(
        f"a worker cannot play ({error_text(error)}); install this version of bonspiel wherever the cluster runs"
    )
