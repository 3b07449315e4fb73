"""The share of the cores that each client of an arena gets."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import joblib

from bonspiel.runs.experiment import number
from bonspiel.runs.progress import counted
from bonspiel.runs.runner.cores import mark

# read by OpenMP, OpenBLAS, MKL, Accelerate, numexpr, numba and Rayon
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
SEATS = 2  # clients that play one game

Share = frozenset[int]

# of this process; games start clients at the same time, and in between the thread may be confined to a share of another
WHOLE = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset(range(joblib.cpu_count()))


def available() -> list[int]:
    """The cores that this process may use."""
    return sorted(WHOLE)[: joblib.cpu_count()]  # which knows limits of containers too


def shares(jobs: int, cores: Sequence[int], each: int | None = None) -> list[tuple[Share, Share]]:
    """The cores of the two clients of every job.

    Args:
        jobs: games that are played at the same time.
        cores: to share out.
        each: number for each client; None: as many as all can have, and at least one. Where they do not suffice, some
            clients get the same ones.

    Raises:
        UsageError: a number out of range.
    """
    if each is None:
        each = max(1, len(cores) // (SEATS * jobs))
    each = number("--cores", each, 1, len(cores), whole=True)
    places = [[cores[(seat * each + place) % len(cores)] for place in range(each)] for seat in range(SEATS * jobs)]
    return [(frozenset(places[SEATS * job]), frozenset(places[SEATS * job + 1])) for job in range(jobs)]


@contextmanager
def claimed(jobs: int, each: int | None = None) -> Iterator[tuple[list[tuple[Share, Share]], str | None]]:
    """The `shares` of cores that no other run on this machine has, and a warning where there are too few of them.

    They are claimed until the block ends, on Linux; elsewhere nobody knows of others.
    """
    cores = available()
    if sys.platform != "linux":
        yield shares(jobs, cores, each), shortage(jobs, cores, each)
        return
    with ExitStack() as claims:
        free = list[int]()
        for core in cores:
            if len(free) < (len(cores) if each is None else SEATS * jobs * each) and (taken := mark(core)) is not None:
                claims.enter_context(taken)
                free.append(core)
        others = [core for core in cores if core not in free]
        found = shares(jobs, free or cores, each) if each is None else shares(jobs, free + others, each)
        warning = shortage(jobs, cores, each)
        if warning is None and each is None and free:
            warning = shortage(jobs, free, each, others)
        shared = sorted(frozenset().union(*sum(found, ())) & set(others))
        if shared and warning is None:
            names = ", ".join(map(str, shared))
            warning = f"other runs on this machine have cores {names} too: they slow each other's clients down"
        yield found, warning


def shortage(jobs: int, cores: Sequence[int], each: int | None, others: Sequence[int] = ()) -> str | None:
    """A warning where the clients need more cores than there are, `each` or at least one.

    Args:
        jobs: games that are played at the same time.
        cores: to share out.
        each: number for each client.
        others: cores that other runs have.
    """
    each = each or 1
    needed = SEATS * jobs * each
    if needed <= len(cores):
        return None
    games, most = counted(jobs, "job"), len(cores) // (SEATS * each)
    clients = f"{SEATS} clients with {counted(each, 'core')} each"
    there = f"other runs on this machine leave {len(cores)}" if others else f"there are {len(cores)}"
    if most:
        remedy = f"; use --jobs {most} or fewer"
    else:
        remedy = "; use fewer --cores" if each > 1 else ""
    return f"{games} x {clients} need {needed} cores, and {there}: they slow each other down{remedy}"


def environment(share: Share) -> dict[str, str]:
    """Environment variables that limit the threads of a client to its share."""
    return dict.fromkeys(THREADS, str(len(share)))


@contextmanager
def confined(share: Share) -> Iterator[None]:
    """Let processes that start within this block use these cores alone, where the system can; then all again."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    os.sched_setaffinity(0, share)
    try:
        yield
    finally:
        os.sched_setaffinity(0, WHOLE)
