"""The abstraction tree over state-dependent actions against the thesis's algorithm 8, written down as it stands."""

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest

import planners
from planners import Budget
from planners.core.zobrist import box_bounds, box_cells
from planners.jit import compiled
from tests.planners.conftest import UnitBox, python_twin

LAST = 4


@compiled("step")
def duel_step(state, action, next_state, params, rng):
    next_state[0] = state[0] + action[0] - 0.5 + 0.1 * (rng.random() - 0.5)
    next_state[1] = state[1] + 1.0
    over = next_state[1] == 4.0
    return (1.0 if over and next_state[0] > 0.0 else 0.0), over


@compiled("player")
def duel_player(state, params):
    return 1.0 - 2.0 * (state[1] % 2.0)


@compiled("actions")
def duel_actions(state, params, out, keys):
    # the player who leads may do one thing more
    count = 3 if state[0] > 0.0 else 2
    for i in range(count):
        out[i, 0] = 0.25 + 0.25 * i
        keys[i] = np.uint64(1000 * (i + 1))
    return count


@compiled("rollout")
def duel_rollout(state, scratch, depth, params, rng):
    return 1.0 if state[0] + 0.2 * (rng.random() - 0.5) > 0.0 else 0.0


@dataclass(frozen=True)
class Duel(UnitBox):
    """Two players push x up and down by turns; it ends above or below 0. The player in front has a third push."""

    state_dim = 2
    horizon = LAST
    time_index = 1
    max_actions = 3
    state_low = np.array([-2.0, 0.0])
    state_high = np.array([2.0, 4.0])
    step = staticmethod(duel_step)
    player = staticmethod(duel_player)
    actions = staticmethod(duel_actions)
    rollout = staticmethod(duel_rollout)


def algorithm_8(model, simulations, rng, t0=1.0, b=1.3, p=4.0, q=0.4, c=1.0, new=1.0, policy=0.0, max_depth=15):
    """Root visits and means of algorithms 7 and 8 with dictionaries and recursion."""
    bounds = box_bounds(model)
    visits, returns = defaultdict(lambda: defaultdict(float)), defaultdict(lambda: defaultdict(float))
    known = set()

    def options(x):
        out, keys = np.empty((3, 1)), np.empty(3, np.uint64)
        n = model.actions(x, model.params, out, keys)
        return [(out[i].copy(), int(keys[i])) for i in range(n)]

    def cell(x, d):
        out = np.empty(1, np.uint64)
        box_cells(x, d, d + 1, bounds, out)
        return d, int(out[0]), model.player(x, model.params)

    def simulate(x):
        choices = options(x)
        n, r = [0.0] * len(choices), [0.0] * len(choices)
        d, s = 0, cell(x, 0)
        known.add(s)
        walk = [s]
        while True:
            total, gain = sum(visits[s].values()), sum(returns[s].values())
            for i, (_, key) in enumerate(choices):
                n[i] += (d + 1) ** p * (visits[s][key] + (new if total else 0.0))
                r[i] += (d + 1) ** p * (returns[s][key] + (new * gain / total if total else 0.0))
            if d == max_depth:
                break
            child = cell(x, d + 1)
            if child not in known:
                if total < t0 * b**d:
                    break
                known.add(child)
            s, d = child, d + 1
            walk.append(s)
        z = sum(n)
        if z == 0.0:
            best = int(rng.random() * len(choices))
        else:
            log = math.log(max(z**q + policy * len(choices), 1.0))
            score = [r[i] / n[i] + c * math.sqrt(2 * log / (n[i] * z ** (q - 1))) for i in range(len(n))]
            best = max(range(len(n)), key=score.__getitem__)
        action, key = choices[best]
        after = np.empty(2)
        reward, over = model.step(x, action, after, model.params, rng)
        g = reward if over else reward + simulate(after)
        for s in walk:
            visits[s][key] += 1.0
            returns[s][key] += g * model.player(x, model.params)
        return g

    root = np.zeros(2)
    arms = options(root)
    root_visits, means = np.zeros(len(arms)), np.zeros(len(arms))
    for i in range(simulations):
        log = 2 * math.log(max(i, 1))
        score = [
            means[a] + c * math.sqrt(log / root_visits[a]) if root_visits[a] else math.inf for a in range(len(arms))
        ]
        a = max(range(len(arms)), key=score.__getitem__)
        after = np.empty(2)
        reward, over = model.step(root, arms[a][0], after, model.params, rng)
        g = reward if over else reward + simulate(after)
        root_visits[a] += 1
        means[a] += (g - means[a]) / root_visits[a]
    return root_visits, means


@pytest.mark.parametrize("given", [{}, {"new_visits": 0.5, "policy_visits": 2.0, "max_depth": 3}])
def test_is_algorithm_8(given):
    model, rng = Duel(), np.random.default_rng
    names = {"new_visits": "new", "policy_visits": "policy"}
    visits, means = algorithm_8(model, 300, rng(3), **{names.get(name, name): v for name, v in given.items()})
    decision = planners.make("abstraction", **given).plan(model, np.zeros(2), Budget(300), rng(3))
    np.testing.assert_array_equal(decision.visits, visits)
    np.testing.assert_allclose(decision.values, means)


@pytest.mark.parametrize("given", [{}, {"tree_steps": 1}, {"tree_steps": 0}])
def test_interpreted_searches_are_the_same(given):
    planner = planners.make("abstraction", **given)
    fast = planner.plan(Duel(), np.zeros(2), Budget(200), np.random.default_rng(5))
    slow = planner.plan(python_twin(Duel()), np.zeros(2), Budget(200), np.random.default_rng(5))
    np.testing.assert_array_equal(fast.visits, slow.visits)
    np.testing.assert_array_equal(fast.values, slow.values)


@pytest.mark.parametrize("tree_steps", [None, 1])
def test_each_player_pushes_its_own_way(tree_steps):
    planner = planners.make("abstraction", tree_steps=tree_steps)
    for x, t, best in [(0.1, 0.0, 0.75), (0.1, 1.0, 0.25), (0.1, 3.0, 0.25)]:
        decision = planner.plan(Duel(), np.array([x, t]), Budget(3_000), np.random.default_rng(1))
        assert decision.action[0] == best, (x, t)


def test_the_result_does_not_depend_on_the_room_at_first(monkeypatch):
    import planners.abstraction.action_search

    plan = planners.make("abstraction").plan
    wide = plan(Duel(), np.zeros(2), Budget(3_000), np.random.default_rng(2))
    monkeypatch.setattr(planners.abstraction.action_search, "FIRST_SIMULATIONS", 1)
    narrow = plan(Duel(), np.zeros(2), Budget(3_000), np.random.default_rng(2))
    np.testing.assert_array_equal(wide.values, narrow.values)


def test_roots_that_this_kind_of_model_cannot_have():
    with pytest.raises(ValueError, match="root='trie': must be 'bandit' for Duel"):
        planners.make("abstraction", root="trie").plan(Duel(), np.zeros(2), Budget(10), np.random.default_rng(0))


def test_root_actions_are_the_only_ones():
    own = np.array([[0.3], [0.6]])
    decision = planners.make("abstraction").plan(Duel(), np.zeros(2), Budget(100), np.random.default_rng(0), own)
    np.testing.assert_array_equal(decision.actions, own)
    assert decision.visits.sum() == decision.simulations == 100


def test_fewer_simulations_than_actions_try_the_first():
    decision = planners.make("abstraction").plan(Duel(), np.zeros(2), Budget(1), np.random.default_rng(0))
    assert decision.visits.tolist() == [1, 0]
    assert decision.action[0] == decision.actions[0, 0]


def test_uct_takes_the_sets_of_each_state():
    for x, t, best in [(0.1, 0.0, 0.75), (0.1, 1.0, 0.25), (0.1, 3.0, 0.25)]:
        decision = planners.make("uct").plan(Duel(), np.array([x, t]), Budget(3_000), np.random.default_rng(1))
        assert sorted(decision.actions[:, 0]) == [0.25, 0.5, 0.75]
        assert decision.action[0] == best, (x, t)
    twin = planners.make("uct").plan(python_twin(Duel()), np.array([x, t]), Budget(300), np.random.default_rng(1))
    fast = planners.make("uct").plan(Duel(), np.array([x, t]), Budget(300), np.random.default_rng(1))
    np.testing.assert_array_equal(twin.values, fast.values)
