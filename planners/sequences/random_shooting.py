"""Random shooting: the best of many random action sequences, the baseline of planners over sequences."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.aliases import takes_aliases
from bonspiel.planners.checks import require_count, steps_left
from bonspiel.planners.planner import check_plan
from bonspiel.planners.sequences.plans import SequenceSearch, plan_with_sequences
from bonspiel.planners.spaces import SEQUENCES, Choice, Parameters

ROUND = 256  # sequences drawn at once


class _Rounds:
    """The rounds of a decision: sequences drawn alike, of which the best stays."""

    def __init__(self, model: Model, steps: int, hold: int, size: int, rng: Rng) -> None:
        self.model, self.steps, self.hold, self.size, self.rng = model, steps, hold, size, rng
        self.best, self.best_return = np.empty((0, 0)), -np.inf

    def propose(self) -> Array:
        low, high = self.model.action_low, self.model.action_high
        actions = self.rng.random((self.size, -(-self.steps // self.hold), len(low)))
        actions *= high - low
        actions += low
        actions = np.repeat(actions, self.hold, axis=1)[:, : self.steps]
        if len(self.best) == 0:
            self.best = actions[0]  # until one has been rolled out
        return actions

    def learn(self, actions: Array, returns: Array) -> None:
        if len(returns) and returns.max() > self.best_return:
            self.best, self.best_return = actions[returns.argmax()], returns.max()

    def finalists(self) -> Array:
        return self.best[None]


@takes_aliases
@dataclass(frozen=True)
class RandomShooting(SequenceSearch):
    """Plays the first action of the best of many random sequences.

    The last rollouts of the budget go to the best sequence and value it, since the highest of many noisy returns is
    too high.

    Args:
        hold: steps that an action is held, at least 1; with more than 1, sequences are piecewise constant.
    """

    hold: int = 1

    tuning: ClassVar[Parameters] = {**SEQUENCES, "hold": Choice((1, 2, 4, 8))}

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        require_count("hold", self.hold)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        size = ROUND if budget.simulations is None else min(ROUND, -(-budget.simulations // self.repeats))
        rounds = _Rounds(model, steps_left(model, state, self.lookahead), self.hold, size, rng)
        return plan_with_sequences(rounds, self.repeats, model, state, budget, rng, start)
