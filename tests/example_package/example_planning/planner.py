from dataclasses import dataclass

import numpy as np

from bonspiel.planners import Decision
from bonspiel.planners.planner import check_plan

NUMBER = 3


@dataclass(frozen=True)
class Middle:
    """Always the same share of the way from the smallest to the largest action."""

    share: float = 0.5

    def plan(self, model, state, budget, rng, root_actions=None):
        check_plan(self, model, state, budget, rng)
        action = model.action_low + self.share * (model.action_high - model.action_low)
        actions = action[None] if root_actions is None else root_actions
        return Decision(actions[0], np.nan, 1, 0.0, actions, np.ones(len(actions), np.int64), np.zeros(len(actions)))
