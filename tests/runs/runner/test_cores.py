import functools
import os
import subprocess
import sys
import uuid

import pytest

from bonspiel.runs.runner import cores, parallel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cores are claimed on Linux alone")

PROGRAM = """
import os, sys
from bonspiel.runs.runner import cores
cores.NAME = sys.argv[1]
taken = cores.taken()
print(taken, cores.claim(), *os.sched_getaffinity(0), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def worker():
    """Start a process that claims a core: -> (process, cores taken before, its claim, cores that it may run on)."""
    started, name = [], f"test {uuid.uuid4()}"

    def call():
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        taken, claimed, *allowed = process.stdout.readline().split()
        return process, int(taken), claimed, allowed

    yield call
    for process in started:
        process.kill()
        process.communicate()


def test_every_worker_has_a_core_of_its_own_and_the_next_when_it_has_gone(worker):
    count = len(os.sched_getaffinity(0))
    workers = [worker() for _ in range(count)]
    assert {claimed for _, _, claimed, _ in workers} == {str(core) for core in os.sched_getaffinity(0)}
    assert all(allowed == [claimed] for _, _, claimed, allowed in workers)
    assert [taken for _, taken, _, _ in workers] == list(range(count))
    _, taken, claimed, allowed = worker()
    assert claimed == "None" and len(allowed) == taken == count
    process, _, freed, _ = workers[0]
    process.kill()
    process.wait()
    assert worker()[1:3] == (count - 1, freed)


def _allowed(_):
    return os.getpid(), os.sched_getaffinity(0)


def _begin(name, begin, *given):
    """Begin a worker that claims cores under another name: real runs may have claimed them all."""
    cores.NAME = name
    begin(*given)


@pytest.mark.parametrize("pinned", [False, True])
def test_workers_are_pinned_if_asked(pinned, monkeypatch):
    before, begin = os.sched_getaffinity(0), parallel._begin_worker
    monkeypatch.setattr(parallel, "_begin_worker", functools.partial(_begin, f"test {uuid.uuid4()}", begin))
    found = dict(parallel.spread(_allowed, [(i,) for i in range(20)], 2, pinned))
    assert os.getpid() not in found
    if pinned and len(before) > 1:
        assert all(len(allowed) == 1 for allowed in found.values())
        assert len(set(map(tuple, found.values()))) == len(found)
    else:
        assert all(allowed == before for allowed in found.values())
    assert os.sched_getaffinity(0) == before
