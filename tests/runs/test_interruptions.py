"""Runs that are killed or interrupted resume to the very rows of an undisturbed run."""

import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tests.planners.processes import is_gone

pytestmark = pytest.mark.usefixtures("undrawn")

QUICK = ("run", "trap-curves", "--planner", "random", "--planner", "dpw", "--budget", "3,30", "--episodes", "25")
LONG = tuple("run treasure_hunt:size=5 --planner dpw --planner random --budget 9,3000 --episodes 40".split())

KILL = """
import os, signal
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.cli import main
Store, calls = store.Store, 0
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
"""
MOMENTS = {
    "while the file is made": KILL + "run_folder.Path.rename = die",
    "in the middle of making the file": KILL
    + """
import sqlite3
from bonspiel.runs.results import schema
def half(file, *_):
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(schema.FIRST)
    die()
run_folder.create = half
""",
    "before the first batch is kept": KILL + "Store.add = die",
    "in the middle of a transaction": KILL
    + """
add = Store.add
class Connection:
    def __init__(self, real): self.real = real
    def __enter__(self): return self.real.__enter__()
    def __exit__(self, *given): die()
    def __getattr__(self, name): return getattr(self.real, name)
def dying(self, batch):
    global calls
    calls += 1
    if calls == 4:
        self._connection = Connection(self._connection)
    add(self, batch)
Store.add = dying
""",
    "after some batches": KILL
    + """
add = Store.add
def dying(self, batch):
    global calls
    calls += 1
    add(self, batch)
    if calls == 6:
        die()
Store.add = dying
""",
}


@pytest.fixture(scope="module")
def played():
    return {}


@pytest.fixture
def undisturbed(run, rows, played):
    """Arguments -> the rows of a run that nothing disturbs, played once in this process."""

    def call(line):
        if line not in played:
            assert run(*line, "--jobs", "1", "--out", "undisturbed")[0] == 0
            played[line] = rows(Path("undisturbed"))
        return played[line]

    return call


def wait_for_rows(folder, count, process):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        has_ended = process.poll() is not None
        if (folder / "results.sqlite").exists():
            connection = sqlite3.connect(folder / "results.sqlite")
            ((found,),) = connection.execute("SELECT count(*) FROM episode")
            connection.close()
            if found >= count:
                return
        assert not has_ended, process.communicate()
        time.sleep(0.01)
    raise AssertionError("no results came")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_killed_at_an_exact_moment(run, start, rows, undisturbed, moment):
    process = start(*QUICK, "--jobs", "1", "--out", "killed", program=MOMENTS[moment])
    assert process.wait(120) == -signal.SIGKILL
    assert run(*QUICK, "--jobs", "1", "--out", "killed", "--resume")[0] == 0
    assert rows(Path("killed")) == undisturbed(QUICK)


def test_a_run_with_two_workers_killed_again_and_again(run, start, rows, undisturbed):
    line = (*LONG, "--jobs", "2", "--out", "killed", "--resume")
    for count in (1, 60):
        process = start(*line)
        wait_for_rows(Path("killed"), count, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert run(*line)[0] == 0
    assert rows(Path("killed")) == undisturbed(LONG)


def test_a_run_killed_at_random_moments(run, start, rows, undisturbed):
    """Every other time while it starts or soon after, otherwise while it plays; 20 times with BONSPIEL_FULL=1."""
    kills, longest, episodes = (20, 4.0, 1500) if os.environ.get("BONSPIEL_FULL") else (2, 2.0, 80)
    line, folder = (*LONG[:-1], str(episodes), "--jobs", "2"), Path("killed")
    moments, kept = random.Random(6), [0]
    for kill in range(kills):
        process = start(*line, "--out", folder, "--resume")
        if kill % 2:
            wait_for_rows(folder, kept[-1] + 1, process)
        time.sleep(moments.uniform(0.0, longest / 4 if kill % 2 else longest))
        assert process.poll() is None, process.communicate()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kept.append(len(rows(folder)) if (folder / "results.sqlite").exists() else 0)
    Path("kept.txt").write_text(str(kept))
    assert kept == sorted(kept) and 0 < kept[-1] < 4 * episodes
    assert run(*line, "--out", folder, "--resume")[0] == 0
    assert rows(folder) == undisturbed(line)


@pytest.mark.parametrize(
    ("jobs", "number", "status"),
    [(1, signal.SIGINT, 130), (2, signal.SIGINT, 130), (1, signal.SIGTERM, 143), (2, signal.SIGTERM, 143)],
)
def test_ctrl_c_and_a_batch_system_leave_a_run_that_resumes(run, start, rows, undisturbed, jobs, number, status):
    line = (*LONG, "--jobs", str(jobs), "--out", "stopped")
    process = start(*line)
    wait_for_rows(Path("stopped"), 1, process)
    os.killpg(process.pid, number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == status
    assert "Traceback" not in err
    assert err.endswith(f"Continue with: bonspiel {' '.join(line)} --resume\n")
    assert run(*line, "--resume")[0] == 0
    assert rows(Path("stopped")) == undisturbed(LONG)


def test_workers_that_die_again_and_again_end_the_run_in_one_line_and_loses_nothing(run, start, rows, undisturbed):
    program = """import os
from bonspiel.runs.cli import main
from bonspiel.runs.runner import driver
run = driver.parallel.run
driver.parallel.RETRIES = 0
def dying(*given):
    import joblib.externals.loky as loky
    for count, batch in enumerate(run(*given)):
        yield batch
        if count == 2:
            for pid in list(loky.get_reusable_executor(reuse=True)._processes):
                os.kill(pid, 9)
driver.parallel.run = dying
"""
    line = (*LONG, "--jobs", "2", "--out", "crashed")
    process = start(*line, program=program)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "Traceback" not in err and "worker processes died repeatedly" in err
    assert run(*line, "--resume")[0] == 0
    assert rows(Path("crashed")) == undisturbed(LONG)


SIGNAL_ONCE = """
import os, signal, sys
def send():
    try:
        os.close(os.open("sent", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.killpg(0, signal.{number})
"""
WORKER_STARTS = """
if any("popen_loky" in word for word in sys.orig_argv):
    send()
"""


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_to_all_while_workers_start_leaves_one_line(start, monkeypatch, tmp_path, number, status):
    (tmp_path / "sitecustomize.py").write_text(SIGNAL_ONCE.format(number=number) + WORKER_STARTS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    line = (*LONG, "--jobs", "2", "--out", "stopped")
    process = start(*line)
    _, err = process.communicate(timeout=120)
    begun, *stopped = err.split("\n\n")
    assert process.returncode == status and begun.count("\n") == 0, err
    again = f"Continue with: bonspiel {' '.join(line)} --resume"
    assert stopped == [f"stopped; the results so far are in stopped. {again}\n"]


TUNE = ("tune", "trap", "--planner", "uct", "--trials", "1", "--episodes", "2", "--budget", "5", "--jobs", "2")
AS_IT_ENDS = """
import atexit, threading
{moment}(send)
from bonspiel.runs import cli
main = lambda line: cli.main()
"""


@pytest.mark.parametrize("moment", ["atexit.register", "threading._register_atexit"])
def test_ctrl_c_just_as_a_command_ends_leaves_no_traceback(start, moment):
    program = SIGNAL_ONCE.format(number="SIGINT") + AS_IT_ENDS.format(moment=moment)
    process = start(*TUNE, program=program)
    out, err = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    assert "for a suite file" in out and "Traceback" not in err and "KeyboardInterrupt" not in err


TELL = """
import joblib.externals.loky as loky
from bonspiel.runs.runner import parallel
from bonspiel.runs.cli import main
run = parallel.run
def telling(*given):
    for batch in run(*given):
        print(*loky.get_reusable_executor(reuse=True)._processes, flush=True)
        yield batch
parallel.run = telling
"""


def test_workers_go_when_their_driver_was_killed(start):
    process = start(*LONG, "--jobs", "2", "--out", "killed", program=TELL)
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    process.kill()
    deadline = time.monotonic() + 120
    while not all(map(is_gone, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
