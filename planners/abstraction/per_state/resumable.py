"""One resumable search of the abstraction tree over state-dependent actions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.per_state.search import PerStateSettings, evaluate, search
from bonspiel.planners.abstraction.per_state.trie import PerStateTrie, grow, new_trie, new_walk
from bonspiel.planners.core.bandit import new_bandit
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.rounds import new_rounds
from bonspiel.planners.core.search import decide, extend
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
        problem = self._problem._replace(steps=max(1, self._problem.steps - 1))
        trie = self._trie._replace(rounds=new_rounds(states, order, sums))
        self._trie, done = self._extend(evaluate, trie, problem, budget)
        return done

    def decide(self, actions: Array, budget: Budget, start: float) -> Decision:
        """Choose one of the actions, [B, action_dim], by simulations with noise; `start` is when the plan began."""
        bandit = new_bandit(actions)

        def decided(_: PerStateTrie, simulations: int) -> Decision:
            return decide(
                bandit.actions, bandit.visits, bandit.value, simulations, start, problem=self._problem, given=True
            )

        trie = self._trie._replace(bandit=bandit)
        self._trie, done = self._extend(search, trie, self._problem, budget, start, decided)
        return decided(self._trie, done)

    def _extend(
        self,
        kernel: Any,
        trie: PerStateTrie,
        problem: Problem,
        budget: Budget,
        start: float | None = None,
        so_far: Callable[[PerStateTrie, int], Decision] | None = None,
    ) -> tuple[PerStateTrie, int]:
        walk, settings, room = self._walk, self._settings, grow
        grown, done = extend(
            kernel, self.model, trie, walk, problem, settings, room, budget, self.rng, start, self._held, so_far
        )
        self._held += done
        return grown, done
