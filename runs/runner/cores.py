"""A core for each worker, so that workers with time budgets do not disturb each other."""

import functools
import os
import socket
import sys
from pathlib import Path

NAME = "bonspiel core"  # of the mark of a taken core

_claims: list[socket.socket] = []  # open for as long as the process lives


def mark(core: int) -> socket.socket | None:
    """The mark that a core is taken, until it is closed or the process ends; None if another process has it, on Linux.

    It is a name in Linux's abstract namespace of sockets: the kernel gives it to only one process, of any run, and
    releases it when the process ends, in whatever way.
    """
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0{NAME} {core}")
    except OSError:
        name.close()
        return None
    return name


@functools.cache  # later, workers of this process's earlier runs have some
def taken() -> int:
    """The number of cores that workers of other runs had when this process first asked."""
    try:
        names = {line[line.find("@") :] for line in Path("/proc/net/unix").read_text("utf-8", "replace").splitlines()}
    except OSError:
        return 0
    return sum(f"@{NAME} {core}" in names for core in os.sched_getaffinity(0))


def untaken() -> int:
    """The number of cores that this process may use, less those `taken`."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return allowed - taken()


def claim() -> int | None:
    """Pin this process to a core that no other worker on this machine has; its number.

    Where all cores are taken, or on another system than Linux, nothing is pinned, and the result is None.
    """
    if sys.platform != "linux":
        return None
    for core in sorted(os.sched_getaffinity(0)):
        if (taken := mark(core)) is not None:
            _claims.append(taken)
            os.sched_setaffinity(0, {core})
            return core
    return None
