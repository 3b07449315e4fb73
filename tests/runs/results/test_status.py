import json
import subprocess
import sys
import time

import pytest

from bonspiel.runs.experiment import Entrant, Experiment, RunPart, Setting
from bonspiel.runs.results import run_folder, status, store
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.results.status import text
from bonspiel.runs.suite import Suite

pytestmark = pytest.mark.usefixtures("undrawn")

SUITE = Suite(
    "mine", (Experiment("trap", (Entrant("random"), Entrant("dpw", max_milliseconds=1)), (10,), (5,), episodes=4),)
)
FIRST, SECOND, THIRD = (
    Setting("trap", *rest, 0)
    for rest in (("random", 10, "simulations"), ("random", 5, "ms"), ("dpw", 10, "simulations"))
)


def add(results, setting, numbers, seconds):
    results.add(Batch(setting, [Episode(number, 1.0, 2, seconds) for number in numbers], 1.0))


def test_a_run_that_goes_on(tmp_path, monkeypatch):
    with run_folder.write(tmp_path, SUITE, {}, {}, False) as results:
        began = results.driver["began"]
        assert abs(began - time.time()) < 60
        add(results, FIRST, range(4), 0.5)
        add(results, THIRD, range(1), 3.0)
        results.add(Batch(THIRD, [Failure(2, "no")], 1.0))
        monkeypatch.setattr(status.time, "time", lambda: began + 10.0)
        found = status.status(results)
    assert (found.done, found.total, found.failed, found.running, found.rate) == (5, 12, 1, True, 0.5)
    # 5 s of planning took 10 s, 9 s of planning are to come as far as known
    assert found.seconds_left == pytest.approx(18.0)
    assert found.points == {FIRST: (4, 2.0, 0, 4), SECOND: (0, 0.0, 0, 4), THIRD: (1, 3.0, 1, 4)}
    assert (
        text(found, SUITE)
        == """mine: 5 of 12 episodes (41.7%), 1 failed, running, 0.5 a second, about 18 s left

trap
| planner | 10 simulations |
| ------- | -------------- |
| random  | all 4          |
| dpw     | 1/4, 1 failed  |

trap
| planner | 5 ms |
| ------- | ---- |
| random  | 0/4  |"""
    )


@pytest.mark.parametrize("width", [60, 110])
def test_a_table_fits_the_terminal_and_breaks_no_word(tmp_path, width):
    long = "dpw:exploration=0.59,alpha_action=0.58,k_action=1,alpha_state=0.4,k_state=0.57,outcome=proportional"
    entrants = Entrant("random", label="the line to beat"), Entrant(long), Entrant("uct")
    suite = Suite("mine", (Experiment("trap", entrants, tuple(10**n for n in range(9))),))
    with run_folder.write(tmp_path, suite, {}, {}, False) as results:
        found = status.status(results)
    shown = text(found, suite, width)
    assert max(map(len, shown.splitlines())) <= width
    assert shown.count("0/100") == 27 and shown.count("| the line to beat ") == shown.count("| uct ") > 1
    names = [line.split()[1] for line in shown.splitlines() if line.startswith("|")]
    assert long in "".join(names)
    assert len(text(found, suite).splitlines()) == 8


def test_the_rate_is_that_of_the_last_driver(tmp_path, monkeypatch):
    with run_folder.write(tmp_path, SUITE, {}, {}, False) as results:
        add(results, FIRST, range(3), 0.5)
    with run_folder.write(tmp_path, SUITE, {}, {}, True) as results:
        add(results, FIRST, [3], 0.5)
        add(results, THIRD, [0, 1], 1.0)
        monkeypatch.setattr(status.time, "time", lambda: results.driver["began"] + 5.0)
        found = status.status(results)
    assert found.rate == pytest.approx(3 / 5)
    assert found.seconds_left == pytest.approx(5.0 * 2.0 / 2.5)


def test_a_run_that_nobody_plays(tmp_path):
    with run_folder.write(tmp_path, SUITE, {}, {}, False, RunPart(2, 3)) as results:
        assert "running" in text(status.status(results), SUITE)
    with store.read(tmp_path) as results:
        found = status.status(results)
    assert (found.running, found.rate, found.seconds_left, found.total) == (False, None, None, 3)
    assert text(found, SUITE).startswith(
        "mine, part 2/3: 0 of 3 episodes (0.0%), not running; continue with `bonspiel run"
    )


def test_a_look_does_not_keep_a_driver_out(tmp_path):
    with run_folder.write(tmp_path, SUITE, {}, {}, False):
        pass
    with store.read(tmp_path) as results:
        status.status(results)
        with run_folder.write(tmp_path, SUITE, {}, {}, True) as written:
            add(written, FIRST, [0], 0.5)
            assert status.status(results).running
        assert not status.status(results).running


def test_status_on_the_command_line(run):
    assert run(*"run trap:noise_range=0.1 --planner random --budget 10 --episodes 3 --jobs 1 --out x".split())[0] == 0
    code, out, err = run("status", "x", "--watch")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "trap:noise_range=0.1: 3 of 3 episodes (100.0%), finished"
    code, out, _ = run("status", "x", "--json")
    found = json.loads(out)
    assert code == 0 and out.count("\n") == 1
    assert (found["done"], found["total"], found["running"], found["part"]) == (3, 3, False, "1/1")
    assert found["points"][0]["planner"] == "random" and found["points"][0]["done"] == 3
    assert run("status", "nowhere")[0] == 2
    assert run("status", "x", "--watch", "0")[0] == 2
    assert run("status", "x", "--watch", "often")[0] == 2


def test_a_look_waits_for_nothing_heavy():
    heavy = "{'scipy', 'numba', 'matplotlib', 'joblib'}"
    program = f"import sys, bonspiel.runs.results.status; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_watching_ends_when_the_run_does(run, tmp_path, monkeypatch):
    looks = []
    with run_folder.write(tmp_path / "x", SUITE, {}, {}, False) as results:

        def sleep(seconds):
            looks.append(seconds)
            if len(looks) == 2:
                raise KeyboardInterrupt
            add(results, FIRST, [len(looks)], 0.5)

        monkeypatch.setattr(time, "sleep", sleep)
        code, out, _ = run("status", "x", "--watch", "3", "--json")
    assert code == 130 and looks == [3.0, 3.0]
    assert [json.loads(line)["done"] for line in out.splitlines()] == [0, 1]
