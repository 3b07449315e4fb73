"""The rules that planners share, against numbers worked by hand."""

import itertools
import math

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.abstraction.adaptive.first_cells import first_cells
from bonspiel.planners.core.actions import action_set, inverse_widths, spread_points
from bonspiel.planners.core.argmax import argmax_by, ranked
from bonspiel.planners.core.tree.backup import average
from bonspiel.planners.core.tree.bandit import pooled
from bonspiel.planners.core.tree.nodes import UNTRIED
from bonspiel.planners.core.tree.selection import final_choice, sqrt_2_log, ucb1
from bonspiel.planners.core.tree.voronoi import distance
from bonspiel.planners.core.tree.widening import due


def rows(means, visits):
    return np.array([[m, 1 / math.sqrt(n)] for m, n in zip(means, visits, strict=True)])


@pytest.mark.parametrize(
    ("exploration", "best"),
    # N = 10: 0.5 + 0.960, 0.6 + 1.239, 0.4 + 1.517 for C = 1; 0.5 + 0.096, 0.6 + 0.124, 0.4 + 0.152 for C = 0.1
    [(1.0, 2), (0.1, 1), (0.0, 1)],
)
def test_ucb1_by_hand(exploration, best):
    value = rows([0.5, 0.6, 0.4], [5, 3, 2])
    assert ucb1(value, 0, 3, exploration * sqrt_2_log(10), np.random.default_rng(0)) == best


def test_equals_of_ucb1_are_drawn():
    # 0.5 + 1 * 1/sqrt(4) = 0.75 + 1 * 1/sqrt(16) = 1, exactly; 0.5 + 1/sqrt(9) is less
    value = rows([9.0, 0.5, 0.5, 0.75, 0.5], [4, 4, 9, 16, 4])
    drawn = drawn_by(lambda rng: ucb1(value, 1, 4, 1.0, rng))
    assert_even(drawn, {1, 3, 4})


def drawn_by(choose):
    rng = np.random.default_rng(1)
    return [choose(rng) for _ in range(900)]


def assert_even(drawn, among):
    """Each of these is chosen as often, within 4 standard errors."""
    assert set(drawn) == among
    expected = len(drawn) / len(among)
    assert max(abs(drawn.count(one) - expected) for one in among) < 4.0 * math.sqrt(expected)


def test_of_any_number_the_best_is_chosen_wherever_it_is():
    for count, seed in itertools.product((1, 4, 15, 16, 17, 19, 20, 23, 24, 61), range(50)):
        given = np.random.default_rng([count, seed])
        value = rows(given.integers(0, 3, count + 4).astype(float), [4] * (count + 4))
        value[given.random(count + 4) < 0.2, 0] = given.choice([np.nan, -np.inf, UNTRIED])
        value[:2] = value[2 + count :] = 1e301  # not among those asked for
        scores, draw = value[2 : 2 + count].sum(1), np.random.default_rng(7)
        after = np.random.default_rng(7)
        expected = [2]
        if not np.isnan(scores).all():
            expected = 2 + np.flatnonzero(scores == np.nanmax(scores))
        chosen = expected[int(after.random() * len(expected)) if len(expected) > 1 else 0]
        assert ucb1(value, 2, count, 1.0, draw) == chosen, count
        assert draw.bit_generator.state == after.bit_generator.state


def test_equals_of_every_rule_are_drawn():
    for keys, among in [
        ([[3, 3, 1]], {0, 1}),
        ([[3, 3, 3], [1.0, np.nan, 1.0]], {0, 2}),
        ([[np.nan, np.nan]], {0, 1}),
        ([[5, 5, 5], [1.0, 2.0, 2.0], [0, 0, 0]], {1, 2}),
    ]:
        assert_even(drawn_by(lambda rng, keys=keys: argmax_by(rng, *map(np.array, keys))), among)
    values = np.array([1.0, 3.0, 1.0, 2.0, 1.0])
    orders = [list(ranked(values, np.random.default_rng(seed))) for seed in range(300)]
    assert {tuple(order[:2]) for order in orders} == {(1, 3)}
    assert_even([order[2] for order in orders], {0, 2, 4})


def test_nothing_is_drawn_where_one_is_the_best():
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    assert ucb1(rows([0.5, 0.5, 0.6], [4, 4, 4]), 0, 3, 1.0, rng) == 2
    assert argmax_by(rng, np.array([1, 2, 2]), np.array([9.0, 0.1, 0.2])) == 2
    assert final_choice(np.array([3, 5, 5]), np.array([0.9, 0.1, 0.2]), rng) == 2
    assert list(ranked(np.array([0.1, 0.3, 0.2]), rng)) == [1, 2, 0]
    assert rng.bit_generator.state == before


def test_sqrt_2_log():
    for visits in (0, 1, 2, 10, 4095, 4096, 10**6):
        assert sqrt_2_log(visits) == pytest.approx(math.sqrt(2 * math.log(max(visits, 1))), rel=1e-15), visits


def test_average_of_three_gains():
    value = np.array([[1e300, 0.0]])
    for visits, gain in enumerate([0.5, 1.0, 0.0], 1):
        average(value, 0, gain, visits)
    np.testing.assert_allclose(value[0], [0.5, 1 / math.sqrt(3)])


def test_reports_of_one_action_are_one_and_negative_visits_take_one_away():
    totals, values = pooled(np.array([0, 0, 0]), np.array([5, 7, -2]), np.array([1.0, 2.0, 0.5]), 1)
    assert totals.tolist() == [10] and values.tolist() == [pytest.approx((5 * 1.0 + 7 * 2.0 - 2 * 0.5) / 10)]
    _, values = pooled(np.zeros(7, np.int64), np.arange(1, 8), np.full(7, 0.1 + 0.2), 1)
    assert values.tolist() == [0.1 + 0.2], "bit for bit where the means are equal"


def test_final_choice():
    rng = np.random.default_rng(0)
    assert final_choice(np.array([3, 5, 5]), np.array([0.9, 0.1, 0.2]), rng) == 2
    assert final_choice(np.array([0, 1, 0]), np.array([np.nan, -1.0, np.nan]), rng) == 1
    assert_even(drawn_by(lambda rng: final_choice(np.array([5, 5, 1]), np.array([0.2, 0.2, 0.9]), rng)), {0, 1})


@pytest.mark.parametrize(("alpha", "power"), [(1.0, 1), (0.5, 2), (0.25, 4), (0.2, 5)])
def test_widening_is_due_exactly_when_the_formula_says(alpha, power):
    for k, count in itertools.product((1, 2, 3), range(1, 60)):
        # count <= k N^alpha, in whole numbers: count^power <= k^power N
        first = -(-(count**power) // k**power)
        assert due(count, float(k), alpha) == max(first, 0), (k, count)


def test_widening_where_floating_point_would_be_one_visit_late():
    assert 1024**0.3 < 8.0  # in floating point, though 2^10^0.3 is 8
    assert due(8, 1.0, 0.3) == 1024
    assert due(125, 1.0, 0.3) == 5**10
    assert due(512, 1.0, 0.3) == 8**10


@pytest.mark.parametrize("name", ["pw", "dpw"])
def test_a_root_of_n_visits_has_as_many_actions_as_alpha_one_half_allows(name):
    planner = planners.make(name, alpha_action=0.5, k_action=1.0)
    for simulations, actions in ((1, 1), (2, 2), (4, 2), (5, 3), (9, 3), (10, 4), (401, 21)):
        budget = planners.Budget(simulations)
        decision = planner.plan(envs.Trap(), np.zeros(2), budget, np.random.default_rng(0))
        assert len(decision.actions) == actions, simulations


def test_action_sets():
    np.testing.assert_allclose(action_set(envs.Trap(), 8)[:, 0], (np.arange(8) + 0.5) / 8)
    directions = action_set(envs.TreasureHunt(), 8)[:, 0]
    np.testing.assert_allclose(np.diff(directions), np.pi / 4)

    class Plane:
        action_low = np.array([0.0, -1.0])
        action_high = np.array([2.0, 1.0])

    points = action_set(Plane(), 64)
    assert points.shape == (64, 2)
    assert len(np.unique(points, axis=0)) == 64
    counts = np.histogram2d(*points.T, bins=4, range=[[0, 2], [-1, 1]])[0]
    assert counts.min() >= 3 and counts.max() <= 5


def test_each_coordinate_of_a_distance_counts_as_a_part_of_its_range():
    box = np.array([[0.0, -10.0, 5.0], [2.0, 10.0, 5.0], [0.0, 0.0, 0.0]])
    assert distance(np.array([0.0, -10.0, 5.0]), np.array([1.0, 0.0, 5.0]), box) == pytest.approx(0.25 + 0.25)


def test_points_of_a_set_differ_only_in_coordinates_that_are_free():
    class Frozen:
        action_low, action_high = np.array([-1.0, 0.5, 0.5]), np.array([1.0, 0.5, 0.5])

    points = action_set(Frozen(), 8)
    np.testing.assert_allclose(points[:, 0], (np.arange(8) + 0.5) / 4 - 1.0)
    assert (points[:, 1:] == 0.5).all() and inverse_widths(Frozen()).tolist() == [0.5, 1.0, 1.0]
    middles, width = first_cells(Frozen.action_low, Frozen.action_high, 16)
    assert len(np.unique(middles[:, 0])) == 16 and width.tolist() == [0.125, 0.0, 0.0]
    Frozen.action_low = Frozen.action_high
    assert action_set(Frozen(), 8).tolist() == [[1.0, 0.5, 0.5]] * 8
    assert first_cells(Frozen.action_low, Frozen.action_high, 16)[0].tolist() == [[1.0, 0.5, 0.5]]


@pytest.mark.parametrize("dim", range(1, 9))
def test_points_of_a_set_prefer_no_side(dim):
    for n in (1, 2, 3, 5, 8, 9, 16, 30, 64):
        points = spread_points(n, dim)
        assert points.shape == (n, dim)
        assert len(np.unique(points.round(9), axis=0)) == n
        assert ((0.0 < points) & (points < 1.0)).all(), n
        np.testing.assert_allclose(points.mean(0), 0.5, err_msg=f"{n} points")
        for i in range(dim) if dim == 1 or 2**dim <= n else ():
            mirrored = points.copy()
            mirrored[:, i] = 1.0 - mirrored[:, i]
            np.testing.assert_allclose(np.unique(mirrored.round(9), axis=0), np.unique(points.round(9), axis=0))
