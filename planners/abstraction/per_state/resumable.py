"""One resumable search of the abstraction tree over state-dependent actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.per_state.search import PerStateSettings, evaluate, search
from bonspiel.planners.abstraction.per_state.trie import PerStateTrie, grow, new_trie, new_walk
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.rounds import new_rounds
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.core.tree.bandit import new_bandit
from bonspiel.planners.model import Array, HasActions, Rng
from bonspiel.planners.planner import Budget, Decision

FIRST_SIMULATIONS = 4_096


class PerStateSearch:
    """A trie and the arguments of its kernels.

    Args:
        model: one that has `actions` and `max_actions`.
        problem: the decision's own, with the parameters of its cells.
        rng: the source of every random draw.
        settings: the parameters; with negative `tree_steps` all steps are chosen in the trie.
        expected: simulations to have room for at once.
    """

    def __init__(
        self, model: HasActions, problem: Problem, rng: Rng, settings: PerStateSettings, expected: int | None
    ) -> None:
        """Make an empty trie."""
        self.model, self.rng, self._settings = model, rng, settings
        self._problem = problem
        steps, max_depth = problem.steps, len(settings.weights) - 1
        self._trie = new_trie(steps, max_depth, min(expected or FIRST_SIMULATIONS, FIRST_SIMULATIONS))
        self._held = 0  # simulations that the trie has statistics of
        self._walk = new_walk(model.state_dim, len(model.action_low), steps, model.max_actions, max_depth)

    def evaluate(self, states: Array, order: NDArray[np.int64], sums: Array, budget: Budget) -> int:
        """Add the returns of simulations from states one step ahead; see `planners.planner.ResumableSearch`."""
        problem = self._problem._replace(steps=self._problem.steps - 1)
        trie = self._trie._replace(rounds=new_rounds(states, order, sums))
        self._trie, done = self._extend(evaluate, trie, problem, budget)
        return done

    def decide(self, actions: Array, budget: Budget, start: float) -> Decision:
        """Choose one of the actions, [B, action_dim], by simulations with noise; `start` is when the plan began."""
        bandit = new_bandit(actions)

        def decided(_: PerStateTrie, simulations: int, rng: Rng) -> Decision:
            return decide(bandit.actions, bandit.visits, bandit.value, simulations, start, rng, problem=self._problem)

        trie = self._trie._replace(bandit=bandit)
        self._trie, done = self._extend(search, trie, self._problem, budget, start=start, decide=decided)
        return decided(self._trie, done, self.rng)

    def _extend(
        self, kernel: Any, trie: PerStateTrie, problem: Problem, budget: Budget, **given: Any
    ) -> tuple[PerStateTrie, int]:
        """Extend the trie by one of the two kernels; `given` are further arguments of `core.search.extend`."""
        grown, done = extend(
            kernel,
            trie,
            self._walk,
            problem,
            model=self.model,
            settings=self._settings,
            budget=budget,
            rng=self.rng,
            grow=grow,
            earlier=self._held,
            **given,
        )
        self._held += done
        return grown, done
