import os

import pytest

from bonspiel.curling.protocols import console


def test_a_place_in_a_match_is_counted_from_one():
    assert console.describe_shot(0, 2, 8) == "end 1, shot 3"
    assert console.describe_shot(11, 0, 8) == "extra end 4, shot 1"


@pytest.mark.parametrize(
    ("say", "name"),
    [(console.print_line, "stdout"), (console.print_to_stderr, "stderr"), (console.print_error, "stderr")],
)
def test_a_closed_console_is_no_error(say, name, monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(f"sys.{name}", stream)
        say("first")
        say("second")
        monkeypatch.undo()
