import itertools

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.cells.weighted_uct.experience import (
    EVENTS,
    has_room,
    new_experience_walk,
    new_experiences,
    remember,
)
from bonspiel.planners.cells.weighted_uct.nearness import gather
from tests.planners.tiny_models import Bandit

EXACT = np.uint64(3)
NO_ACTIONS = np.empty((0, 1))


def near(known, exact, place, blend):
    """Visits and returns of every action, then blended with those like it."""
    walk = new_experience_walk(1, known.place.shape[0], 1, known.runs.shape[1])
    gather(known, walk, exact, place, blend)
    return walk.near


def fixed_set(k, cutoff, n=3_000, n_actions=4):
    """n experiences in k coordinates with bandwidths that shrink as they would in a search."""
    rng = np.random.default_rng(1)
    known = new_experiences(k, n_actions, 0.5, cutoff, n + 8, NO_ACTIONS)
    rows = []
    for i in range(n):
        place, action = rng.normal(size=k), int(rng.integers(n_actions))
        value = float(np.sin(3 * place.sum()) + action)
        neighbours = (i / n_actions) ** 0.6 * rng.random()
        remember(known, EXACT, place, action, value, 0.5, neighbours)
        rows.append((*place, action, value, 0.25 / (1 + neighbours)))
    return known, np.array(rows)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_gather_is_equations_2_4_and_2_5(k):
    known, rows = fixed_set(k, np.inf)
    for x in np.random.default_rng(2).normal(size=(20, k)):
        found = near(known, EXACT, x, np.eye(4))
        kernels = np.exp(-((rows[:, :k] - x) ** 2).sum(1) / (2 * rows[:, -1]))
        for action in range(4):
            own = rows[:, k] == action
            np.testing.assert_allclose(found[2, action], kernels[own].sum(), rtol=1e-9)
            returns = (kernels * rows[:, k + 1])[own].sum()
            np.testing.assert_allclose(found[3, action], returns, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("k", [1, 2])
def test_neighbour_search_agrees_with_all_within_one_percent(k):
    exact, _ = fixed_set(k, np.inf)
    grid, _ = fixed_set(k, planners.make("weighted_uct").cutoff)
    for x in np.random.default_rng(2).normal(size=(200, k)) * 0.7:
        by_grid, by_all = (near(known, EXACT, x, np.eye(4)) for known in (grid, exact))
        enough = by_all[2] > 1.0
        np.testing.assert_allclose(by_grid[2][enough], by_all[2][enough], rtol=0.01)
        values = [found[3][enough] / found[2][enough] for found in (by_grid, by_all)]
        np.testing.assert_allclose(*values, atol=0.01 * 4)  # returns range over 5


@pytest.mark.parametrize("origin", [-1e12, -5e12, 1e13, -1e17, 1e17, 1e300])
def test_neighbours_are_the_same_however_far_from_zero(origin):
    grid, exact = (new_experiences(1, 1, 0.5, cutoff, 20, NO_ACTIONS) for cutoff in (3.5, np.inf))
    unit = max(0.5, float(np.spacing(origin)))
    for i in range(9):
        for known in (grid, exact):
            remember(known, EXACT, np.array([origin + i * unit]), 0, float(i), 0.5, 0.0)
    by_grid, by_all = (near(known, EXACT, np.array([origin + 4 * unit]), np.eye(1)) for known in (grid, exact))
    np.testing.assert_allclose(by_grid, by_all, rtol=0.01, atol=0.01)


def test_other_classes_are_not_seen():
    known, _ = fixed_set(1, 3.5)
    assert (near(known, np.uint64(4), np.zeros(1), np.eye(4)) == 0).all()


def test_blend_shares_experience_between_actions():
    known, _ = fixed_set(1, 3.5)
    blend = np.array([[1.0, 0.5], [0.5, 1.0]])
    blend = np.kron(np.eye(2), blend)
    own = near(known, EXACT, np.zeros(1), np.eye(4))[2]
    np.testing.assert_allclose(near(known, EXACT, np.zeros(1), blend)[2], blend @ own)


@pytest.mark.parametrize("neighbours", ["grid", "all"])
def test_leaves_the_trap(neighbours):
    planner = planners.make("weighted_uct", neighbours=neighbours)
    decision = planner.plan(envs.Trap(), np.zeros(2), Budget(3_000), np.random.default_rng(0))
    assert decision.action[0] == 0.8125


def test_an_action_kernel_speeds_up_learning_on_many_actions():
    planner = planners.make("weighted_uct", n_actions=32, action_bandwidth=0.1)
    decision = planner.plan(envs.Trap(), np.zeros(2), Budget(3_000), np.random.default_rng(0))
    assert 0.7 <= decision.action[0] < 1.0


def test_many_coordinates_are_compared_without_a_grid():
    class Wide(Bandit):
        state_dim = 35

    decision = planners.make("weighted_uct").plan(Wide(), np.zeros(35), Budget(50), np.random.default_rng(0))
    assert decision.visits.sum() == 50


def test_room_for_a_simulation_is_enough_even_if_all_falls_into_one_run():
    for before, events in itertools.product((0, 1, 2, 3, 8, 64), (1, 2, 7, 31, 64)):
        known = new_experiences(1, 1, 0.5, 3.0, 3_000, NO_ACTIONS)
        for _ in range(before):
            remember(known, EXACT, np.zeros(1), 0, 0.0, 0.5, 0.0)
        capacity = int(known.size[EVENTS])
        while not has_room(known._replace(value=known.value[:capacity]), events):
            capacity += 1
            assert capacity < len(known.value), (before, events)
        for _ in range(events):
            remember(known, EXACT, np.zeros(1), 0, 0.0, 0.5, 0.0)
        assert known.size[EVENTS] <= capacity, (before, events)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, np.nan]])
def test_bad_distance_weights_are_refused(weights):
    class Careless(envs.Trap):
        distance_weights = np.array(weights)

    with pytest.raises(ValueError, match=r"distance_weights=.*2 numbers"):
        planners.make("weighted_uct").plan(Careless(), np.zeros(2), Budget(10), np.random.default_rng(0))


def test_a_cutoff_beyond_the_fast_exponential_is_refused():
    with pytest.raises(ValueError, match="cutoff=20"):
        planners.make("weighted_uct", cutoff=20.0)
