"""One search of the abstraction tree over state-dependent actions, which goes on from call to call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planners.abstraction.action_trie import ActionTrie, grow_action_trie, new_action_trie
from planners.abstraction.state_actions import evaluate, search
from planners.base import Array, Budget, Decision, Model, Rng, steps_left
from planners.core.jit import functions_of, runner
from planners.core.search import decide, extend
from planners.core.tree import MEAN, UNTRIED
from planners.core.zobrist import box_bounds, box_cells

FIRST_SIMULATIONS = 4_096


class ActionSearch:
    """A trie and what its kernels need.

    Args:
        model: one that has `actions` and `max_actions`.
        state: the decision's own, checked.
        rng: the source of every random draw.
        max_depth: depth of the finest cells.
        tree_steps: steps by the tree's own rule, after which the model's rollout takes over.
        settings: (exploration, weights, thresholds, exponent, new visits, policy visits).
        expected: simulations for which there shall be room at once.

    Raises:
        TypeError: the model lacks a function.
    """

    def __init__(
        self,
        model: Model,
        state: Array,
        rng: Rng,
        max_depth: int,
        tree_steps: int | None,
        settings: tuple[Any, ...],
        expected: int | None,
    ) -> None:
        """Make an empty trie."""
        needed = {"step", "cells", "actions"} | ({"rollout"} if tree_steps is not None else set())
        self.model, self.root, self.rng = model, state, rng
        self.steps = steps_left(model, state)
        functions = functions_of(model, frozenset(needed), box_cells)
        cell_params = model.params if hasattr(model, "cells") else box_bounds(model)
        self._common = functions, model.params, cell_params
        self._settings = *settings, self.steps + 1 if tree_steps is None else tree_steps
        self._trie = new_action_trie(
            model.state_dim,
            len(model.action_low),
            self.steps,
            model.max_actions,  # type: ignore[attr-defined]
            max_depth,
            min(expected or FIRST_SIMULATIONS, FIRST_SIMULATIONS),
        )

    def evaluate(self, states: Array, order: NDArray[np.int64], sums: Array, budget: Budget) -> int:
        """Add the returns of simulations from states one step ahead; see `abstraction_actions.evaluate`."""
        kernel, discount, steps = runner(evaluate, self.model), float(self.model.discount), max(1, self.steps - 1)

        def run(trie: ActionTrie, done: int, n: int) -> int:
            return int(
                kernel(trie, *self._common, states, discount, steps, done, n, self.rng, order, sums, *self._settings)
            )

        self._trie, done = extend(run, self._trie, grow_action_trie, budget)
        return done

    def decide(self, actions: Array, budget: Budget, start: float) -> Decision:
        """Choose one of the actions, [B, action_dim], by simulations with noise; `start` is when the plan began."""
        kernel, discount = runner(search, self.model), float(self.model.discount)
        visits = np.zeros(len(actions), np.int64)
        value = np.zeros((len(actions), 2))
        value[:, MEAN] = UNTRIED

        def run(trie: ActionTrie, done: int, n: int) -> int:
            return int(
                kernel(
                    trie,
                    *self._common,
                    self.root,
                    discount,
                    self.steps,
                    done,
                    n,
                    self.rng,
                    actions,
                    visits,
                    value,
                    *self._settings,
                )
            )

        self._trie, done = extend(run, self._trie, grow_action_trie, budget)
        return decide(actions, visits, value, done, start)
