"""Doing nothing, a baseline of every planner."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bonspiel.planners.checks import check_action, discrete_actions, offers, steps_left
from bonspiel.planners.kinds import KINDS, REAL, kind_codes
from bonspiel.planners.model import Array, HasNullAction, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits, check_plan


def null_action(model: Model) -> Array:
    """The action that does nothing, [action_dim].

    It is the model's `null_action`. Without one, each coordinate is 0, or the bound nearest to 0 where 0 is out of
    bounds. Coordinates of a kind other than "real", as the model's `action_kinds` says, have a whole number.

    Raises:
        ValueError: the model's `null_action` is of the wrong shape or out of bounds.
    """
    if offers(model, HasNullAction):
        return check_action(model, model.null_action, "null_action")
    action = np.clip(np.zeros(len(model.action_low)), model.action_low, model.action_high)
    codes = kind_codes(model)
    if len(codes) > 0:
        whole = codes != REAL
        action[whole] = np.where(action > 0.0, np.ceil(action), np.floor(action))[whole]
    return action


@dataclass(frozen=True)
class DoNothing:
    """Plays the action that does nothing in every state, see `null_action`; the budget is not used."""

    traits: ClassVar[Traits] = Traits(takes_root_actions=False, converges=False, action_kinds=KINDS, rolls_out=False)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be played; see `planners.Planner`."""
        return None if offers(model, HasNullAction) else discrete_actions(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose the action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        steps_left(model, state)
        action, nothing = null_action(model), np.full(1, np.nan)
        return Decision(action, np.nan, 0, time.perf_counter() - start, action[None], np.zeros(1, np.int64), nothing)
