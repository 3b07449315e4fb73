"""Processes of programs, which tests wait for to end."""

import time
from pathlib import Path


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def wait_until_gone(pid):
    deadline = time.monotonic() + 60.0
    while not is_gone(pid):
        assert time.monotonic() < deadline, f"{pid} is left behind"
        time.sleep(0.01)
