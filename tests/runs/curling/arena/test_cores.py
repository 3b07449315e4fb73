"""The cores of the clients."""

import os

import joblib
import pytest

from bonspiel.runs.curling.arena import cores
from bonspiel.runs.experiment import UsageError


def test_every_client_has_cores_of_its_own_where_there_are_enough():
    shares = cores.shares(2, range(8))
    assert [sorted(share) for pair in shares for share in pair] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert cores.shortage(2, range(8), 2) is None


def test_a_warning_says_where_they_do_not_suffice():
    shares = cores.shares(2, [4, 7])
    assert [sorted(share) for pair in shares for share in pair] == [[4], [7], [4], [7]]
    assert "2 jobs x 2 clients with 1 core each need 4 cores, and there are 2" in cores.shortage(2, [4, 7], 1)
    assert "use --jobs 1" in cores.shortage(2, [4, 7], 1) and "fewer --cores" in cores.shortage(1, [4, 7], 2)


def test_a_client_may_be_given_more():
    assert [len(share) for share in cores.shares(1, range(4), 3)[0]] == [3, 3]
    for wrong in (0, 5):
        with pytest.raises(UsageError, match="--cores"):
            cores.shares(1, range(4), wrong)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot confine processes")
def test_this_process_gets_its_cores_back():
    before = os.sched_getaffinity(0)
    first, second = (cores.confined(frozenset([core])) for core in (min(before), max(before)))
    with first:
        assert os.sched_getaffinity(0) == {min(before)}
        second.__enter__()  # another game starts a client before this one has started its own
    second.__exit__(None, None, None)
    assert os.sched_getaffinity(0) == before


def test_limits_of_a_container_count(monkeypatch):
    monkeypatch.setattr(cores, "WHOLE", frozenset(range(4, 12)))
    monkeypatch.setattr(joblib, "cpu_count", lambda: 2)
    assert cores.available() == [4, 5]
