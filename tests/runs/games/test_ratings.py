import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from bonspiel.runs.games.ratings import ELO, elo, elo_intervals, paired_interval, paired_test, wilson
from bonspiel.runs.games.standings import points


@pytest.mark.parametrize("wins, games", [(0, 10), (10, 10), (247, 400), (1, 2)])
def test_wilson_is_scipys(wins, games):
    expected = binomtest(wins, games).proportion_ci(method="wilson")
    assert wilson(wins, games) == pytest.approx((wins / games, expected.low, expected.high))


@pytest.mark.parametrize("games", [3, 10, 100, 395])
def test_wilson_holds_the_rate(games):
    for wins in (0, games):
        found = wilson(wins, games)
        assert 0.0 <= found.low <= found.value <= found.high <= 1.0


def test_wilson_takes_draws():
    assert wilson(5.5, 10).value == 0.55


@pytest.mark.parametrize("pairs", [[2.0, 2.0, 1.5, 0.5, 1.0], [0.0] * 6, [1.781, 0.219, 1.0, 2.0, 1.562]])
def test_paired_test_counts_every_flip(pairs):
    excess = np.array(pairs) - 1.0
    sums = [abs(np.dot(signs, excess)) for signs in itertools.product((-1, 1), repeat=len(pairs))]
    assert paired_test(pairs) == pytest.approx(np.mean(np.array(sums) >= abs(excess.sum()) - 1e-9))


def test_paired_test_without_a_difference():
    assert paired_test([1.0, 1.0]) == 1.0
    assert paired_test([2.0, 0.0]) == 1.0


def test_paired_test_reaches_far():
    assert paired_test([2.0] * 200) == pytest.approx(2.0 * 0.5**200, rel=1e-9)


def test_paired_interval_sees_that_pairs_vary_less_than_games():
    rng = np.random.default_rng(0)
    pairs = [1.0] * 90 + [2.0] * 10  # whoever has the hammer wins, mostly
    found, games = paired_interval(pairs, rng), wilson(110, 200)
    assert found.value == games.value == 0.55
    assert found.low > 0.5 > games.low


def test_elo_of_two_is_that_of_the_win_rate():
    first, second = elo([[0.0, 3.0], [1.0, 0.0]])
    assert first - second == pytest.approx(ELO * math.log(3.0), rel=1e-3)
    assert first + second == pytest.approx(0.0)


def test_elo_recovers_strengths_and_its_intervals_hold_them():
    strengths, rng = np.array([150.0, 0.0, -150.0]), np.random.default_rng(1)
    scores = []
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        chance = 1.0 / (1.0 + 10.0 ** ((strengths[j] - strengths[i]) / 400.0))
        scores.append((i, j, rng.binomial(2, chance, 300).astype(float)))
    for strength, rating in zip(strengths, elo_intervals(scores, 3, rng), strict=True):
        assert rating.low < rating.value < rating.high
        assert rating.low - 10.0 < strength < rating.high + 10.0
        assert rating.high - rating.low < 80.0


def test_elo_of_the_unbeaten_is_finite():
    ratings = elo([[0.0, 400.0], [0.0, 0.0]])
    assert np.isfinite(ratings).all() and 500.0 < ratings[0] - ratings[1] < 5000.0


def test_points_go_to_the_side_that_played_the_winner():
    """The sides change places in every second game."""
    won = SimpleNamespace(value_for=lambda player: 1.0 - player)  # by the first player
    games = {(0, 2): {0: won, 1: won, 2: won}, (1, 2): {0: won}}
    assert points(SimpleNamespace(sides=[None] * 3), games) == [2.0, 1.0, 1.0]
