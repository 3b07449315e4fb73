import json

import numpy as np
import pytest

from bonspiel.runs import provenance
from bonspiel.runs.results import run_folder
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.statistics.multiple import holm
from bonspiel.runs.suite import Suite

TRAP = "trap:noise_range=0.1"
MEANS = {"uct": 0.0, "dpw": 0.5, "pw": 0.5}


def made(folder, planners=tuple(MEANS), episodes=20, resolved=TRAP, plus=0.0, **changed):
    """A run in which the planners differ by constants but for some noise of each."""
    given = {"env": TRAP, "simulations": [10], "episodes": episodes, "planners": list(planners), **changed}
    suite = Suite.of("made up", {"experiment": [given]})
    facts = {TRAP: resolved}
    with run_folder.write(folder, suite, facts, provenance.collect([]), resume=False) as results:
        for place, setting in enumerate(suite.settings()):
            noise = np.random.default_rng(place).normal(size=episodes)
            returns = MEANS[setting.planner] + plus + 0.1 * noise
            results.add(Batch(setting, [Episode(i, float(total), 2, 0.1) for i, total in enumerate(returns)], 1.0))
    return folder


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # sorted 4 * 0.005, 3 * 0.01, 2 * 0.03, 1 * 0.04 -> 0.06
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.02], [0.02]),
        ([], []),
    ],
)
def test_holm_by_hand(p, expected):
    assert holm(p) == pytest.approx(expected)


def test_all_pairs_are_compared_with_corrected_p(run, tmp_path):
    status, out, err = run("compare", made(tmp_path / "run"), "--all", "--holm", "--json")
    found = json.loads(out)["comparisons"]
    assert (status, err) == (0, "")
    assert [(one["a"], one["b"]) for one in found] == [("uct", "dpw"), ("uct", "pw"), ("dpw", "pw")]
    assert [one["p_holm"] for one in found] == pytest.approx(holm([one["p"] for one in found]))
    assert found[0]["p_holm"] < 0.001 and found[2]["p_holm"] > 0.05
    _, alone, _ = run("compare", tmp_path / "run", "dpw", "pw", "--json")
    assert json.loads(alone)["comparisons"] == [{key: value for key, value in found[2].items() if key != "p_holm"}]


def test_the_table_of_all_pairs(run, tmp_path):
    _, out, _ = run("compare", made(tmp_path / "run"), "--all")
    title, head, _, first, *_ = out.splitlines()
    assert title == f"{TRAP}, 10 simulations"
    assert "Holm" not in out and "mean A" in head
    assert [cell.strip() for cell in first.split("|")[1:4]] == ["uct", "dpw", "20"]
    assert "p, Holm" in run("compare", tmp_path / "run", "--all", "--holm")[1]


def test_many_pairs_can_still_be_significant(run, tmp_path, monkeypatch):
    from bonspiel.runs.statistics import multiple

    monkeypatch.setattr(multiple, "FLIPS", 10)  # too few for three pairs
    _, out, _ = run("compare", made(tmp_path / "run"), "--all", "--holm", "--json")
    assert json.loads(out)["comparisons"][0]["p_holm"] == pytest.approx(3 / 121)


def test_planners_of_two_runs_are_compared_where_they_met_the_same_noise(run, tmp_path):
    ours, theirs = made(tmp_path / "ours", plus=1.0), made(tmp_path / "theirs", ("uct", "dpw"), episodes=10)
    status, out, _ = run("compare", ours, theirs, "--json")
    found = json.loads(out)
    assert status == 0 and found["other"] == str(theirs)
    assert [(one["a"], one["b"], one["episodes"]) for one in found["comparisons"]] == [
        ("uct", "uct", 10),
        ("dpw", "dpw", 10),
    ]
    assert [one["reason"] for one in found["left_out"]] == [f"not played by 'pw' in {theirs}"]
    (named,) = json.loads(run("compare", ours, theirs, "pw", "uct", "--json")[1])["comparisons"]
    assert (named["a"], named["b"], named["difference"]["value"] > 1.0) == ("pw", "uct", True)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 1}, "played with seeds 0 and 1"),
        ({"resolved": "Trap(noise_range=0.1, more=1)"}, "it has other parameters or sources in"),
        ({"simulations": [20]}, "not played by 'uct'"),
    ],
)
def test_runs_that_met_other_noise_are_refused(refused, tmp_path, changed, words):
    ours, theirs = made(tmp_path / "ours"), made(tmp_path / "theirs", **changed)
    err = refused("compare", ours, theirs)
    assert "no episode in common" in err and words in err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--all", "uct", "dpw"], "--all instead of"),
        ([], "give two planners"),
        (["uct", "dpw", "--holm"], "--holm corrects p"),
        (["peers", "uct", "nobody"], "'nobody' is no planner of bonspiel's peers there, which has"),
        (["--all", "--env", "donut"], "unknown environment of this run"),
    ],
)
def test_what_makes_no_sense_is_refused(refused, tmp_path, line, words):
    err = refused("compare", made(tmp_path / "run"), *line)
    assert words in err


def test_names_may_follow_options(run, tmp_path):
    folder = made(tmp_path / "run")
    assert run("compare", folder, "--budget", 10, "uct", "dpw") == run("compare", folder, "uct", "dpw", "--budget", 10)
