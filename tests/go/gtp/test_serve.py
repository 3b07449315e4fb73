"""The verb `gtp`."""

import io
import sys

import pytest


@pytest.fixture
def say(run, monkeypatch):
    def session(lines, *options):
        text = io.TextIOWrapper(io.BytesIO(lines if isinstance(lines, bytes) else lines.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", text)
        return run("gtp", *options)

    return session


RANDOM = ("--planner", "random", "--simulations", 1)


def test_a_session_ends_with_quit_or_with_its_input(say):
    assert say("name\nquit\nname\n", *RANDOM)[:2] == (0, "= bonspiel\n\n=\n\n")
    assert say("boardsize 5\n\n3 protocol_version", *RANDOM)[:2] == (0, "=\n\n=3 2\n\n")


def test_the_same_seed_plays_the_same_moves(say):
    lines = "boardsize 5\n" + "genmove b\ngenmove w\n" * 3
    options = "--planner", "uct:leaf=rollout", "--simulations", 50, "--seed"
    first, again, other = (say(lines, *options, seed)[1] for seed in (1, 1, 2))
    assert first == again != other


def test_bytes_that_are_no_text_are_refused(say):
    status, out, _ = say(b"\xff\xfe\nname\n", *RANDOM)
    assert status == 0 and out == "? unknown command\n\n= bonspiel\n\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--planner", "random"), "--simulations --milliseconds is required"),
        (("--planner", "rulebased", "--simulations", 1), "cannot search go"),
        (("--planner", "randon", "--simulations", 1), "Did you mean 'random'"),
        (("--planner", "random", "--simulations", 0.5), "simulations=0.5: must be a whole number"),
        (("--planner", "random", "--milliseconds", 0), "milliseconds=0: must be a number"),
        (("--planner", "random", "--simulations", 1, "--seed", -1), "seed=-1"),
    ],
)
def test_options_without_sense_are_refused_in_one_line(say, options, words):
    status, out, err = say("name\n", *options)
    assert (status, out) == (2, "") and words in err and err.count("\n") == 1
