import pytest

from bonspiel.runs.experiment import Entrant, Experiment
from bonspiel.runs.reporting.notes import invalid_rollouts
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.suite import Suite

SUITE = Suite("mine", (Experiment("trap", (Entrant("uct"), Entrant("dpw")), (10, 100), (), episodes=2),))
RESOLVED = {"trap": "Trap()", "uct": "UCT()", "dpw": "DPW()"}
MODEL = """
import math
from bonspiel.envs import make_model

Trap = type(make_model("trap"))


class Spoilt(Trap):
    compiled = False
    sample_action = staticmethod(Trap.sample_action.py_func)

    @staticmethod
    def step(state, action, next_state, params, rng):
        reward, over = Trap.step.py_func(state, action, next_state, params, rng)
        return (reward if action[0] < 0.9 else math.nan), over
"""


def lines(folder, counts):
    with run_folder.write(folder, SUITE, RESOLVED, {}, False) as results:
        for setting, invalid in zip(SUITE.settings(), counts, strict=True):
            results.add(Batch(setting, [Episode(0, 1.0, 2, 0.5, 20, None, None, invalid)], 1.0))
    with store.read(folder) as results:
        return invalid_rollouts(results)


def test_invalid_rollouts_are_one_line_and_none_where_there_were_none(tmp_path):
    (line,) = lines(tmp_path / "some", (3, 0, 4, 0))
    assert line.startswith("7 of 40 rollouts were invalid (a reward or a state that is not finite, or an exception")
    assert line.endswith(": 7 of uct in trap") or line.endswith(": 3 of uct in trap; 4 of dpw in trap")
    assert lines(tmp_path / "none", (0, 0, 0, 0)) == []
    assert lines(tmp_path / "old", (None, None, None, None)) == []


@pytest.fixture
def spoilt(tmp_path, monkeypatch):
    (tmp_path / "spoilt.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_run_and_its_reports_say_how_many_were_invalid(run, table, spoilt):
    arguments = ("--planner", "uct", "--budget", "40", "--episodes", "2", "--jobs", "1", "--out", "x")
    status, out, err = run("run", "spoilt:Spoilt", *arguments)
    assert status == 0, err
    (note,) = [line for line in out.splitlines() if "invalid" in line]
    rows = table(run("export", "x")[1])
    total = sum(int(row["invalid"]) for row in rows)
    assert 0 < total < sum(int(row["simulations"]) for row in rows)
    assert note.startswith(f"note: {total:,} of ")
    for report in ("x/report.md", "x/report.html"):
        with open(report) as file:
            assert f"{total:,} of " in file.read()
