import math

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.search import CLOSING_SECONDS
from tests.planners.oracles import Edge, TreeOracle, fixed_actions, proposed_actions
from tests.planners.tiny_models import Bandit, Chain, Duel, Handover, Target


def decide(model, simulations, actions=None, seed=0, **given):
    planner, state = planners.make("sequential_halving", **given), model.initial_state(None)
    return planner.plan(model, state, Budget(simulations), np.random.default_rng(seed), actions)


def test_rounds_halve_the_actions_and_share_the_budget():
    """240 of 720 in each of 3 rounds: 8 actions 30 times, the better 4 60 times more, then 2 of them 120 times more."""
    decision = decide(Bandit(), 720, n_root_actions=8)
    assert sorted(decision.visits.tolist()) == [30, 30, 30, 30, 90, 90, 210, 210]
    assert (decision.visits[4:] >= 90).all()  # those that earn 0.6
    assert decision.action[0] >= 0.5


def test_the_last_one_left_is_played():
    """The two of the last round have the same visits; the one with the higher mean wins."""
    decision = decide(Bandit(), 96, np.array([[0.7], [0.2], [0.9]]))
    last = np.flatnonzero(decision.visits == decision.visits.max())
    assert len(last) == 2
    assert decision.value == decision.values[last].max()


@pytest.mark.parametrize(("simulations", "visits"), [(3, [1, 1, 1, 0]), (4, [1, 1, 1, 1]), (5, [1, 1, 1, 2])])
def test_each_action_is_tried_before_any_is_dropped(simulations, visits):
    decision = decide(Bandit(), simulations, np.array([[0.1], [0.2], [0.3], [0.9]]))
    assert sorted(decision.visits.tolist()) == sorted(visits)
    assert simulations < 5 or decision.visits[3] == 2


def test_a_round_takes_its_part_of_the_seconds(ticking):
    """With 2 rounds, 4 actions share half of the time and 2 the other half, so that those have about 3/4 of it."""
    actions = np.array([[0.1], [0.2], [0.6], [0.9]])
    decide(Bandit(), 4, actions)  # loads compiled code
    ticking(0.0004)
    planner, rng = planners.make("sequential_halving"), np.random.default_rng(0)
    decision = planner.plan(Bandit(), np.zeros(1), Budget(seconds=0.1), rng, actions)
    assert 0.1 - 1.01 * CLOSING_SECONDS <= decision.seconds < 0.102
    assert 0.7 < decision.visits[2:].sum() / decision.simulations < 0.8


def test_actions_that_a_short_round_does_not_reach_are_spread_over_the_set():
    planner = planners.make("sequential_halving", n_root_actions=64)
    model = envs.parse("treasure_hunt:size=15")
    decision = planner.plan(model, model.initial_state(None), Budget(seconds=1e-6), np.random.default_rng(0))
    (tried,) = np.nonzero(decision.visits)
    assert len(tried) < 32
    assert tried.tolist() != list(range(len(tried)))


class HalvingOracle(TreeOracle):
    """Karnin, Koren, Somekh 2013 on the root's actions, UCT below."""

    def choose(self, node):
        if node is self.root:
            return min(self.left, key=lambda edge: edge.visits)
        return super().choose(node)

    def halve(self, state, steps, budget, actions):
        self.root = self.node(np.array(state, float))
        self.root.edges = [Edge(action) for action in actions]
        self.left = [self.root.edges[i] for i in self.rng.permutation(len(actions))]
        done, rounds = 0, math.ceil(math.log2(len(actions)))
        for number in range(1, rounds + 1):
            until = min(max(budget * number // rounds, done + len(self.left)), budget)
            for _ in range(done, until):
                self.simulate(self.root, steps, 1)
            done = max(done, until)
            ranked = sorted(self.left, key=lambda edge: -edge.mean)
            self.left = ranked[: math.ceil(len(ranked) / 2)]
        return self.left[0]


@pytest.mark.parametrize("model", [Bandit(), Chain(), Handover(), Target(), Duel(), envs.Trap()], ids=repr)
@pytest.mark.parametrize("simulations", [40, 300])
def test_equals_a_plain_recursion(model, simulations):
    state, rng, oracle_rng = model.initial_state(None), np.random.default_rng(7), np.random.default_rng(7)
    planner = planners.make("sequential_halving", n_root_actions=6, exploration=0.5)
    actions = fixed_actions(model, 6)(state)
    decision = planner.plan(model, state, Budget(simulations), rng, np.array(actions))
    below = proposed_actions(model) if hasattr(model, "actions") else fixed_actions(model, 8)
    oracle = HalvingOracle(model, oracle_rng, exploration=0.5, choices=below)
    best = oracle.halve(state, model.horizon, simulations, actions)
    assert decision.visits.tolist() == [edge.visits for edge in oracle.root.edges]
    assert decision.values.tolist() == [edge.mean for edge in oracle.root.edges]
    assert decision.action.tolist() == best.action.tolist()
    assert rng.bit_generator.state == oracle_rng.bit_generator.state
