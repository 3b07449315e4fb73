"""Random shooting: the best of many random action sequences, the baseline of planners over sequences."""

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.aliases import takes_aliases
from bonspiel.planners.checks import require_count, steps_left
from bonspiel.planners.kinds import KINDS, kind_codes, placed
from bonspiel.planners.planner import Traits, check_plan
from bonspiel.planners.sequences.plans import SEQUENCE_TRAITS, SequenceSearch, plan_with_sequences
from bonspiel.planners.spaces import SEQUENCES, Choice, Parameters

ROUND = 256  # sequences drawn at once


class _Rounds:
    """The rounds of a decision: sequences drawn alike, of which the best stays."""

    def __init__(self, planner: "RandomShooting", model: Model, steps: int, budget: Budget, rng: Rng) -> None:
        self.planner, self.model, self.steps, self.rng = planner, model, steps, rng
        self.size, self.best, self.best_return = ROUND, np.empty((0, 0)), -np.inf
        if budget.simulations is not None:
            self.resize(budget.simulations)

    def resize(self, simulations: int) -> None:
        self.size = min(ROUND, -(-simulations // self.planner.repeats))

    def propose(self) -> Array:
        low, high, hold = self.model.action_low, self.model.action_high, self.planner.hold
        actions = self.rng.random((self.size, -(-self.steps // hold), len(low)))
        if len(kind_codes(self.model)) > 0:
            actions = placed(self.model, actions)
        else:
            actions *= high - low
            actions += low
        actions = np.repeat(actions, hold, axis=1)[:, : self.steps]
        if len(self.best) == 0:
            self.best = actions[0]  # until one has been rolled out
        return actions

    def learn(self, actions: Array, returns: Array) -> None:
        if len(returns) and returns.max() > self.best_return:
            self.best, self.best_return = actions[returns.argmax()], returns.max()

    def finalists(self) -> Array:
        if len(self.best) == 0:
            self.propose()
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

    traits: ClassVar[Traits] = replace(SEQUENCE_TRAITS, action_kinds=KINDS)
    tuning: ClassVar[Parameters] = {**SEQUENCES, "hold": Choice((1, 2, 4, 8))}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("hold", self.hold)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        rounds = _Rounds(self, model, steps_left(model, state, self.lookahead), budget, rng)
        return plan_with_sequences(rounds, self.repeats, model, state, budget, rng, start, self.sight)
