"""A Python process that holds a planner, as its parent sees it."""

import os
import signal

import joblib
import pytest

from bonspiel.curling.child_process import ChildProcess, PlannerGone, answer, questions


def echo(pipe, number):
    for message in questions(pipe):
        answer(pipe, (message, number, signal.getsignal(signal.SIGINT) == signal.SIG_IGN))


def crash(pipe):
    pipe.recv()
    os._exit(7)


def fail(pipe):
    raise FileNotFoundError("no weights")


def count_workers(pipe):
    answer(pipe, joblib.effective_n_jobs(2))


@pytest.fixture
def begin():
    """Begins processes, and ends them after the test."""
    begun = []

    def start(*given, **options):
        begun.append(ChildProcess(*given, **options))
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


def test_a_missing_file_is_told(begin, capfd):
    child = begin(fail)
    with pytest.raises(PlannerGone, match=r"exit code 1"):
        child.receive()
    assert "no weights" in capfd.readouterr().err


def test_only_one_that_is_no_daemon_can_have_workers(begin):
    assert (begin(count_workers).receive(), begin(count_workers, daemon=False).receive()) == (1, 2)


def test_it_ends_quietly_when_the_pipe_is_closed(begin, capfd):
    child = begin(echo, 3)
    child.send("first")
    child.receive()
    child._pipe.close()
    child.process.join(60.0)
    assert child.process.exitcode == 0 and capfd.readouterr().err == ""
