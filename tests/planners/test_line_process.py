"""Programs that answer lines by lines do not outlive the process that started them."""

import subprocess
import sys

from bonspiel.planners.line_process import LineProcess
from tests.planners.processes import is_gone, wait_until_gone

STUBBORN = """
import os, signal, subprocess, sys, time
child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
print(child.pid, flush=True)
while True:
    time.sleep(1.0)
"""


def test_a_program_that_does_not_end_is_killed_with_its_own_children():
    program = LineProcess([sys.executable, "-ISc", STUBBORN])
    pid, child = program._process.pid, int(program._lines.get(timeout=120.0))
    program.end()
    wait_until_gone(child)
    assert is_gone(pid)


def test_a_program_does_not_outlive_a_killed_process():
    """The program computes, and never sees that its input was closed."""
    code = f"""
from bonspiel.planners.line_process import LineProcess
program = LineProcess([{sys.executable!r}, "-ISc", {STUBBORN!r}])
print(program._process.pid, int(program._lines.get(timeout=120.0)), flush=True)
program._lines.get()
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with parent:
        left = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert len(left) == 2
    for pid in left:
        wait_until_gone(pid)
