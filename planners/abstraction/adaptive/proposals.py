"""Sequences of actions that iCEM proposes to the search.

Few changes of one sequence are better than noise, and in many coordinates cells of actions are few, while rounds of
sequences from a Gaussian that moves to the best of them gain with every coordinate (Pinneri et al. 2020). In a box
wider than needed these find nothing. So they have a part of the simulations that is the larger, the more often their
sequence was better than the one that was known.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from bonspiel.planners.checks import offers
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.returns import InvalidRollouts
from bonspiel.planners.kinds import kind_codes
from bonspiel.planners.model import Array, HasPlayer, Model, Rng
from bonspiel.planners.planner import Budget
from bonspiel.planners.sequences.icem import ICEM
from bonspiel.planners.sequences.rollouts import Rollouts, mean_returns, new_round

MANY = 3  # coordinates, in which the tree's actions are few
LONG = 10  # steps of an episode; in a shorter one the tree learns each step
TREE_FIRST = 60.0  # simulations of a decision that are not shared
MOST = 0.8  # of the others
COMPARED = 3  # rollouts of the proposed and of the known sequence
KEPT = 0.8  # of how often proposals were better, from decision to decision
FEWEST = 4  # simulations, with which a proposal is worth anything


def takes_proposals(model: Model) -> bool:
    """True if the actions of a model are of one player and real, and have many coordinates or long episodes."""
    is_large = len(model.action_low) >= MANY or model.horizon >= LONG
    return is_large and len(kind_codes(model)) == 0 and not offers(model, HasPlayer)


class Proposed(NamedTuple):
    """A sequence to begin with, [steps, action_dim], its simulations, and how many of these were invalid."""

    sequence: Array
    simulations: int
    invalid: int


class Proposals:
    """The proposals for the decisions of an episode.

    Args:
        planner: an AdaptiveAbstraction.
        model: one that `takes_proposals`.
    """

    def __init__(self, planner: Any, model: Model) -> None:
        longest = ICEM().lookahead if planner.lookahead is None else planner.lookahead
        self._model, self._search = model, cast(Any, ICEM(memory=1.0, lookahead=longest).begin_episode(model))
        self._better, self._tries = 1.0, 1.0
        self._simulations = 0  # of the last decision, which tell how many a budget of seconds has

    def propose(self, known: Array, state: Array, budget: Budget, rng: Rng) -> Proposed:
        """The better of the known sequence and of one with a proposal for its first steps.

        Args:
            known: [steps, action_dim].
            state: where to plan, [state_dim].
            budget: of the whole decision.
            rng: the source of every random draw.
        """
        part = self._part(budget)
        if part is None:
            return Proposed(known, 0, 0)
        try:
            decision = self._search.plan(state, part, rng)
        except InvalidRollouts:
            spent = part.simulations or 0
            return Proposed(known, spent, spent)
        proposed, steps = known.copy(), min(len(known), len(decision.plan))
        proposed[:steps] = decision.plan[:steps]
        pair = new_round(np.stack([proposed[:steps], known[:steps]]))
        problem = problem_of(self._model, state, steps)
        done = Rollouts(self._model, problem, 1.0, rng).run(pair, COMPARED, 2 * COMPARED)
        returns = mean_returns(pair, problem)
        is_better = bool(returns[0] > returns[1])
        self._better = 1.0 + KEPT * (self._better - 1.0) + is_better
        self._tries = 1.0 + KEPT * (self._tries - 1.0) + 1.0
        return Proposed(
            proposed if is_better else known, decision.simulations + done, decision.invalid + int(pair.invalid.sum())
        )

    def decided(self, simulations: int) -> None:
        """Note how many simulations the decision had."""
        self._simulations = simulations

    def start_from(self, plan: Array) -> None:
        """Begin with a plan, [any, action_dim]."""
        self._search.start_from(plan)

    def _part(self, budget: Budget) -> Budget | None:
        """The part of a budget for the proposal; None for nothing."""
        simulations = self._simulations if budget.simulations is None else budget.simulations
        share = MOST * self._better / self._tries * max(1.0 - TREE_FIRST / max(simulations, 1.0), 0.0)
        if share * simulations < FEWEST + 2 * COMPARED:
            return None
        if budget.simulations is not None:
            return Budget(simulations=int(share * simulations))
        return Budget(seconds=share * (budget.seconds or 0.0))
