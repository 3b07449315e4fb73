"""Every verb that reads results tells of the episodes that failed, as means are over the others."""

import pytest

MODULE = '''
"""A planner that fails with large budgets, or in every third state."""
from dataclasses import dataclass

from bonspiel import planners


@dataclass(frozen=True)
class Late:
    def plan(self, model, state, budget, rng, root_actions=None):
        if (budget.simulations or 0) >= 100:
            raise ValueError("too much")
        return planners.make("uct").plan(model, state, budget, rng, root_actions)
'''
FAILED = "bonspiel: 4 episodes of fails_late:Late in trap failed, the first one with 100 simulations"


@pytest.fixture
def folder(run, tmp_path, monkeypatch):
    (tmp_path / "fails_late.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    line = "run trap --planner fails_late:Late --planner uct --budget 10,100 --episodes 4 --jobs 1 --out"
    code, out, err = run(*line.split(), tmp_path / "r")
    assert code == 1 and FAILED in err, err
    assert "fails_late:Late ends at 10 simulations: no episode with a larger budget has finished" in out
    return tmp_path / "r"


@pytest.mark.parametrize(
    "line",
    [
        "compare {run} fails_late uct",
        "chart {run}",
        "targets {run}",
        "export {run}",
        "report {run} --leaderboard",
        "paper {run} --out {out}",
    ],
)
def test_a_verb_tells_of_them(run, folder, tmp_path, line):
    code, _, err = run(*line.format(run=folder, out=tmp_path / "paper").split())
    assert code == 0 and FAILED in err


def test_those_of_other_planners_are_not_told_of_in_a_comparison(run, folder, tmp_path):
    line = "run trap --planner uct --planner dpw --planner fails_late:Late --budget 10,100 --episodes 4 --jobs 1 --out"
    run(*line.split(), tmp_path / "three")
    code, _, err = run("compare", tmp_path / "three", "uct", "dpw")
    assert code == 0 and err == ""


def test_a_leaderboard_and_a_paper_have_the_sentence(run, folder, tmp_path):
    run("report", folder, "--leaderboard")
    said = "4 episodes of fails_late:Late in trap failed; means are over the others."
    assert said in (folder / "leaderboard.md").read_text() and said in (folder / "leaderboard.html").read_text()
    run("paper", folder, "--out", tmp_path / "paper")
    facts, table = ((tmp_path / "paper" / name).read_text() for name in ("facts.tex", "trap-simulations.tex"))
    assert "(4 episodes of fails" in facts and "in trap failed, and means are over the others)" in facts
    assert "& -- " in table
