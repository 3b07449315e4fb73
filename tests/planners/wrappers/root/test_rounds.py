"""Workers that share their statistics from round to round."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget, Decision
from bonspiel.planners.wrappers.root import Root


def plan(text, budget, seed=0, root_actions=None):
    return planners.parse(text).plan(
        envs.Trap(), np.zeros(2), Budget(budget), np.random.default_rng(seed), root_actions
    )


@pytest.mark.parametrize("inner", ["abstraction", "scaled_abstraction", "(abstraction:root=trie)"])
@pytest.mark.parametrize("share", ["each", "split"])
def test_one_round_decides_as_sum(inner, share):
    for seed in range(3):
        by_sum, by_tries = (
            plan(f"root:inner={inner},workers=5,share={share},combine={combine},run=one", 203, seed)
            for combine in ("sum", "tries")
        )
        assert by_tries.action.tolist() == by_sum.action.tolist()
        assert by_tries.visits.tolist() == by_sum.visits.tolist()
        assert by_tries.values.tolist() == by_sum.values.tolist()
        assert by_tries.simulations == by_sum.simulations


@pytest.mark.parametrize(("share", "total"), [("each", 5 * 203), ("split", 203)])
@pytest.mark.parametrize("rounds", [2, 7])
def test_rounds_spend_the_budget_and_root_actions_are_the_only_ones(share, total, rounds):
    actions = np.array([[0.1], [0.75]])
    decision = plan(
        f"root:inner=abstraction,workers=5,share={share},combine=tries,rounds={rounds}", 203, root_actions=actions
    )
    assert decision.simulations == decision.visits.sum() == total
    assert decision.actions.tolist() == actions.tolist()


def test_with_one_step_left_there_are_no_cells_to_share():
    planner = planners.parse("root:inner=abstraction,workers=3,combine=tries,rounds=2,run=one")
    decision = planner.plan(envs.Trap(), np.array([0.8, 1.0]), Budget(300), np.random.default_rng(0))
    assert decision.simulations == 900 and decision.action[0] >= 0.9


def test_what_workers_learned_in_one_round_they_know_in_the_next():
    one, two = (plan(f"root:inner=abstraction,workers=5,combine=tries,rounds={rounds}", 60) for rounds in (1, 2))
    assert one.visits.tolist() != two.visits.tolist()


@dataclass(frozen=True)
class DrawsOnly:
    """A planner whose searches are the sums of what they draw."""

    total: float = 0.0
    simulations: int = 0

    def plan(self, model, state, budget, rng, root_actions=None):
        raise AssertionError("root asks for a search to merge")

    def begin_mergeable(self, model, state, budget, rng, root_actions=None):
        return self

    def extended(self, budget, rng):
        draws = rng.random(budget.simulations).sum()
        return replace(self, total=self.total + draws, simulations=self.simulations + budget.simulations)

    def merged(self, parts):
        added = [(part.total - self.total, part.simulations - self.simulations) for part in parts]
        total, simulations = np.sum(added, axis=0)
        return DrawsOnly(self.total + total, self.simulations + int(simulations))

    def decide(self, start, rng):
        none = np.empty(0)
        return Decision(np.zeros(1), self.total, self.simulations, 0.0, np.empty((0, 1)), none.astype(int), none)


def test_any_planner_whose_searches_can_be_merged_plans_in_rounds():
    planner = Root(DrawsOnly(), workers=3, combine="tries", rounds=4, run="one")
    decision = planner.plan(envs.Trap(), np.zeros(2), Budget(10), np.random.default_rng(0))
    seeds = np.random.default_rng(0).integers(2**63, size=3)
    assert decision.simulations == 30
    assert decision.value == pytest.approx(sum(np.random.default_rng(seed).random(10).sum() for seed in seeds))
