"""A Python process that holds a planner, as its parent sees it."""

import os
import signal

import pytest

from bonspiel.planners.child_process import ChildProcess, PlannerGone


def echo(pipe, number):
    while True:
        pipe.send((pipe.recv(), number, signal.getsignal(signal.SIGINT) == signal.SIG_IGN))


def crash(pipe):
    pipe.recv()
    os._exit(7)


@pytest.fixture
def begin():
    """Begins processes, and ends them after the test."""
    begun = []

    def start(*given):
        begun.append(ChildProcess(*given))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()


def test_it_answers_messages_and_takes_no_notice_of_ctrl_c(begin):
    child = begin(echo, 3)
    os.kill(child.process.pid, signal.SIGINT)
    child.send("first")
    assert child.receive() == ("first", 3, True)
    os.kill(child.process.pid, signal.SIGINT)
    child.send("second")
    assert child.receive() == ("second", 3, True) and child.is_alive


def test_its_end_is_told_with_the_exit_code_and_by_whoever_asks_later(begin):
    child = begin(crash)
    child.send("go")
    with pytest.raises(PlannerGone, match=r"^the planner's process ended \(exit code 7\)$"):
        child.receive()
    child.kill()
    assert not child.is_alive
    with pytest.raises(PlannerGone, match="has ended"):
        child.send("again")
    child.kill()  # again
