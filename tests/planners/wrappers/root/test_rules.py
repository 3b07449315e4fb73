"""The rules that combine workers: known answers of Go, limits of the kernel, ties, against sums written out."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.planners.planner import Decision
from bonspiel.planners.wrappers.root import rules
from bonspiel.planners.wrappers.root.pool import Pool, pool_of
from bonspiel.planners.wrappers.root.similarity import Kernel, alike, kernel_of
from tests.planners.kinds_models import Dials

RNG = np.random.default_rng(0)  # for what none of these tests leaves open
UNIT = SimpleNamespace(action_low=np.zeros(1), action_high=np.ones(1))


def pool(totals, votes, values=None, actions=None, claims=None):
    """A pool of actions with these visits in all, and this many votes each."""
    n = len(totals)
    actions = np.linspace(0.0, 1.0, n)[:, None] if actions is None else np.array(actions, float)
    values = np.full(n, 0.5) if values is None else np.array(values, float)
    choices = np.repeat(np.arange(n), votes)
    claims = values[choices] if claims is None else np.array(claims, float)
    return Pool(actions, np.array(totals), values, choices, claims)


def decision(actions, visits, values, best=None):
    best = int(np.argmax(visits)) if best is None else best
    arrays = np.array(actions, float)[:, None], np.array(visits), np.array(values, float)
    return Decision(arrays[0][best], values[best], sum(visits), 0.1, *arrays)


@pytest.mark.parametrize(
    ("names", "totals", "votes", "by_sum", "by_votes"),
    [
        (["A4", "H5", "A7", "H4", "H6"], [29416, 25984, 25917, 20460, 2618], [9, 13, 28, 14, 0], "A4", "A7"),
        (["E8", "B2", "D1", "E9", "B1"], [24637, 23276, 20910, 10894, 7535], [16, 21, 22, 5, 0], "E8", "D1"),
    ],
)
def test_two_positions_of_go(names, totals, votes, by_sum, by_votes):
    """64 workers; from the tables of Soejima, Kishimoto, Watanabe 2010."""
    position = pool(totals, votes)
    assert names[rules.most_visits(position, RNG)] == by_sum
    assert names[rules.most_votes(position, RNG)] == by_votes


def test_a_pool_adds_up_equal_actions():
    found = pool_of([decision([0.5, 0.2], [3, 1], [1.0, 4.0]), decision([0.7, 0.5], [2, 5], [3.0, 2.0])])
    assert found.actions[:, 0].tolist() == [0.5, 0.2, 0.7]
    assert found.visits.tolist() == [8, 1, 2]
    assert found.values.tolist() == [pytest.approx((3 * 1.0 + 5 * 2.0) / 8), 4.0, 3.0]
    assert found.choices.tolist() == [0, 0]
    assert found.claims.tolist() == [1.0, 2.0]


def test_a_pool_of_one_worker_is_its_decision_bit_for_bit():
    means = [0.1 + 0.2, 1 / 3, math.nan]
    found = pool_of([decision([0.3, 0.1, 0.2], [3, 7, 0], means)])
    np.testing.assert_array_equal(found.values, means)
    assert found.actions[:, 0].tolist() == [0.3, 0.1, 0.2] and found.choices.tolist() == [1]


def test_a_choice_that_a_planner_does_not_list_is_an_action_without_visits():
    own = decision([0.3], [4], [1.0])
    odd = Decision(np.array([0.9]), 2.0, 4, 0.1, own.actions, own.visits, own.values)
    found = pool_of([own, odd])
    assert found.actions[:, 0].tolist() == [0.3, 0.9] and found.visits.tolist() == [8, 0]
    assert found.choices.tolist() == [0, 1] and np.isnan(found.values[1])


def test_the_highest_mean_needs_a_tenth_of_the_most_visits_and_of_equals_more_visits_win():
    assert rules.highest_mean(pool([100, 10, 9], [1, 0, 0], [0.5, 0.6, 0.9]), RNG) == 1
    position = pool([5, 7, 6], [1, 1, 1], [0.4, 0.4, 0.4])
    assert rules.highest_mean(position, RNG) == 1
    assert rules.highest_merged_mean(position, Kernel(np.array([1e-9]), np.array([np.inf])), RNG) == 1


def test_max_plays_for_the_worker_with_the_highest_claim():
    """Whatever the others found of its choice."""
    assert rules.highest_claim(pool([100, 10], [2, 1], [0.5, 0.1], claims=[0.6, 0.5, 0.8]), RNG) == 1


TIES = [
    ([5, 7, 7, 7], [0.9, 0.1, 0.3, 0.2], 2),  # more visits, then the higher mean
    ([7, 5, 5, 5], [0.1, 0.9, 0.9, 0.9], 0),
    ([7, 7, 7, 7], [0.3, 0.3, 0.3, 0.4], 3),
]


@pytest.mark.parametrize(("visits", "values", "best"), TIES)
def test_ties_of_votes(visits, values, best):
    position = pool(visits, [1, 1, 1, 1], values)
    narrow = Kernel(np.array([1e-9]), np.array([np.inf]))
    assert rules.most_votes(position, RNG) == best
    assert rules.most_similar_votes(position, narrow, RNG) == best
    assert rules.most_votes_of_a_part(position, UNIT, 4, RNG) == best
    assert rules.highest_claim(pool(visits, [1, 1, 1, 1], values, claims=[0.5] * 4), RNG) == best


def test_votes_in_parts_of_the_box():
    """Three votes in the second quarter outvote two for one action; the most visited of the three is played."""
    position = pool(
        [90, 10, 30, 20, 99], [2, 1, 1, 1, 0], actions=[[0.9], [0.26], [0.3], [0.49], [0.4]], values=[0.5] * 5
    )
    assert rules.most_votes(position, RNG) == 0
    assert rules.most_votes_of_a_part(position, UNIT, 4, RNG) == 2
    assert rules.most_votes_of_a_part(position, UNIT, 1, RNG) == 0, "one part has all votes"
    position = pool([10, 20, 30], [1, 1, 1], actions=[[1.0], [0.8], [0.1]])
    assert rules.most_votes_of_a_part(position, UNIT, 4, RNG) == 1, "the upper bound is in the last part"


def random_pool(rng, workers=40, actions=60, dim=2):
    choices = rng.integers(actions, size=workers)
    visits, values = rng.integers(1, 30, actions), rng.normal(size=actions)
    return Pool(rng.uniform(-1.0, 1.0, (actions, dim)), visits, values, choices, values[choices])


@pytest.mark.parametrize("seed", range(5))
def test_similarity_of_no_width_is_equality(seed):
    position = random_pool(np.random.default_rng(seed))
    narrow = Kernel(np.full(2, 1e-9), np.full(2, np.inf))
    assert rules.most_similar_votes(position, narrow, RNG) == rules.most_votes(position, RNG)
    assert rules.highest_merged_mean(position, narrow, RNG) == rules.highest_mean(position, RNG)


@pytest.mark.parametrize("seed", range(5))
def test_similarity_as_it_is_written(seed):
    position = random_pool(np.random.default_rng(seed))
    kernel = Kernel(np.array([0.2, 0.5]), np.full(2, np.inf))

    def k(a, b):
        return math.exp(-0.5 * sum((x - y) ** 2 / h**2 for x, y, h in zip(a, b, kernel.width, strict=True)))

    actions, n, q = position.actions, position.visits, position.values
    votes = [sum(k(actions[i], actions[j]) for j in position.choices) for i in position.choices]
    assert rules.most_similar_votes(position, kernel, RNG) == position.choices[int(np.argmax(votes))]
    m = np.array([sum(k(a, b) * n[j] for j, b in enumerate(actions)) for a in actions])
    v = np.array([sum(k(a, b) * n[j] * q[j] for j, b in enumerate(actions)) for a in actions]) / m
    assert rules.highest_merged_mean(position, kernel, RNG) == int(np.argmax(np.where(m >= 0.1 * m.max(), v, -np.inf)))


def test_merging_in_blocks_is_merging(monkeypatch):
    position, kernel = random_pool(np.random.default_rng(3)), Kernel(np.full(2, 0.3), np.full(2, np.inf))
    given = kernel, position.actions, position.visits, position.values
    whole = rules._merged(*given)
    monkeypatch.setattr(rules, "BLOCK", 7 * 60)
    np.testing.assert_allclose(rules._merged(*given), whole, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule", [rules.most_similar_votes, rules.highest_merged_mean])
def test_a_circular_action_may_be_turned_by_its_period(seed, rule):
    rng = np.random.default_rng(seed)
    position = random_pool(rng)
    turned = position._replace(actions=position.actions + np.array([2.0, 0.0]) * rng.integers(-1, 2, (60, 1)))
    round_way, straight = (Kernel(np.full(2, 0.2), np.array([period, np.inf])) for period in (2.0, np.inf))
    assert rule(turned, round_way, RNG) == rule(position, round_way, RNG)
    np.testing.assert_allclose(
        alike(round_way, turned.actions, position.actions),
        alike(round_way, position.actions, position.actions),
        atol=1e-12,
    )
    assert not np.allclose(
        alike(straight, turned.actions, position.actions), alike(straight, position.actions, position.actions)
    )


def test_directions_are_near_the_short_way_round():
    for unit, half in (("radian", math.pi), ("half_turn", 1.0)):
        kernel = kernel_of(envs.TreasureHunt(angle_unit=unit), 0.05)
        assert kernel.period.tolist() == [2 * half] and kernel.width.tolist() == pytest.approx([0.05 * 2 * half])
        (near,) = alike(kernel, np.array([[-0.99 * half]]), np.array([[0.99 * half]]))[0]
        assert near == pytest.approx(math.exp(-0.5 * (0.02 / 0.1) ** 2))


def test_the_noise_may_be_the_bandwidth_and_without_noise_a_coordinate_must_be_equal():
    noisy = SimpleNamespace(
        action_low=np.zeros(2), action_high=np.ones(2), action_sd=np.array([0.1, 0.0]), action_period=None
    )
    near = alike(kernel_of(noisy, "noise"), np.array([[0.5, 0.0]]), np.array([[0.4, 0.0], [0.5, 1.0]]))
    np.testing.assert_allclose(near, [[math.exp(-0.5), 0.0]])


def test_values_without_an_order_are_alike_only_if_equal():
    kernel = kernel_of(Dials(("categorical", "boolean", "integer"), (0, 0, 0), (39, 1, 39), (0, 0, 0)), 0.05)
    assert kernel.width.tolist() == [0.0, 0.0, pytest.approx(1.95)]
    others = np.array([[4.0, 0.0, 7.0], [3.0, 1.0, 7.0], [3.0, 0.0, 8.0], [3.0, 0.0, 7.0]])
    near = alike(kernel, np.array([[3.0, 0.0, 7.0]]), others)
    np.testing.assert_allclose(near, [[0.0, 0.0, math.exp(-0.5 / 1.95**2), 1.0]])


def test_the_mean_that_nobody_knows_is_never_the_highest():
    """Else NaN would win every comparison."""
    position = pool([10, 0], [1, 1], [0.1, math.nan], claims=[0.1, math.nan])
    kernel = Kernel(np.array([0.5]), np.array([np.inf]))
    assert rules.highest_mean(position, RNG) == rules.highest_claim(position, RNG) == 0
    assert rules.highest_merged_mean(position, kernel, RNG) == 0


def test_parts_of_a_coordinate_without_width_are_one(recwarn):
    flat = SimpleNamespace(action_low=np.array([0.0, 0.5]), action_high=np.array([1.0, 0.5]))
    actions = [[0.1, 0.5], [0.15, 0.5], [0.9, 0.5]]
    found = rules.most_votes_of_a_part(pool([9, 4, 5], [1, 2, 2], actions=actions), flat, 4, RNG)
    assert found == 0 and not recwarn
