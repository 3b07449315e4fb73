"""The score of an action and its options, by hand."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.core.tree.selection import UCB1, UCB1_TUNED, UCB_V, Terms, score
from bonspiel.planners.jit import compiled
from tests.planners.tiny_models import Bandit, bandit_step

# mean 1, 4 visits, variance 0.25
ROW = np.array([[1.0, 0.5, 0.25]])
ROOT = math.sqrt(2.0 * math.log(20))  # 20 visits of the node
LOG = math.log(20)


@pytest.mark.parametrize("c", [1.0, 3.0])
def test_scores_are_those_of_the_papers(c):
    assert score(ROW, 0, Terms(c, ROOT, 0.0, UCB1)) == pytest.approx(1 + c * math.sqrt(2 * LOG / 4))
    assert score(ROW, 0, Terms(c, ROOT, 0.0, UCB_V)) == pytest.approx(
        1 + math.sqrt(2 * 0.25 * LOG / 4) + 3 * c * LOG / 4
    )
    assert score(ROW, 0, Terms(c, ROOT, 0.0, UCB1_TUNED)) == pytest.approx(1 + math.sqrt(LOG / 4 * c * c / 4))


def test_ucb1_tuned_explores_less_where_returns_vary_less():
    many = np.array([[1.0, 0.001, 0.01]])  # a million visits
    bound = 0.01 + math.sqrt(2 * LOG / 1e6)
    assert score(many, 0, Terms(1.0, ROOT, 0.0, UCB1_TUNED)) == pytest.approx(
        1 + math.sqrt(LOG / 1e6 * bound), rel=1e-12
    )
    assert bound < 0.25


@compiled("step")
def large_step(state, action, next_state, params, rng):
    reward, terminated = bandit_step(state, action, next_state, params, rng)
    return 1024.0 * reward - 2048.0, terminated


@dataclass(frozen=True)
class LargeBandit(Bandit):
    """A bandit with returns near -1,500."""

    step = staticmethod(large_step)


def visits(text, model):
    return planners.parse(text).plan(model, np.zeros(1), Budget(1_000), np.random.default_rng(1)).visits.tolist()


@pytest.mark.parametrize("bonus", ["ucb1", "ucb_v", "ucb1_tuned"])
def test_a_scaled_exploration_does_not_depend_on_the_units_of_returns(bonus):
    text = f"uct:scale_exploration=true,bonus={bonus}"
    assert visits(text, Bandit()) == visits(text, LargeBandit())
    assert visits(f"uct:bonus={bonus}", Bandit()) != visits(f"uct:bonus={bonus}", LargeBandit())


def test_an_action_is_not_tried_until_it_is_urgent():
    """Actions of a bandit earn about 0.3 or 0.6: without exploration, nothing else is tried for a hope of 0.2."""
    assert len(visits("uct:first_play=0.2,exploration=0", Bandit())) == 1
    assert len(visits("uct:first_play=0.8,exploration=0", Bandit())) == 8


def test_first_play_urgency_holds_for_given_root_actions():
    given = np.array([[0.7], [0.1], [0.8]])
    planner = planners.parse("dpw:first_play=0.2,exploration=0")
    decision = planner.plan(Bandit(), np.zeros(1), Budget(100), np.random.default_rng(0), given)
    assert sorted(decision.visits.tolist()) == [0, 0, 100]
    assert np.isnan(decision.values).sum() == 2


@pytest.mark.parametrize("bad", [1, -2, 2.5, True])
def test_blind_values_need_a_choice(bad):
    with pytest.raises(ValueError, match=r"blind_values=.*0 or a whole number above 1"):
        planners.make("pw", blind_values=bad)
