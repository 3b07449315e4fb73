"""Random actions, the baseline of every planner."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bonspiel.planners.checks import check_actions, steps_left
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits, check_plan


@dataclass(frozen=True)
class RandomPlanner:
    """Draws the action from the model's `sample_action`, or uniformly from `root_actions`; the budget is not used."""

    traits: ClassVar[Traits] = Traits(converges=False, action_kinds=KINDS, rolls_out=False)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action at random; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        steps_left(model, state)
        action = np.empty(len(model.action_low))
        if root_actions is None:
            model.sample_action(state, action, model.params, rng)
        else:
            root_actions = check_actions(model, root_actions)
            action[:] = root_actions[int(rng.integers(len(root_actions)))]
        nothing = np.full(1, np.nan)
        return Decision(action, np.nan, 0, time.perf_counter() - start, action[None], np.zeros(1, np.int64), nothing)
