import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bonspiel.planners.core.code import packages
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule


def test_one_and_two_jobs_give_the_same_results_bit_for_bit():
    pending = {
        Setting(env, planner, budget, "simulations", 5): range(12)
        for env in ("trap", "treasure_hunt")
        for planner in ("random", "dpw", "cem:memory=1.0")
        for budget in (3, 30)
    }

    def results(jobs):
        return {
            (batch.setting, result[:3]) for batch in parallel.run(Schedule(pending, jobs)) for result in batch.results
        }

    alone = results(1)
    assert len(alone) == 12 * len(pending)
    assert results(2) == alone


def _die(task, flag, times):
    """Ends its worker the first times that task 3 is played."""
    if task == 3:
        with Path(flag).open("a") as stream:
            stream.write("x")
        if Path(flag).stat().st_size <= times:
            os._exit(1)
    time.sleep(0.01)
    return task


@pytest.fixture
def retries(monkeypatch):
    """Two, as each costs the start of two workers."""
    monkeypatch.setattr(parallel, "RETRIES", 2)
    return 2


def test_tasks_of_workers_that_died_are_done_again_and_counted_once(tmp_path, capsys, retries):
    tasks = ((i, str(tmp_path / "flag"), retries) for i in range(40))
    assert sorted(parallel.spread(_die, tasks, 2)) == list(range(40))
    assert capsys.readouterr().err == retries * "a worker process died; its work is repeated\n"


def test_a_task_that_ends_every_worker_is_given_up(tmp_path, retries):
    done = []
    with pytest.raises(RunError, match="died repeatedly"):
        for task in parallel.spread(_die, ((i, str(tmp_path / "flag"), 99) for i in range(40)), 2):
            done.append(task)
    assert (tmp_path / "flag").stat().st_size == retries + 1
    assert len(done) == len(set(done)) and 3 not in done


def test_a_long_run_outlives_any_number_of_deaths():
    queue = parallel.RetryQueue((i,) for i in range(100))
    for _ in range(20):
        for _, (number, _) in zip(range(4), queue, strict=False):
            queue.done(number)
        next(iter(queue))
        assert queue.died()


def test_workers_of_an_earlier_run_find_the_modules_of_the_folder_that_they_are_called_from(tmp_path, monkeypatch):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}_folder.py").write_text("import os\nWHERE = os.getcwd()")
        monkeypatch.chdir(tmp_path / name)
        found = set(parallel.spread(packages.load, [(f"{name}_folder:WHERE",)] * 4, 2))
        assert found == {str(tmp_path / name)}


def test_workers_compile_what_they_need_alone(tmp_path):
    code = """from bonspiel.planners.abstraction.adaptive import search
from bonspiel.planners.core import jit
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule
print(sorted(parallel.spread(abs, [(-1,), (2,)], 2)), any(function.is_on_disk() for function in jit.lazy._unchecked))"""
    environment = {**os.environ, "BONSPIEL_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[1, 2] False\n", "")


def fails(name, error):
    """A thread of this name that ends with an error."""

    def run():
        raise error

    thread = threading.Thread(target=run, name=name)
    thread.start()
    thread.join()


def test_a_thread_of_loky_that_meets_a_cancelled_task_prints_no_traceback(monkeypatch):
    told = []
    monkeypatch.setattr(threading, "excepthook", lambda error: told.append((error.thread.name, error.exc_type)))
    hook = threading.excepthook

    def results():
        try:
            yield 1
        finally:
            fails("ExecutorManagerThread", KeyError(1))
            fails("ExecutorManagerThread", ValueError("no"))
            fails("other", KeyError(1))

    begun = results()
    next(begun)
    parallel._close(begun)
    assert told == [("ExecutorManagerThread", ValueError), ("other", KeyError)]
    assert threading.excepthook is hook
