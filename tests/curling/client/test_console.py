import os

import pytest

from curling.client import console


@pytest.mark.parametrize(
    ("say", "name"), [(console.tell, "stdout"), (console.aside, "stderr"), (console.complain, "stderr")]
)
def test_a_console_that_has_gone_is_no_error(say, name, monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(f"sys.{name}", stream)
        say("first")
        say("second")
        monkeypatch.undo()
