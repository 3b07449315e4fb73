"""The abstraction tree over state-dependent actions against the thesis's algorithm 8, written down as it stands."""

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.per_state import resumable
from bonspiel.planners.jit import compiled
from tests.planners.oracles import best_of, cells_of, ucb1
from tests.planners.tiny_models import Duel, UnitBox, python_twin


def algorithm_8(model, root, simulations, rng, t0=1.0, b=1.3, p=4.0, q=0.4, c=1.0, new=1.0, policy=0.0, max_depth=15):
    """Root visits and means of algorithms 7 and 8 with dictionaries and recursion."""
    box_cell = cells_of(model)
    visits, returns = defaultdict(lambda: defaultdict(float)), defaultdict(lambda: defaultdict(float))
    known = set()

    def options(x):
        out, keys = np.empty((3, 1)), np.empty(3, np.uint64)
        n = model.actions(x, model.params, out, keys)
        return [(out[i].copy(), int(keys[i])) for i in range(n)]

    def cell(x, d):
        return *box_cell(x, d), model.player(x, model.params)

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
            best = best_of(score, rng)
        action, key = choices[best]
        g = step(x, action)
        for s in walk:
            visits[s][key] += 1.0
            returns[s][key] += g * model.player(x, model.params)
        return g

    def step(x, action):
        after = np.empty(2)
        reward, over = model.step(x, action, after, model.params, rng)
        return reward if over else reward + model.discount * simulate(after)

    arms = options(root)
    root_visits, means = np.zeros(len(arms)), np.zeros(len(arms))
    for i in range(simulations):
        a = ucb1(means, root_visits, i, c, rng)
        root_visits[a] += 1
        means[a] += (model.player(root, model.params) * step(root, arms[a][0]) - means[a]) / root_visits[a]
    return root_visits, means


@dataclass(frozen=True)
class DiscountedDuel(Duel):
    discount = 0.8


@pytest.mark.parametrize("model", [Duel(), DiscountedDuel()], ids=repr)
@pytest.mark.parametrize("root", [np.zeros(2), np.array([0.1, 1.0])], ids=["first player", "second player"])
@pytest.mark.parametrize(
    ("simulations", "given"), [(1_100, {}), (300, {"new_visits": 0.5, "policy_visits": 2.0, "max_depth": 3})]
)
def test_is_algorithm_8(model, root, simulations, given):
    rng, oracle_rng = np.random.default_rng(3), np.random.default_rng(3)
    names = {"new_visits": "new", "policy_visits": "policy"}
    visits, means = algorithm_8(
        model, root, simulations, oracle_rng, **{names.get(name, name): v for name, v in given.items()}
    )
    decision = planners.make("abstraction", **given).plan(model, root, Budget(simulations), rng)
    np.testing.assert_array_equal(decision.visits, visits)
    np.testing.assert_allclose(decision.values, means)
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


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

    plan = planners.make("abstraction").plan
    wide = plan(Duel(), np.zeros(2), Budget(3_000), np.random.default_rng(2))
    monkeypatch.setattr(resumable, "FIRST_SIMULATIONS", 1)
    narrow = plan(Duel(), np.zeros(2), Budget(3_000), np.random.default_rng(2))
    np.testing.assert_array_equal(wide.values, narrow.values)


def test_roots_that_this_kind_of_model_cannot_have():
    with pytest.raises(TypeError, match=r"Duel.*root='trie'"):
        planners.make("abstraction", root="trie").plan(Duel(), np.zeros(2), Budget(10), np.random.default_rng(0))


def test_root_actions_are_the_only_ones():
    own = np.array([[0.3], [0.6]])
    decision = planners.make("abstraction").plan(Duel(), np.zeros(2), Budget(100), np.random.default_rng(0), own)
    np.testing.assert_array_equal(decision.actions, own)
    assert decision.visits.sum() == decision.simulations == 100


def test_fewer_simulations_than_actions_try_any():
    tried = set()
    for seed in range(20):
        decision = planners.make("abstraction").plan(Duel(), np.zeros(2), Budget(1), np.random.default_rng(seed))
        assert sorted(decision.visits.tolist()) == [0, 1]
        assert decision.action[0] == decision.actions[decision.visits == 1, 0]
        tried.add(decision.action[0])
    assert len(tried) == 2


def test_uct_takes_the_sets_of_each_state():
    for x, t, best in [(0.1, 0.0, 0.75), (0.1, 1.0, 0.25), (0.1, 3.0, 0.25)]:
        decision = planners.make("uct").plan(Duel(), np.array([x, t]), Budget(3_000), np.random.default_rng(1))
        assert sorted(decision.actions[:, 0]) == [0.25, 0.5, 0.75]
        assert decision.action[0] == best, (x, t)
    twin = planners.make("uct").plan(python_twin(Duel()), np.array([x, t]), Budget(300), np.random.default_rng(1))
    fast = planners.make("uct").plan(Duel(), np.array([x, t]), Budget(300), np.random.default_rng(1))
    np.testing.assert_array_equal(twin.values, fast.values)


@compiled("step")
def cards_step(state, action, next_state, params, rng):
    place = (3 * state[0] + 5 * action[0] + 1) % 11
    next_state[0], next_state[1] = place, state[1] + 1.0
    return (7 * place + 3 * action[0] + state[1]) % 13 / 13.0, False


@compiled("actions")
def cards_actions(state, params, out, keys):
    count = 1 + int(state[0]) % 4
    for i in range(count):
        out[i, 0] = (2 * i + state[0]) % 8
        keys[i] = np.uint64(out[i, 0] + 1.0)
    return count


@compiled("sample_action")
def cards_sample(state, action, params, rng):
    action[0] = (2 * int(rng.random() * (1 + int(state[0]) % 4)) + state[0]) % 8


@dataclass(frozen=True)
class Cards(UnitBox):
    """Five steps over 11 places without noise, in each of which one to four actions lead on; rewards have no order."""

    discrete = True
    max_actions, horizon, state_dim, time_index = 4, 5, 2, 1
    action_high = np.full(1, 7.0)
    state_low, state_high = np.zeros(2), np.array([11.0, 5.0])
    step = staticmethod(cards_step)
    actions = staticmethod(cards_actions)
    sample_action = staticmethod(cards_sample)

    def values(self, place, time):
        """The optimal return of each action."""
        found, rng = {}, np.random.default_rng(0)
        for i in range(1 + place % 4):
            action, after = float((2 * i + place) % 8), np.empty(2)
            reward, _ = self.step(np.array([place, time], float), np.array([action]), after, self.params, rng)
            later = 0.0 if time == self.horizon - 1 else max(self.values(int(after[0]), time + 1).values())
            found[action] = reward + later
        return found


@pytest.mark.parametrize("place", [1, 2, 3, 5, 6, 7, 9, 10])
def test_many_simulations_find_the_best_listed_action(place):
    """Without noise the returns of a state spread no more once one action is chosen; others need a bonus still."""
    values = Cards().values(place, 0)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        decision = planners.make("adaptive").plan(Cards(), np.array([place, 0.0]), Budget(10_000), rng)
        assert values[float(decision.action[0])] == max(values.values())
