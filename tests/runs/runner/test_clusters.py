"""Runs on Dask and Ray clusters of this machine: workers that die, drivers that die, clusters that are not there."""

import os
import signal
import sys
import time
from contextlib import closing, nullcontext
from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster

from bonspiel.runs import provenance
from bonspiel.runs.experiment import RunError
from bonspiel.runs.results.store import Store
from bonspiel.runs.runner import backend_dask, backends, driver, parallel
from bonspiel.runs.runner.backends import Place
from bonspiel.runs.suites.lookup import load
from tests.planners.processes import is_gone

pytestmark = pytest.mark.usefixtures("undrawn")

LINE = "run treasure_hunt:size=5 --planner dpw --planner random --budget 9,300 --episodes 60".split()
ALLOWED_FAILURES = 1


@pytest.fixture(scope="module")
def cluster():
    """A Dask cluster of two processes."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": ALLOWED_FAILURES}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as found,
    ):
        yield found


@pytest.fixture
def address(cluster):
    return cluster.scheduler_address


@pytest.fixture
def client(cluster):
    with Client(cluster, set_as_default=False) as found:
        yield found


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(backend_dask, "PATIENCE", 0.5)


def play(folder, jobs, place=backends.HERE):
    suite = load("treasure_hunt:size=5").override(("dpw", "random"), (9, 300), episodes=60)
    driver.play(suite, folder, jobs, False, provenance.collect([]), place=place)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The folder of a run in this process."""
    folder = tmp_path_factory.mktemp("alone")
    play(folder, 1)
    return folder


def spread(function, tasks, address):
    with backends.connect(Place("dask", address), None) as workers:
        found = parallel.spread(function, tasks, workers.jobs, backend=workers.backend)
        with closing(found):
            return sorted(found)


def group(leader):
    """The processes of a process group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) == leader:
            found.append(int(stat.parent.name))
    return found


def test_a_worker_killed_in_the_middle_changes_no_row(client, address, alone, tmp_path, rows, monkeypatch):
    add, kept, killed = Store.add, [], []

    def adding(self, batch):
        kept.extend((batch.setting, result.number) for result in batch.results)
        if len(kept) > 60 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)
        add(self, batch)

    monkeypatch.setattr(Store, "add", adding)
    play(tmp_path / "disturbed", None, Place("dask", address))
    assert killed and is_gone(killed[0])
    assert len(kept) == len(set(kept)) == 240
    assert rows(tmp_path / "disturbed") == rows(alone)


def test_tasks_are_played_by_the_workers_even_if_there_is_one(address):
    with backends.connect(Place("dask", address), 1) as workers:
        assert workers.jobs == 1 and workers.remote
        found = set(parallel.spread(os.getpid, [()] * 8, 1, backend=workers.backend))
    assert os.getpid() not in found


def _die(task):
    if task == 3:
        os._exit(1)
    return task


def test_episodes_that_end_every_worker_end_the_run_in_one_line(address):
    with pytest.raises(RunError, match=f"the same episodes ended {ALLOWED_FAILURES + 1} workers"):
        spread(_die, [(i,) for i in range(6)], address)


def test_workers_of_other_sources_are_refused(address, monkeypatch):
    (name, _), *others = provenance.identity()
    monkeypatch.setattr(provenance, "identity", lambda modules: ((name, "0123"), *others))
    with pytest.raises(RunError, match=r"has sources .*, the driver 0123, and results of two versions do not mix"):
        spread(abs, [(1,)], address)


def test_workers_without_bonspiel_are_refused(refused, address, monkeypatch):
    monkeypatch.setattr(backend_dask, "DISTRIBUTION", "not-bonspiel")
    err = refused(*LINE, "--backend", "dask", "--address", address)
    assert "has no bonspiel: install" in err


def test_workers_that_lack_something_else_are_told(address):
    with pytest.raises(RunError, match=r"a worker cannot play \(ZeroDivisionError: "):
        spread(divmod, [(1, 0)], address)


def _fail(task):
    raise RunError(f"episode {task} is wrong")


def test_an_error_in_a_task_is_the_same_as_without_a_cluster(address):
    with pytest.raises(RunError, match=r"^episode 1 is wrong$"):
        spread(_fail, [(1,)], address)


def test_a_scheduler_that_goes_ends_the_run_in_one_line(capfd):
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        with backends.connect(Place("dask", cluster.scheduler_address), None) as workers:
            found = parallel.spread(time.sleep, [(0.05,)] * 1000, 1, backend=workers.backend)
            next(found)
            cluster.close()
            with pytest.raises(RunError, match="connection to the Dask scheduler was lost"):
                list(found)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("address", ["foo://10.0.0.1:1", "127.0.0.1:1", "nonsense"])
def test_an_address_where_nothing_answers(refused, impatient, address):
    err = refused(*LINE, "--backend", "dask", "--address", address, "--out", "none")
    assert err.startswith(f"bonspiel run: no Dask scheduler answers at {address} within")
    assert not Path("none").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_workers": 0}, "has no workers; start some with `dask worker"),
        ({"n_workers": 1, "threads_per_worker": 2}, "has 2 threads"),
    ],
)
def test_a_cluster_that_cannot_be_used(run, impatient, given, message):
    with LocalCluster(processes=False, dashboard_address="127.0.0.1:0", **given) as cluster:
        status, _, err = run(*LINE, "--backend", "dask", "--address", cluster.scheduler_address)
    assert status == 2
    assert message in err and err.count("\n") == 1


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_missing_package_is_named(run, monkeypatch, backend, package):
    monkeypatch.setitem(sys.modules, package, None)
    status, _, err = run(*LINE, "--backend", backend)
    assert (status, err) == (
        2,
        f"bonspiel run: --backend {backend} needs the package {package}: pip install -e '.[{backend}]'\n",
    )


def test_an_address_belongs_to_a_cluster(run):
    status, _, err = run(*LINE, "--address", "tcp://10.0.0.1:8786")
    assert (status, err) == (2, "bonspiel run: --address tcp://10.0.0.1:8786 needs --backend dask or --backend ray\n")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(("ending", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_cluster_of_its_own_ends_with_the_driver(start, run, rows, tmp_path, ending, status):
    line = (*LINE, "--episodes", "100000", "--backend", "dask", "--jobs", "2", "--out", "own")
    process = start(*line)
    deadline = time.monotonic() + 120
    while not (Path("own/results.sqlite").exists() and rows(Path("own"))):
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.1)
    members = group(process.pid)
    assert len(members) >= 3
    os.killpg(process.pid, ending) if ending == signal.SIGINT else process.kill()
    _, err = process.communicate(timeout=120)
    assert process.returncode == status
    if ending == signal.SIGINT:
        assert "Traceback" not in err and err.endswith("--resume\n")
    deadline = time.monotonic() + 120
    while not all(map(is_gone, members)):
        assert time.monotonic() < deadline, [Path(f"/proc/{pid}/cmdline").read_text() for pid in members]
        time.sleep(0.1)


def _die_once(task, flag):
    """Kills its worker, of Ray's too, the first time that task 3 is played."""
    if task == 3 and not Path(flag).exists():
        Path(flag).touch()
        os._exit(1)
    return task


def test_ray_plays_the_same_and_tasks_again_whose_worker_died(alone, tmp_path, rows, monkeypatch):
    pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[ray]'")
    with backends.connect(Place("ray"), 2) as workers:
        monkeypatch.setattr(backends, "connect", lambda *_: nullcontext(workers))  # a start of Ray takes seconds
        play(tmp_path / "there", 2, Place("ray"))
        assert rows(tmp_path / "there") == rows(alone)
        tasks = [(i, str(tmp_path / "flag")) for i in range(30)]
        assert sorted(parallel.spread(_die_once, tasks, workers.jobs, backend=workers.backend)) == list(range(30))
        assert (tmp_path / "flag").exists()
        with pytest.raises(RunError, match=r"^episode 1 is wrong$"):
            list(parallel.spread(_fail, [(1,)], workers.jobs, backend=workers.backend))
