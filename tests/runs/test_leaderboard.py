"""Planners ranked over several problems."""

import math

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from runs.results.store import read
from runs.statistics import ranks

SUITE = """
[[experiment]]
env = ["trap", "trap:noise_range=0.01", "treasure_hunt"]
planners = ["uct", "constant:action=0.1", "constant:action=0.9", "random"]
simulations = [20]
episodes = 8

[[experiment]]
env = "trap"
planners = ["dpw"]
simulations = [20]
episodes = 8
"""


@pytest.fixture
def played(run, fakes, tmp_path):
    (tmp_path / "mine.toml").write_text(SUITE)
    status, _, err = run("run", "mine.toml", "--out", "x", "--jobs", "1")
    assert status == 0, err
    return tmp_path / "x"


def test_the_critical_difference_is_that_of_demsar_s_example():
    assert ranks.critical_difference(4, 14) == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 14)), abs=2e-3)
    assert math.isnan(ranks.critical_difference(2, 14))


def test_scores_ranks_and_tests_are_those_of_the_means(played):
    with read(played) as store:
        (board,) = ranks.leaderboards(store)
        scales = ranks.scales(store)
        returns = {(setting.env, setting.planner): sample for setting, sample in store.returns().items()}
    assert list(scales) == ["trap", "trap:noise_range=0.01", "treasure_hunt"]
    assert all(scale.exact for scale in scales.values())
    assert scales["trap"].high == pytest.approx(1.7)
    assert board.left_out == ["dpw"]
    names = ["uct", "constant:action=0.1", "constant:action=0.9"]
    assert sorted(standing.planner for standing in board.standings) == sorted(names)
    means = {name: [returns[env, name].mean() for env in scales] for name in names}
    values = np.array(list(means.values()))
    better, same = (relation(values[None], values[:, None]).sum(1) for relation in (np.greater, np.equal))
    order = better + 0.5 * (same + 1)  # ties share their ranks
    for standing in board.standings:
        low, high = np.array([scale[:2] for scale in scales.values()]).T
        expected = (np.array(means[standing.planner]) - low) / (high - low)
        assert list(standing.scores.values()) == pytest.approx(expected)
        assert standing.score.value == pytest.approx(expected.mean())
        assert standing.score.low <= standing.score.value <= standing.score.high
        assert standing.rank == pytest.approx(order[names.index(standing.planner)].mean())
    assert board.p == pytest.approx(friedmanchisquare(*means.values()).pvalue)


def test_the_page_and_the_text_name_every_planner(run, played, look):
    status, out, _ = run("report", played, "--leaderboard")
    assert status == 0
    assert "constant:action=0.9" in out and "Not in all problems: dpw." in out and "Nemenyi" in out
    page = look((played / "leaderboard.html").read_text(encoding="utf-8"))
    rows = page.locator("table[data-name^=leaderboard] tbody tr")
    assert rows.count() == 3
    first = rows.first.inner_text()
    page.locator("table[data-name^=leaderboard] thead button").nth(2).click()  # by rank, the smallest or largest first
    page.locator("table[data-name^=leaderboard] thead button").nth(2).click()
    assert rows.count() == 3 and first


def test_a_planner_joins_a_run_with_one_command(run, played):
    line = ("run", "mine.toml", "--out", "x", "--jobs", "1", "--resume", "--with", "constant:action=0.5")
    status, _, err = run(*line)
    assert status == 0, err
    assert "24 of 128 episodes" in err
    with read(played) as store:
        assert len(ranks.leaderboards(store)[0].standings) == 4


def test_a_run_of_one_planner_has_no_leaderboard(run, tmp_path):
    run("run", "trap", "--planner", "uct", "--budget", "5", "--episodes", "2", "--out", "y", "--jobs", "1")
    status, _, err = run("report", "y", "--leaderboard")
    assert status == 2
    assert "no two planners" in err
