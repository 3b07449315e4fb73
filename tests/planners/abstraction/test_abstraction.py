"""The abstraction tree against the thesis's algorithm 5, written down as it stands."""

import math
from collections import defaultdict

import numpy as np
import pytest

import envs
import planners
from planners import Budget
from planners.core.actions import action_set
from planners.core.zobrist import box_bounds, box_cells


def algorithm_5(model, simulations, rng, t0=8.0, b=1.5, p=2.0, q=2 / 3, c=1.0, prior=1e-3, max_depth=24):
    """Root statistics of algorithms 5 and 7 with dictionaries and recursion: visits and means."""
    actions = action_set(model, 8)
    bounds = box_bounds(model)
    visits, returns = defaultdict(lambda: np.zeros(8)), defaultdict(lambda: np.zeros(8))
    root_visits, root_means = np.zeros(8), np.zeros(8)

    def cell(x, d):
        out = np.empty(1, np.uint64)
        box_cells(x, d, d + 1, bounds, out)
        return d, int(out[0])

    def step(x, a):
        after = np.empty_like(x)
        reward, terminated = model.step(x, actions[a], after, model.params, rng)
        return after, reward, terminated

    def simulate(x, left, terminated):
        if terminated or left == 0:
            return 0.0
        n, r = np.full(8, prior), np.zeros(8)
        total = 8 * prior
        s, d = cell(x, 0), 0
        known.add(s)
        walk = [s]
        while True:
            w = (d + 1.0) ** p
            n, r = n + w * visits[s], r + w * returns[s]
            total += w * visits[s].sum()
            if d == max_depth:
                break
            child = cell(x, d + 1)
            if child not in known:
                if visits[s].sum() < t0 * b**d:
                    break
                known.add(child)
            s, d = child, d + 1
            walk.append(s)
        width = c * math.sqrt(2 * max(q * math.log(total), 0.0) * math.exp((1 - q) * math.log(total)))
        means = r * (1 / n)
        a = best(means, means + width * np.sqrt(1 / n))
        after, reward, terminated = step(x, a)
        g = reward + model.discount * simulate(after, left - 1, terminated)
        for s in walk:
            visits[s][a] += 1
            returns[s][a] += g
        return g

    def best(means, scores):
        """Exact ties happen: the higher mean, then the lower index."""
        return max(range(8), key=lambda a: (scores[a], means[a]))

    known = set()
    root = model.initial_state(rng)
    for i in range(simulations):
        width = c * math.sqrt(2 * math.log(max(i, 1)))
        tried = zip(root_means, root_visits, strict=True)
        scores = [mean + width * (1 / math.sqrt(n)) if n else math.inf for mean, n in tried]
        a = best(root_means, scores)
        after, reward, terminated = step(root, a)
        g = reward + model.discount * simulate(after, model.horizon - 1, terminated)
        root_visits[a] += 1
        root_means[a] += (g - root_means[a]) / root_visits[a]
    return root_visits, root_means


@pytest.mark.parametrize("model", [envs.Trap(), envs.Trap(0.01)])
def test_is_algorithm_5(model):
    visits, means = algorithm_5(model, 400, np.random.default_rng(7))
    decision = planners.make("abstraction").plan(
        model, model.initial_state(None), Budget(400), np.random.default_rng(7)
    )
    np.testing.assert_array_equal(decision.visits, visits)
    np.testing.assert_allclose(decision.values, means)


def test_leaves_the_trap_within_a_thousand_simulations():
    for seed in range(20):
        model = envs.Trap()
        decision = planners.make("abstraction").plan(model, np.zeros(2), Budget(1_000), np.random.default_rng(seed))
        assert decision.action[0] == 0.8125


def test_root_through_the_trie(models):
    planner = planners.make("abstraction", root="trie")
    model = models["chain"]
    assert planner.plan(model, np.zeros(1), Budget(2_000), np.random.default_rng(0)).action[0] >= 0.5
    with pytest.raises(ValueError, match="root_actions"):
        planner.plan(model, np.zeros(1), Budget(10), np.random.default_rng(0), root_actions=np.array([[0.5]]))


def test_max_depth_zero_keeps_one_cell(searched):
    model = envs.Trap()
    planner = planners.make("abstraction", max_depth=0)
    _, parts = searched(planner, model, np.zeros(2), Budget(500), np.random.default_rng(0))
    assert parts[0] == [1]


def test_a_model_without_cells_or_bounds_is_told(models):
    class Boundless(type(models["chain"])):
        state_high = np.array([np.inf])

    with pytest.raises(TypeError, match="Boundless has neither `cells` nor finite `state_low`"):
        planners.make("abstraction").plan(Boundless(), np.zeros(1), Budget(10), np.random.default_rng(0))
