"""Programs that speak the Go Text Protocol: a small one that misbehaves when told to, and GNU Go."""

import os
import shutil
import sys

import pytest

GNUGO = next(filter(None, map(shutil.which, ("gnugo", "/usr/games/gnugo"))), None)
REQUIRED = os.environ.get("BONSPIEL_GNUGO") == "required"
needs_gnugo = pytest.mark.skipif(not GNUGO and not REQUIRED, reason="needs GNU Go: apt-get install gnugo")

PROGRAM = """
import sys, time
way = sys.argv[1]
print("a line that no one asked for")
for line in sys.stdin:
    with open(f"{sys.argv[0]}.log", "a") as log:
        log.write(line)
    name, *given = line.split()
    answer = "="
    if name == "genmove":
        if way == "hang":
            time.sleep(1000.0)
        if way == "die":
            sys.exit(3)
        answers = {"resign": "= resign", "illegal": "= A1", "nonsense": "= Z99", "refuse": "? cannot"}
        answer = answers.get(way, "=7 D4" if way == "number" else "=pass")
    print(f"{answer}\\n", flush=True)
"""


def write_engine(folder, way="pass"):
    """The command of an engine that passes, or of one that has another of the ways above; "illegal" is on A1."""
    file = folder / "engine.py"
    file.write_text(PROGRAM)
    return f"{sys.executable} -IS {file} {way}"
