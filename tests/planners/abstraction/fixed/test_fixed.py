"""The abstraction tree against the thesis's algorithm 5, written down as it stands."""

import math
from collections import defaultdict

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.fixed.search import _inherit
from bonspiel.planners.planner import FreshSearches
from tests.planners.oracles import best_of, cells_of, fixed_actions, ucb1
from tests.planners.tiny_models import Bandit, Chain, Diamond, Handover, Target, python_twin


def algorithm_5(
    model, simulations, rng, t0=8.0, b=1.5, p=2.0, q=2 / 3, c=1.0, prior=1e-3, max_depth=24, spread=0.0, inherited=0.0
):
    """Root statistics of algorithms 5 and 7 with dictionaries and recursion: visits and means.

    With a `spread`, C is in units of the range of the root's returns, and of the returns' deviation in a state's cells.
    With `inherited` visits, coarser cells count for at most that number of each action, and there are no weights.
    """
    actions, cell = fixed_actions(model, 8)(None), cells_of(model)
    visits, returns = defaultdict(lambda: np.zeros(8)), defaultdict(lambda: np.zeros(8))
    met, at_root = defaultdict(list), []
    root_visits, root_means = np.zeros(8), np.zeros(8)

    def player(x):
        return model.player(x, model.params) if hasattr(model, "player") else 1.0

    def step(x, a):
        after = np.empty_like(x)
        reward, terminated = model.step(x, actions[a], after, model.params, rng)
        return after, reward, terminated

    def root_range():
        if spread == 0 or not at_root:
            return c
        return c * max(max(at_root) - min(at_root), 1e-9 * abs(max(at_root)), 1e-300)

    def simulate(x, left, terminated, last):
        if terminated or left == 0:
            return 0.0
        n, r = np.full(8, prior), np.zeros(8)
        total, shares = 0.0, []
        mover = player(x)
        s, d = (mover, *cell(x, 0)), 0
        known.add(s)
        walk = [s]
        while True:
            w, kept, kept_in_all = (d + 1.0) ** p, 1.0, 1.0
            if inherited > 0:
                w, kept, kept_in_all = 1.0, inherited / (inherited + n), 8 * inherited / (8 * inherited + total)
            n, r = kept * n + w * visits[s], kept * r + w * returns[s]
            total = kept_in_all * total + w * visits[s].sum()
            shares = [kept_in_all * share for share in shares] + [w]
            if d == max_depth:
                break
            child = (mover, *cell(x, d + 1))
            if child not in known:
                if visits[s].sum() < t0 * b**d:
                    break
                known.add(child)
            s, d = child, d + 1
            walk.append(s)
        c_here = root_range()
        if spread > 0 and total >= 2.0:
            gains = np.array([g for s in walk for g in met[s]])
            share = np.array([part for part, s in zip(shares, walk, strict=True) for _ in met[s]])
            mean = np.average(gains, weights=share)
            c_here = max(spread * math.sqrt(np.average((gains - mean) ** 2, weights=share)), 0.01 * root_range())
        total += 8 * prior
        width = c_here * math.sqrt(2 * max(q * math.log(total), 0.0) * math.exp((1 - q) * math.log(total)))
        means = r * (1 / n)
        scores = means + width * np.sqrt(1 / n)
        a = last if scores[last] == max(scores) else best_of(scores, rng)  # exact ties happen
        after, reward, terminated = step(x, a)
        g = reward + model.discount * simulate(after, left - 1, terminated, a)
        for s in walk:
            visits[s][a] += 1
            returns[s][a] += mover * g
            met[s].append(mover * g)
        return g

    known = set()
    root = model.initial_state(rng)
    for i in range(simulations):
        a = ucb1(root_means, root_visits, i, root_range(), rng)
        after, reward, terminated = step(root, a)
        g = reward + model.discount * simulate(after, model.horizon - 1, terminated, a)
        root_visits[a] += 1
        root_means[a] += (player(root) * g - root_means[a]) / root_visits[a]
        at_root.append(player(root) * g)
    return root_visits, root_means


MODELS = [
    Bandit(),
    Chain(),
    Diamond(),
    Handover(),
    Target(),
    envs.Trap(),
    envs.Trap(0.01),
    envs.TreasureHunt(hole_terminates=False),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("max_depth", [24, 2, 0])
def test_is_algorithm_5(model, max_depth):
    rng, oracle_rng = np.random.default_rng(7), np.random.default_rng(7)
    simulations = {1: 3_000, 50: 30}.get(model.horizon, 400)
    visits, means = algorithm_5(model, simulations, oracle_rng, max_depth=max_depth)
    planner = planners.make("abstraction", max_depth=max_depth)
    decision = planner.plan(model, model.initial_state(None), Budget(simulations), rng)
    np.testing.assert_array_equal(decision.visits, visits)
    np.testing.assert_allclose(decision.values, means, rtol=1e-9)
    best_of(list(zip(visits, means, strict=True)), oracle_rng)  # the last choice draws too
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


@pytest.mark.parametrize("model", MODELS[1::2], ids=repr)
@pytest.mark.parametrize(("spread", "inherited"), [(0.16, 0.0), (0.0, 2.0), (1.0, 3.0)])
def test_measures_its_exploration_by_the_returns_and_inherits_from_coarser_cells(model, spread, inherited):
    rng, oracle_rng = np.random.default_rng(7), np.random.default_rng(7)
    simulations = {1: 1_000, 50: 10}.get(model.horizon, 200)
    visits, means = algorithm_5(model, simulations, oracle_rng, c=0.3, spread=spread, inherited=inherited)
    planner = planners.make("abstraction", exploration=0.3, spread=spread, inherited_visits=inherited)
    decision = planner.plan(model, model.initial_state(None), Budget(simulations), rng)
    np.testing.assert_array_equal(decision.visits, visits)
    np.testing.assert_allclose(decision.values, means, rtol=1e-9)


def test_many_visits_of_a_coarser_cell_do_not_outvote_few():
    """100 visits of mean 1 count for 100 * 2 / 102 beside 2 of mean 0.

    An action tried in the fine cell alone keeps its statistics; one visit of the coarse cell alone counts for 2 / 3.
    """
    sums = np.array([100.0, 0.0, 1.0, 100.0, 0.0, 3.0])  # visits, then returns, of three actions
    returns = _inherit(sums, np.array([2.0, 1.0, 0.0, 0.0, 5.0, 0.0, 3.0]), 2.0)
    assert returns == 5.0
    np.testing.assert_allclose(sums[:3], [100 * 2 / 102 + 2, 1.0, 2 / 3])
    np.testing.assert_allclose(sums[3:] / sums[:3], [1 / (1 + 102 / 100), 5.0, 3.0])


def test_scaled_exploration_does_not_depend_on_the_size_of_the_rewards():
    model, larger = python_twin(Target()), python_twin(Target())

    def step(state, action, next_state, params, rng):
        reward, terminated = model.step(state, action, next_state, params, rng)
        return 1024.0 * reward, terminated

    larger.step = step
    planner, start, budget = planners.make("scaled_abstraction"), np.zeros(2), Budget(300)
    one = planner.plan(model, start, budget, np.random.default_rng(0))
    other = planner.plan(larger, start, budget, np.random.default_rng(0))
    np.testing.assert_array_equal(other.visits, one.visits)
    np.testing.assert_array_equal(other.values, 1024.0 * one.values)


def test_without_memory_an_episode_is_played_by_fresh_searches():
    model = envs.TreasureHunt()
    planner, state = planners.make("scaled_abstraction"), model.initial_state(None)
    search, fresh = planners.begin_episode(planner, model), FreshSearches(planner, model)
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(3):
        one, two = search.plan(state, Budget(60), rng), fresh.plan(state, Budget(60), other)
        np.testing.assert_array_equal(one.values, two.values)


def test_memory_keeps_the_cells_and_nothing_of_the_root():
    model, planner = envs.TreasureHunt(), planners.make("scaled_abstraction", memory=0.5)
    rng, state, search = np.random.default_rng(3), model.initial_state(None), planners.begin_episode(planner, model)
    search.plan(state, Budget(60), rng)
    visits = search.last.stats[: search.last.size[0], -2].copy()
    decision = search.plan(state, Budget(1), rng)
    kept = search.last.stats[: len(visits), -2]
    assert decision.visits.sum() == 1
    assert (kept >= 0.5 * visits).all() and kept.sum() > 0.5 * visits.sum()


def test_leaves_the_trap_within_a_thousand_simulations():
    for seed in range(20):
        model = envs.Trap()
        decision = planners.make("abstraction").plan(model, np.zeros(2), Budget(1_000), np.random.default_rng(seed))
        assert decision.action[0] == 0.8125


def test_root_through_the_trie():
    planner = planners.make("abstraction", root="trie")
    model = Chain()
    assert planner.plan(model, np.zeros(1), Budget(2_000), np.random.default_rng(0)).action[0] >= 0.5
    with pytest.raises(ValueError, match="root_actions"):
        planner.plan(model, np.zeros(1), Budget(10), np.random.default_rng(0), root_actions=np.array([[0.5]]))
