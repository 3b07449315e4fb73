import pytest

from bonspiel.runs import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_line_is_written_when_the_time_is_known_and_then_every_few_seconds(clock, capsys):
    with progress.progress(4) as advance:
        for count, left in ((0, None), (0, 60.0), (1, 55.0)):
            clock[0] += 1.0
            advance(count, left)
        clock[0] += 5.0
        advance(1, 150.0, ", news")
    assert capsys.readouterr().err == "0 of 4 episodes, about 60 s left\n2 of 4 episodes, about 2.5 min left, news\n"


def test_a_short_run_is_silent(clock, capsys):
    with progress.progress(2) as advance:
        advance(1, 1.0)
    assert capsys.readouterr().err == ""


def test_what_is_followed_is_expected_to_go_on_as_fast(clock, capsys):
    for _ in progress.followed(range(3), "boards"):
        clock[0] += 10.0
    lines = ["1 of 3 boards, about 20 s left", "2 of 3 boards, about 10 s left", "3 of 3 boards, about 0 s left"]
    assert capsys.readouterr().err.splitlines() == lines


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "1 stone"), (2, "2 stones"), (1.0, "1 stone"), (0.5, "0.5 stones"), (1200, "1,200 stones")],
)
def test_numbers_with_their_noun(number, words):
    assert progress.counted(number, "stone") == words
