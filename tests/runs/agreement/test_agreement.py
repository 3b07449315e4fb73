"""`bonspiel agreement` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.runs.agreement.agreement import CHART, RESULT, StudyWork
from bonspiel.runs.agreement.study import workers_rng

TINY = ("agreement", "trap", "--planner", "uct", "--budget", "12", "--workers", "1,2,4", "--positions", "6")
RULES = ("--combine", "majority", "--combine", "similarity_merge:bandwidth=0.1")


def result(folder):
    return json.loads((Path(folder) / RESULT).read_text())


def searches(folder):
    """What was found, by position and search."""
    found = {}
    for line in (Path(folder) / StudyWork.file).read_text().splitlines():
        entry = json.loads(line)
        if isinstance(entry, list) and entry[0] == "searches":
            found.setdefault(entry[1], {}).update(entry[2])
    return found


def test_tables_json_and_chart(run):
    status, out, err = run(*TINY, "--jobs", "1")
    assert status == 0, err
    for words in ("6 positions", "known optimum", "one tree of W x budget", "| majority", "equivalent budget"):
        assert words in out
    folder = Path("results/agreement-trap-uct-12")
    assert f"6 positions, each searched by 4 workers and larger trees, with 1 job, into {folder}" in err
    say = result(folder)
    assert say["study"]["rules"] == ["sum", "mean", "max", "majority", "similarity_vote", "similarity_merge"]
    assert len(say["each"]["p0"]) == len(say["each"]["agrees"]["sum"]["4"]) == 6
    assert say["summary"]["agreement"]["sum"]["4"][0] == np.mean(say["each"]["agrees"]["sum"]["4"])
    assert (folder / CHART).stat().st_size > 10_000 and str(folder / CHART) in out


def test_workers_and_rules_decide_as_root_does(run):
    run(*TINY, *RULES, "--jobs", "1", "--seed", "3", "--out", "x")
    say, model = result("x"), envs.Trap()
    for rule, written in (
        ("majority", "majority"),
        ("similarity_merge:bandwidth=0.1", "similarity_merge,bandwidth=0.1"),
    ):
        for workers in (2, 4):
            root = planners.parse(f"root:inner=uct,workers={workers},combine={written},run=one")
            for index, state in enumerate(say["each"]["state"]):
                rng = workers_rng("uct", 3, index)
                decision = root.plan(model, np.array(state), Budget(12), rng)
                reference = envs.optimal.solve(model, decision.actions)
                lost = reference.value(state) - reference.q(state, decision.action)
                assert say["each"]["regret"][rule][str(workers)][index] == pytest.approx(lost, abs=1e-12)


def test_the_result_does_not_depend_on_jobs(run):
    assert run(*TINY, *RULES, "--jobs", "1", "--out", "one")[0] == 0
    assert run(*TINY, *RULES, "--jobs", "2", "--out", "two")[0] == 0
    assert result("one") == result("two")


def test_a_study_goes_on_where_it_was_and_may_grow(run):
    run(*TINY, *RULES, "--jobs", "1", "--out", "whole")
    run(*TINY[:-1], "4", "--workers", "1,2", "--combine", "majority", "--jobs", "1", "--out", "part")
    before = searches("part")
    path = Path("part") / StudyWork.file
    path.write_bytes(path.read_bytes()[:-40])  # killed while it wrote
    status, _, err = run(*TINY, *RULES, "--jobs", "1", "--out", "part", "--resume")
    assert status == 0, err
    assert result("part") == result("whole")
    kept = searches("part")
    assert all(kept[index][name] == found for index, one in before.items() for name, found in one.items())
    lines = path.read_text().splitlines()
    run(*TINY, *RULES, "--jobs", "1", "--out", "part", "--resume")
    assert len(path.read_text().splitlines()) == len(lines) + 1  # says only that it went on


def test_without_an_optimum_long_searches_say_what_is_best(run):
    planner = "uct:n_actions=4"
    line = ("agreement", "hovering", "--planner", planner, "--budget", "5", "--workers", "1,2")
    status, out, err = run(*line, "--positions", "2", "--reference", "3", "--jobs", "1", "--out", "x")
    assert status == 0, err
    assert "a search of 3 budgets" in out
    for found in searches("x").values():
        spent = {name.partition(" [[")[0]: entry[2] for name, entry in found.items()}
        assert spent == {"run 0": 5, "run 1": 5, "tree 10": 10, "reference 15": 15, "values 15": 15}
    say = result("x")
    assert not say["study"]["optimum_known"]
    assert None not in say["each"]["regret"]["sum"]["2"]


def test_sharing_tries_are_searched_for_themselves(run):
    line = ("agreement", "trap", "--planner", "abstraction", "--budget", "12", "--workers", "1,3", "--positions", "3")
    status, out, err = run(*line, "--combine", "tries:rounds=2", "--jobs", "1", "--out", "x")
    assert status == 0, err
    assert "cost of splitting: tries:rounds=2" in out
    for found in searches("x").values():
        assert (found["tries:rounds=2 1"][2], found["tries:rounds=2 3"][2], found["tree 36"][2]) == (12, 36, 36)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("--combine", "sun"), "Did you mean 'sum'"),
        (("--combine", "majority:share=split"), "parameter of a rule"),
        (("--combine", "similarity_vote:bandwidth=0"), "above 0"),
        (("--planner", "dpw", "--combine", "sum"), "similarity_vote fits"),
        (("--combine", "tries"), "inner=abstraction"),
        (("--combine", "tries:rounds=99", "--planner", "abstraction"), "rounds=99, but a worker has"),
        (("--planner", "root"), "another planner than root"),
        (("--planner", "presearch"), "cannot search trap"),
        (("--bandwidth", "noise", "--planner", "dpw"), "action_sd"),
        (("--workers", "0,2"), "workers=0: must be a whole number from 1"),
        (("--workers", "two"), "numbers separated by commas"),
        (("--positions", "0"), "positions=0"),
        (("--reference", "0"), "reference=0"),
        (("--budget", "0"), "budget=0"),
        (("--seed", "-1"), "seed=-1"),
        (("--bandwidth", "wide"), "noise"),
        (("--bandwidth", "0"), "bandwidth=0"),
        (("--jobs", "0"), "jobs=0"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, change, words):
    err = refused(*TINY, *change)
    assert words in err.splitlines()[-1]
    assert not Path("results").exists()


def test_a_planner_that_no_rule_combines_is_refused(refused, monkeypatch):
    monkeypatch.setattr(envs.Trap, "action_kinds", ("integer",), raising=False)
    err = refused(*TINY)
    assert "no rule can combine uct in trap: takes no integer" in err


def test_another_study_is_not_continued(run):
    run(*TINY, *RULES, "--jobs", "1", "--out", "x")
    assert "--resume" in run(*TINY, "--jobs", "1", "--out", "x")[2]
    status, _, err = run(*TINY, "--budget", "13", "--jobs", "1", "--out", "x", "--resume")
    assert status == 2 and "begun with budget 12, not 13" in err


def test_a_table_of_zeros_is_explained_and_the_bandwidth_named(run):
    line = ("agreement", "hovering", "--planner", "random", "--budget", "1", "--workers", "1", "--positions", "2")
    status, out, err = run(*line, "--reference", "1", "--bandwidth", "1e-6", "--jobs", "1", "--out", "x")
    assert status == 0, err
    assert "actions within 1e-06 of their range (--bandwidth) count as the same" in out
    assert "no choice is best anywhere, so that nothing can be compared: give a larger --budget or --bandwidth" in out


def test_a_file_of_an_earlier_version_is_continued_in_its_form(tmp_path):
    entries = [
        ["episode", 3, [[0.5, 1.0], [0.25, 2.0]]],
        ["searches", 1, {"run 0": [[0.5], 1.0, 5, [[0.5]], [5], [1.0]]}],
    ]
    file = tmp_path / StudyWork.file
    file.write_text("".join(f"{json.dumps(entry)}\n" for entry in ({}, *entries)))
    work = StudyWork(None, None, ())
    with work.kept(tmp_path, True, ()):
        assert work.found["episodes"] == {3: entries[0][2]} and work.decision(1, "run 0").simulations == 5
        for group in list(work.found):
            work.add(group, work.found[group])
    assert [json.loads(line) for line in file.read_text().splitlines()[-2:]] == entries


@pytest.mark.parametrize("env", ["pendulum --delay 3", "pendulum --plant pendulum:mass=5"])
def test_a_plant_is_refused_as_its_positions_would_not_be_played(refused, env):
    err = refused("agreement", env, "--planner", "cem")
    assert "give pendulum" in err


def test_by_a_known_optimum_the_bandwidth_is_of_votes_alone(run):
    given = ("--budget", "5", "--workers", "1,2", "--positions", "2", "--bandwidth", "2", "--jobs", "1")
    _, out, _ = run("agreement", "trap", "--planner", "cem", "--combine", "max", *given)
    assert (
        "by the known optimum, up to a loss of 0.001, but 0.001% to 1% of the largest value; "
        "to a vote, actions within 2 of their range" in out
    )
