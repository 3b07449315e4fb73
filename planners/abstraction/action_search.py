"""One resumable search of the abstraction tree over state-dependent actions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.action_trie import ActionTrie, grow_action_trie, new_action_trie, new_action_walk
from bonspiel.planners.abstraction.state_actions import SetSettings, evaluate, search
from bonspiel.planners.core.bandit import new_bandit
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.rounds import new_rounds
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.model import Array, HasActions, Rng
from bonspiel.planners.planner import Budget, Decision

FIRST_SIMULATIONS = 4_096


class ActionSearch:
    """A trie and the arguments of its kernels.

    Args:
        model: one that has `actions` and `max_actions`.
        state: the decision's own, checked.
        rng: the source of every random draw.
        settings: the parameters; with negative `tree_steps` all steps are chosen in the trie.
        expected: simulations to have room for at once.
    """

    def __init__(self, model: HasActions, state: Array, rng: Rng, settings: SetSettings, expected: int | None) -> None:
        """Make an empty trie."""
        self.model, self.rng, self._settings = model, rng, settings
        self._problem = problem_of(model, state, cells=True)
        steps, max_depth = self._problem.steps, len(settings.weights) - 1
        self._trie = new_action_trie(steps, max_depth, min(expected or FIRST_SIMULATIONS, FIRST_SIMULATIONS))
        self._held = 0  # simulations that the trie has statistics of
        self._walk = new_action_walk(model.state_dim, len(model.action_low), steps, model.max_actions, max_depth)

    def evaluate(self, states: Array, order: NDArray[np.int64], sums: Array, budget: Budget) -> int:
        """Add the returns of simulations from states one step ahead; see `planners.planner.ResumableSearch`."""
        problem = self._problem._replace(steps=max(1, self._problem.steps - 1))
        trie = self._trie._replace(rounds=new_rounds(states, order, sums))
        self._trie, done = self._extend(evaluate, trie, problem, budget)
        return done

    def decide(self, actions: Array, budget: Budget, start: float) -> Decision:
        """Choose one of the actions, [B, action_dim], by simulations with noise; `start` is when the plan began."""
        bandit = new_bandit(actions)

        def decided(_: ActionTrie, simulations: int) -> Decision:
            return decide(bandit.actions, bandit.visits, bandit.value, simulations, start)

        trie = self._trie._replace(bandit=bandit)
        self._trie, done = self._extend(search, trie, self._problem, budget, start, decided)
        return decided(self._trie, done)

    def _extend(
        self,
        kernel: Any,
        trie: ActionTrie,
        problem: Problem,
        budget: Budget,
        start: float | None = None,
        so_far: Callable[[ActionTrie, int], Decision] | None = None,
    ) -> tuple[ActionTrie, int]:
        walk, settings, room = self._walk, self._settings, grow_action_trie
        grown, done = extend(
            kernel, self.model, trie, walk, problem, settings, room, budget, self.rng, start, self._held, so_far
        )
        self._held += done
        return grown, done
