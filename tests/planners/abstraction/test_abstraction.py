"""The abstraction tree against the thesis's algorithm 5, written down as it stands."""

import math
from collections import defaultdict

import numpy as np
import pytest

import envs
import planners
from planners import Budget
from tests.planners.oracles import cells_of, fixed_actions, ucb1
from tests.planners.tiny_models import Bandit, Chain, Diamond, Handover, Target


def algorithm_5(model, simulations, rng, t0=8.0, b=1.5, p=2.0, q=2 / 3, c=1.0, prior=1e-3, max_depth=24):
    """Root statistics of algorithms 5 and 7 with dictionaries and recursion: visits and means."""
    actions, cell = fixed_actions(model, 8)(None), cells_of(model)
    visits, returns = defaultdict(lambda: np.zeros(8)), defaultdict(lambda: np.zeros(8))
    root_visits, root_means = np.zeros(8), np.zeros(8)

    def player(x):
        return model.player(x, model.params) if hasattr(model, "player") else 1.0

    def step(x, a):
        after = np.empty_like(x)
        reward, terminated = model.step(x, actions[a], after, model.params, rng)
        return after, reward, terminated

    def simulate(x, left, terminated):
        if terminated or left == 0:
            return 0.0
        n, r = np.full(8, prior), np.zeros(8)
        total = 8 * prior
        mover = player(x)
        s, d = (mover, *cell(x, 0)), 0
        known.add(s)
        walk = [s]
        while True:
            w = (d + 1.0) ** p
            n, r = n + w * visits[s], r + w * returns[s]
            total += w * visits[s].sum()
            if d == max_depth:
                break
            child = (mover, *cell(x, d + 1))
            if child not in known:
                if visits[s].sum() < t0 * b**d:
                    break
                known.add(child)
            s, d = child, d + 1
            walk.append(s)
        width = c * math.sqrt(2 * max(q * math.log(total), 0.0) * math.exp((1 - q) * math.log(total)))
        means = r * (1 / n)
        scores = means + width * np.sqrt(1 / n)
        a = max(range(8), key=lambda a: (scores[a], means[a]))  # exact ties happen
        after, reward, terminated = step(x, a)
        g = reward + model.discount * simulate(after, left - 1, terminated)
        for s in walk:
            visits[s][a] += 1
            returns[s][a] += mover * g
        return g

    known = set()
    root = model.initial_state(rng)
    for i in range(simulations):
        a = ucb1(root_means, root_visits, i, c)
        after, reward, terminated = step(root, a)
        g = reward + model.discount * simulate(after, model.horizon - 1, terminated)
        root_visits[a] += 1
        root_means[a] += (player(root) * g - root_means[a]) / root_visits[a]
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
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


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
