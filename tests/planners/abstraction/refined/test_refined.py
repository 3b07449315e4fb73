"""The abstraction tree that divides cells of actions: the cells, and the search beside that with a fixed set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.refined.search import RefinedSettings, _gather
from bonspiel.planners.abstraction.refined.trie import PARTS, divide, find, first_cells, new_trie, new_walk, root_cells
from bonspiel.planners.core.search import kept_trees
from tests.planners.tiny_models import Chain, Diamond, Duel, Target, python_twin

NEVER = 1e300


class Bowl:
    """Python model: two steps, each of which earns less the farther its action is from 0.3 in every coordinate."""

    state_dim, horizon, discount, compiled = 2, 2, 1.0, False
    time_index, state_low, state_high, params = 1, np.array([-10.0, 0.0]), np.array([10.0, 3.0]), np.zeros(0)

    def __init__(self, dim):
        self.action_low, self.action_high = -np.ones(dim), np.arange(1.0, dim + 1.0)

    def initial_state(self, rng):
        return np.zeros(2)

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state[0] + action[0] + 0.1 * rng.random(), state[1] + 1.0
        return -((action - 0.3) ** 2).sum(), False

    def sample_action(self, state, action, params, rng):
        action[:] = rng.uniform(self.action_low, self.action_high)


def empty(dim, most, divisions=64):
    low, high = -np.ones(dim), np.arange(1.0, dim + 1.0)
    return new_trie(*first_cells(low, high, most), np.empty((0, dim)), divisions, 1), low, high


def boxes(trie, cells):
    """Lower and upper corners of action cells by their middles and how often they were divided, [A, dim] each."""
    dim = trie.action.shape[1]
    times = (trie.depth[cells][:, None] + dim - 1 - np.arange(dim)) // dim
    half = 0.5 * trie.width / 3.0**times
    return trie.action[cells] - half, trie.action[cells] + half


@settings(max_examples=60)
@given(st.integers(1, 6), st.integers(1, 100), st.lists(st.integers(0, 10**6), max_size=40), st.integers(0, 10**6))
def test_action_cells_cover_the_box_and_lose_no_visit(dim, most, choices, seed):
    trie, low, high = empty(dim, most)
    rng = np.random.default_rng(seed)
    first = root_cells(trie)
    trie.stats[first] = rng.integers(0, 50, (len(first), 2))
    total = trie.stats[first].sum(0)
    for choice in choices:
        cells = root_cells(trie)
        divide(trie, int(cells[choice % len(cells)]))
    cells = root_cells(trie)
    assert len(cells) == len(first) + 2 * len(choices)
    np.testing.assert_array_equal(trie.stats[cells].sum(0), total)
    lower, upper = boxes(trie, cells)
    assert (upper - lower).prod(1).sum() == pytest.approx((high - low).prod())
    assert (lower > low - 1e-9).all() and (upper < high + 1e-9).all()
    for point in rng.uniform(low, high, (20, dim)):
        assert ((lower <= point) & (point < upper)).all(1).sum() == 1


def test_a_cell_becomes_three_along_each_coordinate_in_turn_and_the_middle_goes_on():
    trie, _, _ = empty(2, 1)  # [-1, 1] x [-1, 2]
    (whole,) = root_cells(trie)
    np.testing.assert_array_equal(trie.action[whole], [0.0, 0.5])
    trie.stats[whole] = 7.0, 3.0
    divide(trie, int(whole))
    parts = root_cells(trie)
    np.testing.assert_allclose(trie.action[parts], [[-2 / 3, 0.5], [0.0, 0.5], [2 / 3, 0.5]])
    np.testing.assert_array_equal(trie.stats[parts], [[0.0, 0.0], [7.0, 3.0], [0.0, 0.0]])
    divide(trie, int(parts[2]))
    np.testing.assert_allclose(trie.action[root_cells(trie)[2:]], [[2 / 3, -0.5], [2 / 3, 0.5], [2 / 3, 1.5]])


@pytest.mark.parametrize(
    ("dim", "most", "counts"),
    [
        (1, 16, [16]),
        (1, 2, [2]),
        (1, 1, [1]),
        (2, 16, [3, 3]),
        (2, 25, [5, 5]),
        (3, 16, [3, 3, 1]),
        (6, 16, [3, 3, 1, 1, 1, 1]),
    ],
)
def test_first_actions_are_a_grid_which_in_several_dimensions_has_the_middle(dim, most, counts):
    grid, width = first_cells(np.zeros(dim), np.ones(dim), most)
    np.testing.assert_allclose(width, 1.0 / np.array(counts))
    assert len(np.unique(grid.round(9), axis=0)) == np.prod(counts)
    assert dim == 1 or (np.abs(grid - 0.5) < 1e-12).all(1).sum() == 1


@pytest.mark.parametrize("dim", range(1, 7))
def test_a_search_keeps_every_visit_in_the_cells_that_are_not_divided(dim):
    planner, model = planners.make("refined_abstraction", action_threshold=3.0, action_threshold_base=1.2), Bowl(dim)
    with kept_trees() as trees:
        decision = planner.plan(model, np.zeros(2), Budget(300), np.random.default_rng(0))
    (trie,) = trees
    nodes = int(trie.size[0])
    assert nodes > 5 and trie.depth[: trie.size[1]].max() > 1
    for node in range(nodes):
        cells = root_cells(trie._replace(first=trie.first[node:]))
        assert trie.stats[cells, 0].sum() == trie.totals[node, 0]
        assert trie.stats[cells, 1].sum() == pytest.approx(trie.totals[node, 1])
    divided = np.flatnonzero(trie.parts[: trie.size[1]] * (np.arange(trie.size[1]) > 0))
    assert (trie.stats[divided, 0] == sum(trie.stats[trie.parts[divided] + part, 0] for part in range(PARTS))).all()
    assert decision.visits.sum() == 300
    assert (decision.actions >= model.action_low).all() and (decision.actions <= model.action_high).all()
    assert decision.visits[(decision.actions == decision.action).all(1)] == [decision.visits.max()]


@pytest.mark.parametrize("model", [Bowl(1), Bowl(2), envs.Trap(), Target()], ids=lambda model: type(model).__name__)
def test_more_simulations_consider_more_actions_closer_to_the_best(model):
    planner = planners.make("refined_abstraction")
    counts = [
        len(planner.plan(model, np.zeros(2), Budget(n), np.random.default_rng(0)).actions) for n in (20, 200, 1_000)
    ]
    assert counts == sorted(set(counts))


def test_the_decision_gets_closer_to_the_best_action_than_the_first_actions_are():
    model, planner = Bowl(1), planners.make("refined_abstraction")
    decision = planner.plan(model, np.zeros(2), Budget(2_000), np.random.default_rng(0))
    grid, _ = first_cells(model.action_low, model.action_high, planner.first_actions)
    assert abs(decision.action[0] - 0.3) < 0.5 * np.abs(grid - 0.3).min()


@pytest.mark.parametrize(
    ("model", "simulations"),
    [(Chain(), 400), (Diamond(), 400), (envs.Trap(), 400), (envs.TreasureHunt(), 60)],
    ids=repr,
)
@pytest.mark.parametrize("inherited", [0.0, 2.0])
def test_without_divisions_it_is_the_search_with_a_fixed_set(model, simulations, inherited):
    whole = planners.make(
        "refined_abstraction", root_threshold=NEVER, action_threshold=NEVER, inherited_visits=inherited, spread=0.5
    )
    fixed = planners.make("scaled_abstraction", n_actions=16, inherited_visits=inherited, spread=0.5)
    one, other = (
        planner.plan(model, model.initial_state(None), Budget(simulations), np.random.default_rng(0))
        for planner in (whole, fixed)
    )
    np.testing.assert_array_equal(one.actions, other.actions)
    np.testing.assert_array_equal(one.visits, other.visits)
    np.testing.assert_allclose(one.values, other.values, rtol=1e-9)


@pytest.mark.parametrize(("coarse_visits", "divided"), [(15.0, False), (16.0, True)])
def test_an_action_is_divided_where_cells_with_half_of_its_weighted_visits_say_so(coarse_visits, divided):
    """Of weights 1 and 4 the coarse cell has 15 or 16, the fine one, where it is whole, 4 * 4."""
    trie, _, _ = empty(1, 1)
    walk = new_walk(1, 1, 1, 1)
    coarse, fine = (trie.first[find(trie, np.uint64(7 + depth), depth, 1.0, True)] for depth in range(2))
    trie.stats[coarse], trie.stats[fine] = (coarse_visits, 1.0), (4.0, 2.0)
    divide(trie, coarse)
    walk.pending[0], walk.prior[0] = (coarse, fine), 0.0
    table = np.array([1.0, 4.0])
    rules = RefinedSettings(1.0, 1.0, 0.0, table, table, 1.0, 1.0, table, table)
    assert _gather(trie, walk, 0, 2, rules) == (coarse_visits + 16.0, 9.0, divided)


def test_given_actions_are_taken_as_they_are():
    model, rng = Duel(), np.random.default_rng
    one, other = (
        planners.make(name).plan(model, np.zeros(2), Budget(200), rng(1))
        for name in ("refined_abstraction", "scaled_abstraction")
    )
    np.testing.assert_array_equal(one.actions, other.actions)
    np.testing.assert_array_equal(one.values, other.values)
    given_actions = np.array([[0.31], [0.72]])
    decision = planners.make("refined_abstraction").plan(
        envs.Trap(), np.zeros(2), Budget(500), rng(1), root_actions=given_actions
    )
    np.testing.assert_array_equal(decision.actions, given_actions)


def test_compiled_and_interpreted_searches_divide_alike(searched):
    planner = planners.make("refined_abstraction", root_threshold=2.0, action_threshold=2.0, action_threshold_base=1.2)
    model = envs.Trap()
    one, other = (
        searched(planner, either, np.zeros(2), Budget(300), np.random.default_rng(4))
        for either in (model, python_twin(model))
    )
    np.testing.assert_array_equal(one[0].values, other[0].values)
    assert one[1] == other[1]
    assert len(one[0].actions) > 16 + 3 * PARTS
