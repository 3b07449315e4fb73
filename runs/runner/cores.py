"""A core for each worker, so that workers with time budgets do not disturb each other."""

import os
import socket
import sys

NAME = "bonspiel core"  # of the mark of a taken core

_claims: list[socket.socket] = []  # open for as long as the process lives


def claim() -> int | None:
    """Pin this process to a core that no other worker on this machine has; its number.

    A claim is a name in Linux's abstract namespace of sockets: the kernel gives it to one process alone, of any run,
    and releases it when the process ends, in whatever way. Where all cores are taken, or on
    another system, nothing is pinned, and the result is None.
    """
    if sys.platform != "linux":
        return None
    for core in sorted(os.sched_getaffinity(0)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0{NAME} {core}")
        except OSError:
            name.close()
            continue
        _claims.append(name)
        os.sched_setaffinity(0, {core})
        return core
    return None
