"""UCT on finite sets of actions: UCB1 in every node of a tree (Kocsis and Szepesvari 2006)."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from planners.base import Array, Budget, Decision, Model, Rng, require_at_least, require_choice, require_count
from planners.core.actions import action_set, room_for_own
from planners.core.backup import back_up
from planners.core.descent import follow
from planners.core.jit import MATRIX, RNG, TABLE, VECTOR, boolean, float64, helper, int64, kernel, uint64
from planners.core.jit import actions as propose
from planners.core.search import plan_with_tree
from planners.core.selection import best_edge
from planners.core.tree import ENDED, NEVER, SEARCH_TREE, SearchTree, add_edge, copy, has_room


@helper
def _try_action(tree: SearchTree, node: int, actions: Array, rng: Rng) -> int:
    """A new edge with an action of the set that has none yet, each with equal probability."""
    tried = tree.nodes[node]["actions"]
    skip = int(rng.random() * (len(actions) - tried))
    first = tree.nodes[node]["first_edge"]
    for candidate in range(len(actions)):
        untried = True
        for edge in range(first, first + tried):
            same = True
            for i in range(actions.shape[1]):
                same = same and tree.action[edge, i] == actions[candidate, i]
            untried = untried and not same
        if untried and skip == 0:
            break
        skip -= untried
    new = add_edge(tree, node)
    copy(actions[candidate], tree.action[new])
    if tried + 1 == len(actions):
        tree.nodes[node]["due"] = NEVER
    return new


@kernel(int64(SEARCH_TREE, TABLE, VECTOR, float64, int64, int64, RNG, MATRIX, uint64[::1], float64, boolean))
def _search(
    tree: SearchTree,
    functions: Any,
    params: Array,
    discount: float,
    steps: int,
    simulations: int,
    rng: Rng,
    actions: Array,
    keys: NDArray[np.uint64],
    exploration: float,
    use_rollout: bool,
) -> int:
    for simulation in range(simulations):
        if not has_room(tree, steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while node != ENDED:
            if tree.nodes[node]["visits"] >= tree.nodes[node]["due"]:
                count = len(actions)
                if len(keys) > 0:
                    count = propose(functions, tree.state[node], params, actions, keys)
                edge = _try_action(tree, node, actions[:count], rng)
            else:
                edge = best_edge(tree, node, exploration)
            node, leaf_value = follow(tree, functions, params, steps, rng, depth, node, edge, use_rollout)
            depth += 1
        back_up(tree, depth, leaf_value, discount)
    return simulations


NEEDED = frozenset({"step"})


@dataclass(frozen=True)
class UCT:
    """UCT. A sampled next state is a new node, unless it equals one met before exactly.

    Args:
        exploration: C of UCB1, at least 0.
        n_actions: size of the action set: a regular grid in one dimension, low-discrepancy points in more; a model with
            `actions` has a set of its own for each state instead.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
    """

    exploration: float = 1.0
    n_actions: int = 8
    leaf: Literal["tree", "rollout"] = "tree"

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_count("n_actions", self.n_actions)
        require_choice("leaf", self.leaf, ("tree", "rollout"))

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        needed = NEEDED | {"rollout"} if self.leaf == "rollout" else NEEDED
        actions, keys = room_for_own(model)
        if len(keys) > 0:
            needed = needed | {"actions"}
        else:
            actions = action_set(model, self.n_actions)
        settings = (actions, keys, self.exploration, self.leaf == "rollout")
        return plan_with_tree(_search, settings, needed, True, model, state, budget, rng, root_actions)
