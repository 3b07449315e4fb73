"""Proposals of iCEM to `adaptive`."""

from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.adaptive.proposals import Proposals, takes_proposals
from bonspiel.planners.core.returns import InvalidRollouts
from tests.planners.tiny_models import Handover

MODEL = envs.make_model("family:linear_quadratic", instance=30, dim=3, noise=0.0)
START = MODEL.initial_state(np.random.default_rng(0))
STEPS = 20


def proposals(model=MODEL):
    return Proposals(planners.make("adaptive"), model)


def known(value=0.0):
    return np.full((STEPS, 3), value)


class Proposing:
    """Proposes always the same, and notes the budgets."""

    def __init__(self, plan):
        self.plans, self.budgets = plan, []

    def plan(self, state, budget, rng):
        self.budgets.append(budget)
        if self.plans is None:
            raise InvalidRollouts("all rollouts are invalid")
        return SimpleNamespace(plan=self.plans, simulations=budget.simulations, invalid=2)


def test_they_are_for_real_coordinates_of_one_player_many_or_in_long_episodes():
    assert takes_proposals(MODEL)
    assert takes_proposals(envs.Pendulum())
    assert takes_proposals(envs.make_model("family:trap", instance=1, dim=3))
    assert not takes_proposals(envs.Trap())
    assert not takes_proposals(Handover())
    whole = SimpleNamespace(action_low=np.zeros(3), action_high=np.ones(3), action_kinds=("real", "real", "integer"))
    assert not takes_proposals(whole)


def test_the_first_simulations_are_the_trees():
    rng, before = np.random.default_rng(0), np.random.default_rng(0)
    mine = known()
    assert proposals().propose(mine, START, Budget(simulations=70), rng) == (mine, 0, 0)
    assert rng.random() == before.random()


@pytest.mark.parametrize("simulations", [100, 1000])
def test_all_simulations_of_the_budget_are_made(simulations):
    decision = planners.make("adaptive").plan(MODEL, START, Budget(simulations=simulations), np.random.default_rng(0))
    assert decision.simulations == simulations and decision.plan.shape == (STEPS, 3)


def test_a_better_sequence_is_taken_for_its_steps_and_a_worse_one_is_not():
    # the state is to come to rest: far actions cost more than none
    better, budget, rng = proposals(), Budget(simulations=100), np.random.default_rng(0)
    better._search = Proposing(known()[:5])
    found = better.propose(known(MODEL.action_high[0]), START, budget, rng)
    assert (found.sequence[:5] == 0.0).all() and (found.sequence[5:] == MODEL.action_high[0]).all()
    assert (found.simulations, found.invalid) == (32 + 6, 2)
    worse = proposals()
    worse._search = Proposing(known(MODEL.action_high[0]))
    assert (worse.propose(known(), START, budget, rng).sequence == 0.0).all()


def test_their_part_falls_where_they_are_never_better_and_rises_again():
    one, budget, rng = proposals(), Budget(simulations=1060), np.random.default_rng(0)
    one._search = Proposing(known(MODEL.action_high[0]))
    for _ in range(20):
        one.propose(known(), START, budget, rng)
    parts = [part.simulations for part in one._search.budgets]
    assert parts[0] == 800 and parts == sorted(parts, reverse=True) and parts[-1] == pytest.approx(800 / 6, abs=3)
    one._search.plans = known()
    for _ in range(20):
        one.propose(known(MODEL.action_high[0]), START, budget, rng)
    assert one._search.budgets[-1].simulations == pytest.approx(800, abs=10)


def test_where_all_rollouts_are_invalid_the_known_sequence_stays():
    one, mine = proposals(), known()
    one._search = Proposing(None)
    assert one.propose(mine, START, Budget(simulations=100), np.random.default_rng(0)) == (mine, 32, 32)


def test_a_part_of_the_time_is_theirs():
    one = proposals()
    assert one._part(Budget(seconds=1.0)) is None  # nobody knows how many simulations that is
    one.decided(120)
    assert one._part(Budget(seconds=1.0)).seconds == pytest.approx(0.4)
    one.decided(50)
    assert one._part(Budget(seconds=1.0)) is None


def test_a_search_without_memory_decides_as_a_single_plan_does():
    planner, budget = planners.make("adaptive", memory=0.0), Budget(simulations=120)
    search = planners.begin_episode(planner, MODEL)
    for seed in range(3):
        single = planner.plan(MODEL, START, budget, np.random.default_rng(seed))
        again = search.plan(START, budget, np.random.default_rng(seed))
        assert again.action.tolist() == single.action.tolist() and again.value == single.value
