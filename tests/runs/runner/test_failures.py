"""What can go wrong with a run's folder: a clear line, and nothing is lost."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bonspiel.runs import provenance
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import LOCK, in_use, locked
from bonspiel.runs.results import store
from bonspiel.runs.runner import driver
from bonspiel.runs.suites.lookup import load

pytestmark = pytest.mark.usefixtures("undrawn")

LINE = "run trap-curves --planner random --planner dpw --budget 3,30 --episodes 25 --jobs 1".split()

FULL = """
import resource
from bonspiel.runs.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
"""
KILLED = """
import os, signal
from bonspiel.runs.results.store import Store
from bonspiel.runs.cli import main
add, calls = Store.add, 0
def dying(self, batch):
    global calls
    calls += 1
    add(self, batch)
    if calls == 9:
        os.kill(os.getpid(), signal.SIGKILL)
Store.add = dying
"""


def play(folder, resume=True):
    """What LINE plays, without tables and charts."""
    suite = load("trap-curves").override(("random", "dpw"), (3, 30), episodes=25)
    driver.play(suite, folder, 1, resume, provenance.collect([]))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "whole"
    play(folder)
    return folder


@pytest.fixture
def whole(undisturbed, rows):
    """The rows of a run that nothing disturbs."""
    return rows(undisturbed)


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory):
    """A folder whose run was killed, with its write-ahead log."""
    place = tmp_path_factory.mktemp("killed")
    code = f"import sys\n{KILLED}\nmain(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", code, *LINE, "--out", "x"], cwd=place, check=False)
    assert done.returncode == -signal.SIGKILL
    return place / "x"


@contextmanager
def read_only(folder):
    """A folder in which nothing can be made, for root too."""
    folder.chmod(0o555)
    frozen = (
        os.geteuid() == 0
        and shutil.which("chattr")
        and subprocess.run(["chattr", "+i", folder], check=False, capture_output=True).returncode == 0
    )
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("the system does not let a folder be made read-only for this user")
        yield
    finally:
        if frozen:
            subprocess.run(["chattr", "-i", folder], check=True)
        folder.chmod(0o755)


def test_a_disk_that_is_full_ends_the_run_in_one_line_and_it_goes_on(run, start, rows, whole):
    process = start(*LINE, "--out", "full", program=FULL.format(size=120_000))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    news, last = err.splitlines()
    assert news.startswith("trap-curves: 200 of 200 episodes to play")
    assert last.startswith("bonspiel run: full/results.sqlite cannot be written (") and last.endswith(
        "content is safe: continue with --resume"
    )
    kept = rows(Path("full"))
    assert 0 < len(kept) < 200 and set(kept) <= set(whole)
    play(Path("full"))
    assert rows(Path("full")) == whole


def test_a_disk_that_is_full_from_the_start_leaves_no_run(run, start, rows, whole):
    process = start(*LINE, "--out", "full", program=FULL.format(size=9_000))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert err.startswith("bonspiel run: full cannot be written (") and err.count("\n") == 1
    assert [path.name for path in Path("full").iterdir()] == []
    play(Path("full"), resume=False)
    assert rows(Path("full")) == whole


@pytest.mark.parametrize("line", [("status", "whole"), (*LINE, "--out", "whole", "--resume")])
def test_a_run_on_a_disk_that_is_full_is_not_called_damaged(start, tmp_path, undisturbed, line):
    (tmp_path / "whole").mkdir()
    shutil.copy(undisturbed / store.FILE, tmp_path / "whole")  # without the helpers that SQLite makes beside it
    _, err = start(*line, program=FULL.format(size=9_000)).communicate(timeout=120)
    assert err.startswith(f"bonspiel {line[0]}: whole/results.sqlite cannot be opened now (") and err.count("\n") == 1
    assert "its contents are safe" in err and "free space" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
@pytest.mark.parametrize("verb", ["export", "status"])
def test_output_that_finds_no_room_ends_in_one_line(undisturbed, verb):
    with open("/dev/full", "w") as full:
        code = f"import sys\nfrom bonspiel.runs.cli import main\nsys.exit(main(['{verb}', {str(undisturbed)!r}]))"
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        f"bonspiel {verb}: the output cannot be written (No space left on device); make room for it\n",
    )


def test_a_read_only_folder_is_refused_by_a_driver_and_read_by_all_others(run, undisturbed):
    shutil.copytree(undisturbed, "whole")
    csv = run("export", "whole")[1]
    for helper in Path("whole").glob("*-*"):  # of SQLite, which an archive would not have
        helper.unlink()
    listed = sorted(Path("whole").iterdir())
    with read_only(Path("whole")):
        status, _, err = run(*LINE, "--out", "whole", "--resume")
        assert status == 2
        assert err == (
            "bonspiel run: whole cannot be written (it is read-only); make room there, or choose another place\n"
        )
        assert run("export", "whole")[:2] == (0, csv)
        assert "200 of 200 episodes (100.0%), finished" in run("status", "whole")[1]
        assert run("merge", "merged", "whole")[0] == 0
    assert sorted(Path("whole").iterdir()) == listed
    assert run("export", "merged")[:2] == (0, csv)


def test_no_run_is_begun_in_a_read_only_folder(run):
    Path("closed").mkdir()
    with read_only(Path("closed")):
        for place in ("closed", "closed/new"):
            status, _, err = run(*LINE, "--out", place)
            assert status == 2 and err.count("\n") == 1
            assert err.startswith(f"bonspiel run: {place} cannot be written (")
    assert not list(Path("closed").iterdir())


DAMAGE = {
    "cut": lambda log: log[: len(log) * 2 // 3],
    "cut within its head": lambda log: log[:20],
    "empty": lambda log: b"",
    "overwritten at the end": lambda log: log[:-6_000] + os.urandom(6_000),
    "overwritten at the start": lambda log: os.urandom(64) + log[64:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_write_ahead_log_costs_its_episodes_alone(tmp_path, killed_once, rows, whole, damage):
    killed = Path(shutil.copytree(killed_once, tmp_path / "killed"))
    log = killed / "results.sqlite-wal"
    content = log.read_bytes()
    assert len(content) > 10_000
    log.write_bytes(DAMAGE[damage](content))
    play(killed)
    assert rows(killed) == whole


def test_two_drivers_do_not_share_a_folder(run, start, rows):
    line = tuple("run trap-curves --planner dpw --budget 30000 --episodes 200 --jobs 1 --out x".split())
    first = start(*line)
    while not Path("x", store.FILE).exists():
        assert first.poll() is None, first.communicate()
    status, _, err = run(*line, "--resume")
    assert (status, err) == (2, "bonspiel run: x is in use by another run; wait, or choose another --out\n")
    assert first.poll() is None
    assert "running" in run("status", "x")[1]
    first.kill()
    first.wait()
    assert "not running" in run("status", "x")[1]


def test_damage_while_a_run_goes_on_ends_it_in_one_line(refused, start):
    damaging = """
from pathlib import Path
from bonspiel.runs.results.store import FILE, Store
from bonspiel.runs.cli import main
add = Store.add
def damaging(self, batch):
    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    self._connection.execute("PRAGMA cache_size = 0")
    file = Path("x", FILE)
    file.write_bytes(file.read_bytes()[:4096] + bytes(file.stat().st_size - 4096))
    add(self, batch)
Store.add = damaging
"""
    process = start(*LINE, "--out", "x", program=damaging)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.splitlines()[-1].startswith("bonspiel run: x/results.sqlite was damaged during the run (")
    assert "Traceback" not in err
    err = refused(*LINE, "--out", "x", "--resume")
    assert "not a readable results file" in err


FINISHED = {"results.sqlite", "chart.png", "chart.svg", "report.html", "report.md"}


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_finished_folder_holds_results_chart_and_report_alone_whoever_reads_it(run):
    assert run(*LINE, "--out", "x")[0] == 0
    assert names(Path("x")) == FINISHED
    for line in (
        ("status", "x"),
        ("report", "x"),
        ("export", "x", "--out", "x.csv"),
        ("export", "x", "--format", "run", "--out", "x.sqlite.xz"),
        ("compare", "x", "dpw", "random"),
        ("chart", "x"),
        ("merge", "merged", "x"),
        (*LINE, "--out", "x", "--resume"),
        (*LINE, "--out", "kept", "--keep", "x"),
        (*LINE, "--out", "x"),  # refused
        ("compare", "x", "dpw", "nobody"),  # refused
    ):
        run(*line)
        assert names(Path("x")) == FINISHED, line
    assert names(Path("kept")) == FINISHED
    assert names(Path("merged")) == {"results.sqlite"}


def test_a_reader_that_leaves_last_cleans_up(run):
    play(Path("x"), resume=False)
    with store.read(Path("x")) as watcher:
        assert run(*LINE, "--out", "x", "--resume", "--seed", "0")[0] == 0
        assert store.Count.of(watcher.counts()).done == 200
    assert names(Path("x")) == FINISHED


@pytest.mark.parametrize("before", ["status", "export", None])
def test_a_killed_run_that_is_finished_leaves_nothing_else_behind(run, tmp_path, killed_once, rows, whole, before):
    killed = Path(shutil.copytree(killed_once, tmp_path / "killed"))
    assert {"run.lock", "results.sqlite-wal"} < names(killed)
    if before:
        assert run(before, killed)[0] == 0
        assert names(killed) <= {"results.sqlite", "run.lock"}
    assert run(*LINE, "--out", killed, "--resume")[0] == 0
    assert names(killed) == FINISHED and rows(killed) == whole


def test_a_run_that_is_interrupted_leaves_its_results_alone(run, start):
    interrupting = KILLED.replace("SIGKILL", "SIGINT")
    assert start(*LINE, "--out", "x", program=interrupting).wait(120) == 130
    assert names(Path("x")) == {"results.sqlite"}
    assert run(*LINE, "--out", "x", "--resume")[0] == 0
    assert names(Path("x")) == FINISHED


@pytest.mark.parametrize("left", [(), ("results.sqlite-shm", "run.lock"), ("results.sqlite-shm", "results.sqlite-wal")])
def test_the_results_file_alone_is_moved_away_to_run_again(run, rows, whole, left):
    """Versions up to 0.2 left the helper files of SQLite beside it."""
    play(Path("x"), resume=False)
    Path("x/results.sqlite").write_bytes(b"spoiled " * 1_000)
    assert "move it away" in run(*LINE, "--out", "x")[2]
    assert names(Path("x")) == {"results.sqlite"}
    Path("x/results.sqlite").rename("spoiled")
    for name in left:
        Path("x", name).touch()
    assert run(*LINE, "--out", "x")[0] == 0
    assert names(Path("x")) == FINISHED and rows(Path("x")) == whole


@pytest.mark.parametrize("leave", [True, False], ids=["a run ends", "a reader asks"])
def test_a_lock_whose_file_was_removed_while_it_was_taken_is_not_taken(tmp_path, monkeypatch, leave):
    """The file that one run has opened is removed before it is locked, and a third run has locked its own."""
    fcntl = pytest.importorskip("fcntl")
    flock, others = fcntl.flock, ExitStack()
    (tmp_path / LOCK).touch()  # as a killed run leaves it

    def late(file, operation):
        monkeypatch.setattr(fcntl, "flock", flock)
        if leave:
            with locked(tmp_path):
                pass
        assert not in_use(tmp_path)
        others.enter_context(locked(tmp_path))
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with others:
        with pytest.raises(UsageError, match="in use by another run"), locked(tmp_path):
            pass
        assert in_use(tmp_path)
    assert not in_use(tmp_path) and names(tmp_path) == set()
