import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.optimal import solve
from bonspiel.runs import progress, provenance
from bonspiel.runs.draws import environment_rng
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.statistics.curves import Panel, caption, columns, panels, simple_regrets, table, table_of_largest
from bonspiel.runs.statistics.sample import Interval, Summary
from bonspiel.runs.statistics.scale import Known
from bonspiel.runs.suite import Suite

TRAP = "trap:noise_range=0.1"


def point(mean):
    return Summary(9, mean, mean - 0.1, mean + 0.1, mean + 0.05, iqm=Interval(mean + 0.01, mean - 0.02, mean + 0.02))


KNOWN = Panel(
    TRAP, "simulations", {"uct": [(10, point(1.2)), (100, point(1.4))], "dpw": [(10, point(1.7))]}, Known(1.7, 1.2)
)
UNKNOWN = Panel("lunar_lander", "ms", {"uct": [(10, point(0.5))]})


def cells(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_regret_and_score_are_told_where_the_optimum_is_known():
    assert list(columns(UNKNOWN)) == ["mean return", "median", "interquartile mean"]
    assert list(columns(KNOWN)) == ["mean return", "median", "interquartile mean", "regret", "normalised score"]


def test_an_optimum_near_zero_is_told_in_significant_digits():
    small = Panel(TRAP, "simulations", {"uct": [(10, point(1.2))]}, Known(2e-6, 1e-6))
    assert "optimum 2e-06, random policy 1e-06" in caption(small)


def test_the_table_tells_what_it_is_asked_for():
    told = columns(KNOWN)
    assert (
        cells(table(KNOWN))
        == cells(table(KNOWN, told["mean return"]))
        == [
            ["planner", "10 simulations", "100 simulations"],
            ["-------", *["-" * 20] * 2],
            ["uct", "1.200 [1.100, 1.300]", "1.400 [1.300, 1.500]"],
            ["dpw", "1.700 [1.600, 1.800]", ""],
        ]
    )
    assert cells(table(KNOWN, told["median"]))[2][2] == "1.450"
    assert cells(table(KNOWN, told["interquartile mean"]))[2][2] == "1.410 [1.380, 1.420]"
    assert cells(table(KNOWN, told["regret"]))[2][2] == "0.300 [0.200, 0.400]"
    assert cells(table(KNOWN, told["normalised score"]))[2][2] == "0.400 [0.200, 0.600]"


def test_the_largest_budget_of_each_planner_is_told_in_full():
    found = cells(table_of_largest(KNOWN))
    assert found[0] == [
        "planner",
        "simulations",
        "mean return",
        "median",
        "interquartile mean",
        "regret",
        "normalised score",
    ]
    assert found[2][:2] == ["uct", "100"] and found[3][:2] == ["dpw", "10"]
    assert found[3][2:] == [
        "1.700 [1.600, 1.800]",
        "1.750",
        "1.710 [1.680, 1.720]",
        "0.000 [-0.100, 0.100]",
        "1.000 [0.800, 1.200]",
    ]
    assert len(cells(table_of_largest(UNKNOWN))[0]) == 5


def test_a_value_of_nothing_has_no_minus():
    dot = Panel(TRAP, "ms", {"uct": [(1, Summary(1, 1.7 + 1e-12, np.nan, np.nan, 1.7))]}, Known(1.7, 1.2))
    assert cells(table(dot, columns(dot)["regret"]))[2][1] == "0.000"


@pytest.fixture
def results(tmp_path):
    """A run in which even episodes begin with 0.8125, odd ones with 0.5; the third one has nothing kept."""
    suite = Suite.of(
        "x",
        {
            "experiment": [
                {
                    "env": [TRAP, "lunar_lander"],
                    "planners": [{"planner": "uct", "label": "mine"}],
                    "simulations": [100, 10],
                    "episodes": 5,
                }
            ]
        },
    )
    with run_folder.write(tmp_path, suite, {}, provenance.collect([]), resume=False) as run:
        for setting in suite.settings():
            actions = [[0.5] if number % 2 else [0.8125] for number in range(5)]
            kept = [None if number == 2 else np.array(action, "<f8").tobytes() for number, action in enumerate(actions)]
            run.add(Batch(setting, [Episode(number, 1.4, 2, 0.1, 20, first) for number, first in enumerate(kept)], 1.0))
    with store.read(tmp_path) as run:
        yield run


def test_curves_of_returns(results):
    trap, track = panels(results.suite, results.returns(), results.values("episode"))
    assert (trap.env, trap.known.optimum, trap.labels) == (TRAP, pytest.approx(1.7), {"uct": "mine"})
    assert [budget for budget, _ in trap.curves["uct"]] == [10, 100]
    assert (track.env, track.known.optimum) == ("lunar_lander", None)


def test_problems_are_counted_while_they_are_solved(results, monkeypatch, capsys):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    panels(results.suite, results.returns(), results.values("episode"))
    assert "2 of 2 problems with their optima" in capsys.readouterr().err


def test_episodes_from_different_starts_are_compared_with_the_optimum_from_these(tmp_path):
    env, seed, numbers = "double_integrator", 3, (0, 1, 4)
    suite = Suite.of(
        "starts", {"experiment": [{"env": env, "planners": ["uct"], "simulations": [10], "episodes": 5, "seed": seed}]}
    )
    (setting,) = suite.settings()
    model = envs.parse(env)
    best = [solve(model).value(model.initial_state(environment_rng(seed, number, 0))) for number in numbers]
    with run_folder.write(tmp_path, suite, {}, provenance.collect([]), resume=False) as run:
        lost = (1.0, 2.0, 6.0)
        played = zip(numbers, best, lost, strict=True)
        run.add(Batch(setting, [Episode(number, v - loss, 50, 0.1, 20, None) for number, v, loss in played], 1.0))
    with store.read(tmp_path) as run:
        (panel,) = panels(run.suite, run.returns(), run.values("episode"))
    ((_, summary),) = panel.curves["uct"]
    assert summary.loss is not None
    assert summary.loss.value == pytest.approx(3.0)
    assert 1.0 <= summary.loss.low <= summary.loss.high <= 6.0 + 1e-9
    assert np.ptp(best) > 10.0  # the starts differ by more
    assert columns(panel)["regret"](summary) == summary.loss


def test_curves_of_simple_regret_leave_out_what_was_not_kept_and_what_is_not_solved(results):
    (found,) = simple_regrets(results.suite, results.first_actions())
    assert (found.env, found.known, found.label("uct")) == (TRAP, Known(), "mine")
    for budget, summary in found.curves["uct"]:
        assert budget in (10, 100)
        assert summary.n == 4
        assert summary.mean == pytest.approx(0.15)  # 1.7 - 1.4 after 0.5, nothing after 0.8125


def test_of_many_different_first_actions_some_are_valued(results):
    few, all_ = (
        [summary.n for _, summary in simple_regrets(results.suite, results.first_actions(), most)[0].curves["uct"]]
        for most in (1, 2)
    )
    assert few == [1, 1] and all_ == [4, 4]
