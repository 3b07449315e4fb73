"""The simulation under way in a SearchTree; threads that share a tree have a walk each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import offers
from bonspiel.planners.core.jit import helper, typeof
from bonspiel.planners.model import Array, HasActions, Model
from bonspiel.planners.planner import Budget

_NO_KEYS = np.empty(0, np.uint64)
NO_LIMIT = 2**62  # a number of simulations that no search reaches
STEP = np.dtype([("node", "i8"), ("edge", "i8"), ("reward", "f8")])


class TreeWalk(NamedTuple):
    """The simulation under way.

    Attributes:
        path: its steps, STEP [steps].
        state: two states for model functions to write into, [2, state_dim].
        actions: for the model's `actions` to write into, [max_actions, action_dim]; room for one action without it, or
            for the candidates among which a search chooses.
        keys: for their keys, uint64 [max_actions]; empty for a model without `actions`.
        left: simulations left of the budget, int64 [1]; a new leaf takes no more rollouts.
    """

    path: NDArray[np.void]
    state: Array
    actions: Array
    keys: NDArray[np.uint64]
    left: NDArray[np.int64]


EXAMPLE_WALK = TreeWalk(
    np.empty(1, STEP), np.empty((1, 1)), np.empty((1, 1)), np.empty(1, np.uint64), np.empty(1, np.int64)
)
TREE_WALK = typeof(EXAMPLE_WALK)


def new_walk(model: Model, steps: int, candidates: int = 0, budget: Budget | None = None) -> TreeWalk:
    """Room for simulations of at most this many steps, and for this many candidates for an action."""
    most = model.max_actions if offers(model, HasActions) else 0
    keys = np.empty(most, np.uint64) if most > 0 else _NO_KEYS
    actions = np.empty((max(most, candidates, 1), len(model.action_low)))
    left = NO_LIMIT if budget is None or budget.simulations is None else budget.simulations
    return TreeWalk(np.empty(steps, STEP), np.empty((2, model.state_dim)), actions, keys, np.array([left]))


@helper
def record(walk: TreeWalk, depth: int, node: int, edge: int, reward: float) -> None:
    """Note the step taken at this depth."""
    walk.path[depth]["node"] = node
    walk.path[depth]["edge"] = edge
    walk.path[depth]["reward"] = reward
