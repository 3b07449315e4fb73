"""Continuous RAVE against a plain recursion that sums up all simulations anew for every selection."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from tests.planners.oracles import TreeOracle
from tests.planners.tiny_models import Bandit, Chain, Duel, Handover


class RaveOracle(TreeOracle):
    """DPW with the RAVE values of Couetoux et al. 2011."""

    def __init__(self, model, rng, equivalence, bandwidth, state_bandwidth, **rule):
        super().__init__(model, rng, outcomes=(1, 0.25), **rule)
        self.equivalence, self.bandwidth, self.state_bandwidth = equivalence, bandwidth, state_bandwidth
        self.path, self.passed = [], {}

    def simulate(self, node, left, budget):
        """Keep [(node, action), ...] from each node on, and the return from there."""
        depth = len(self.path)
        self.path.append(None)
        value, weight = super().simulate(node, left, budget)
        self.passed.setdefault(id(node), []).append((self.path[depth:], node.player * value))
        if depth == 0:
            self.path = []
        return value, weight

    def follow(self, edge, node):
        self.path[-1] = node, edge.action
        return super().follow(edge, node)

    def kernel(self, node, action, other, played, precision):
        low, high = self.model.action_low, self.model.action_high
        off = sum(((action - played) / (high - low) / self.bandwidth) ** 2)
        if self.state_bandwidth:
            weights = getattr(self.model, "distance_weights", np.ones(len(node.state)))
            pairs = zip(weights, node.state, other.state, strict=True)
            off += sum(w * (a - b) ** 2 / self.state_bandwidth**2 for w, a, b in pairs if a != b)
        return math.exp(-precision * off) if precision else 1.0

    def scores(self, node):
        precision = math.floor(math.log2(node.visits)) * math.log(2) if node.visits else 0.0
        result = []
        for edge, score in zip(node.edges, super().scores(node), strict=True):
            weight = rave = 0.0
            for played, gain in self.passed.get(id(node), []):
                alike = (pair for pair in played if pair[0].player == node.player)
                near = sum(self.kernel(node, edge.action, *pair, precision) for pair in alike)
                weight, rave = weight + near, rave + near * gain
            beta = math.sqrt(self.equivalence / (3 * edge.visits + self.equivalence)) if weight else 0.0
            result.append(score + (beta * (rave / weight - edge.mean) if weight else 0.0))
        return result


@dataclass(frozen=True)
class DiscountedChain(Chain):
    """With a state kernel in which the state has to be equal."""

    distance_weights = np.array([np.inf])


MODELS = [
    Bandit(),
    Chain(),
    DiscountedChain(),
    Handover(),
    Duel(),
]  # not those whose few rewards tie: sums in another order are not equal


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("state_bandwidth", [None, 0.5])
def test_is_continuous_rave_on_dpw(model, state_bandwidth):
    rng, oracle_rng = np.random.default_rng(11), np.random.default_rng(11)
    given = {"equivalence": 30.0, "bandwidth": 0.3, "state_bandwidth": state_bandwidth}
    planner = planners.make("crave", alpha_action=0.5, **given)
    decision = planner.plan(model, model.initial_state(None), Budget(60), rng)
    oracle = RaveOracle(model, oracle_rng, actions=(1, 0.5), **given)
    edges = oracle.search(model.initial_state(None), model.horizon, 60)
    assert decision.visits.tolist() == [edge.visits for edge in edges]
    assert decision.actions.tolist() == [edge.action.tolist() for edge in edges]
    assert decision.values.tolist() == [edge.mean for edge in edges]
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


def test_without_equivalence_it_is_dpw():
    state = np.zeros(2)
    crave, dpw = (
        planners.parse(text).plan(envs.Trap(), state, Budget(500), np.random.default_rng(2))
        for text in ("crave:equivalence=0", "dpw:leaf=tree,k_action=1")
    )
    assert crave.visits.tolist() == dpw.visits.tolist()
    assert crave.values.tolist() == dpw.values.tolist()
