"""Planners of other modules keep the contract of planners before they play, whichever verb they play in."""

from pathlib import Path

import pytest

from bonspiel.runs.experiment import Setting
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.parallel import RetryQueue
from tests.planners.contract import faulty

pytestmark = pytest.mark.usefixtures("undrawn")

LINE = ("--budget", 5)


@pytest.fixture
def mine(run):
    """The folder of the run has planners of its own in my_planners.py: a text of one of them."""
    Path("my_planners.py").write_text(Path(faulty.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    return lambda name: f"my_planners:{name}"


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        (("run", "double_integrator", "--episodes", 2, "--jobs", 1), "InPlace", "state="),
        (("run", "double_integrator", "--episodes", 2, "--jobs", 2), "Exits", "exit status 3"),
        (("run", "double_integrator", "--episodes", 2, "--jobs", 1), "NoParameters", "another one after pickling"),
        (("film", "double_integrator"), "Counts", "again, since seed"),
        (("tree", "double_integrator"), "Prints", "standard output"),
        (("tune", "double_integrator", "--trials", 1), "Fails", "no_such"),
        (("agreement", "double_integrator"), "ManySteps", "model steps=20000"),
    ],
)
def test_a_faulty_planner_of_another_module_plays_in_no_verb(run, mine, line, name, words):
    status, out, err = run(*line, "--planner", mine(name), *LINE)
    assert (status, out) == (2, "")
    (wrong,) = [text for text in err.splitlines() if "breaks the contract" in text]
    assert f"{mine(name)} breaks the contract of planners: " in wrong and words in wrong and "check_planner" in wrong


def test_a_faulty_planner_of_another_module_plays_in_no_match(refused, mine):
    line = ("--budget", 5, "--games", 2, "--ends", 1, "--jobs", 1)
    err = refused("match", "random", mine("Crashes"), *line, "--out", "m")
    assert f"{mine('Crashes')} breaks the contract" in err and "signal 11" in err
    assert not Path("m").exists()


def test_a_right_planner_of_another_module_plays(run, mine):
    line = ("double_integrator", "--planner", mine("Right"), *LINE, "--episodes", 2, "--jobs", 1)
    status, out, _ = run("run", *line)
    assert status == 0 and mine("Right") in out


def test_the_planner_is_named_that_workers_died_of():
    settings = [Setting("trap", name, 5, "simulations", 0) for name in ("quick", "crashes")]
    queue = RetryQueue((parallel.play_batch, setting, [0]) for setting in settings)
    assert queue.fatal() == ""
    numbers = [number for number, _ in queue]
    while queue.died():
        pass
    queue.done(numbers[0])
    assert queue.fatal() == " while they played crashes in trap"
