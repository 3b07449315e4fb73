"""The cores of the clients."""

import os
import re
import subprocess
import sys
from contextlib import ExitStack, closing

import joblib
import pytest

from bonspiel.curling.arena import cores
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.runner.cores import mark

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows of claims")
FOUR = frozenset(range(1000, 1004))  # which no other test has


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


@pytest.fixture
def four(monkeypatch):
    monkeypatch.setattr(cores, "WHOLE", FOUR)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)


def flat(shares):
    return [sorted(share) for pair in shares for share in pair]


@on_linux
def test_two_arenas_have_cores_of_their_own_while_there_are_some(four):
    with cores.claimed(1, 1) as (first, none), cores.claimed(1, 1) as (second, also_none):
        assert flat(first) == [[1000], [1001]] and flat(second) == [[1002], [1003]]
        assert none is None and also_none is None
        with cores.claimed(1, 1) as (third, warning):
            assert flat(third) == [[1000], [1001]] and "cores 1000, 1001 too" in warning
    with cores.claimed(1, 1) as (again, warning):
        assert flat(again) == [[1000], [1001]] and warning is None


@on_linux
def test_an_arena_shares_out_what_others_leave(four):
    with cores.claimed(1, 1), cores.claimed(1) as (found, warning):
        assert flat(found) == [[1002], [1003]] and warning is None
    with cores.claimed(1) as (whole, _), cores.claimed(1) as (found, warning):
        assert flat(whole) == flat(found) == [[1000, 1001], [1002, 1003]] and "other runs on this machine" in warning


@on_linux
def test_claims_are_those_of_workers_and_of_other_processes(four):
    code = "from bonspiel.runs.runner.cores import mark; kept = mark(1000); print(1, flush=True); input()"
    line = [sys.executable, "-c", code]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "1\n"
        taken = mark(1001)
        with closing(taken), cores.claimed(1, 1) as (found, warning):
            assert flat(found) == [[1002], [1003]] and warning is None
        with cores.claimed(2, 1) as (found, warning):
            assert flat(found) == [[1001], [1002], [1003], [1000]] and "cores 1000 too" in warning
        other.communicate("\n")


@on_linux
def test_too_few_cores_are_told_of_with_or_without_others(four):
    with cores.claimed(2, 2) as (_, warning):
        assert "need 8 cores" in warning


@on_linux
@pytest.mark.parametrize(
    ("jobs", "taken", "shares", "words"),
    [
        (1, 3, [[1003]] * 2, "need 2 cores, and other runs on this machine leave 1: .* down$"),
        (2, 2, [[1002], [1003]] * 2, "need 4 cores, and other runs on this machine leave 2: .*; use --jobs 1 or fewer"),
        (2, 1, [[1001], [1002], [1003], [1001]], "other runs on this machine leave 3"),
        (2, 4, [[1000], [1001], [1002], [1003]], "other runs on this machine have cores 1000, 1001, 1002, 1003 too"),
        (3, 2, [[1002], [1003]] * 3, "need 6 cores, and there are 4: .*; use --jobs 2 or fewer"),
        (1, 2, [[1002], [1003]], None),
    ],
)
def test_clients_that_share_what_others_leave_are_told_of(four, jobs, taken, shares, words):
    with ExitStack() as others:
        for core in sorted(FOUR)[:taken]:
            others.enter_context(mark(core))
        found, warning = others.enter_context(cores.claimed(jobs))
    assert flat(found) == shares
    assert (warning is None) == (words is None) and re.search(words or "", warning or "")


def test_one_core_alone_has_no_remedy():
    assert cores.shortage(1, [4], None).endswith("there are 1: they slow each other down")
