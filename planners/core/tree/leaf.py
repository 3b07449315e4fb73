"""The value of a new leaf: by acting on in the tree, or by rollouts of the model, one or several (Cazenave 2007)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import require, require_choice, require_count
from bonspiel.planners.core.jit import Problem, model_helper, rollout
from bonspiel.planners.core.tree.nodes import NEVER, copy
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget


class Leaf(NamedTuple):
    """The rule that values new leaves, as a kernel takes it; `leaf_of` makes one.

    Attributes:
        playouts: rollouts from each, 0 to act on in the tree.
        left: simulations left of the budget, int64 [1]; the last leaf takes no more.
    """

    playouts: int
    left: NDArray[np.int64]


EXAMPLE_LEAF = Leaf(1, np.zeros(1, np.int64))


def check_leaf(leaf: str, playouts: int = 1) -> None:
    """Raise ValueError unless these parameters of a planner are in range."""
    require_choice("leaf", leaf, ("tree", "rollout"))
    require_count("playouts", playouts)
    require(playouts == 1 or leaf == "rollout", "playouts", playouts, "1 without leaf='rollout'")


def leaf_of(leaf: str, playouts: int = 1, budget: Budget | None = None) -> Leaf:
    """The rule that these parameters of a planner describe, for a decision with this budget."""
    left = NEVER if budget is None or budget.simulations is None else budget.simulations
    return Leaf(playouts if leaf == "rollout" else 0, np.array([left]))


@model_helper
def value_leaf(state: Array, walk: TreeWalk, problem: Problem, depth: int, rng: Rng, leaf: Leaf) -> tuple[float, int]:
    """The mean return of rollouts from the state of a new node, `depth` steps ahead, and their number."""
    count = min(leaf.playouts, leaf.left[0])
    total = 0.0
    for _ in range(count):
        copy(state, walk.state[0])
        total += rollout(problem, walk.state[0], walk.state[1], problem.steps - depth, rng)
    return total / count, count
