"""The principal variation: what a tree expects to follow one of the root's actions."""

import numpy as np

from bonspiel.planners.core.jit import MATRIX, int64, kernel, run
from bonspiel.planners.core.tree.nodes import SEARCH_TREE, SearchTree
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Array, Model

FEWEST = 2  # visits that the actions of a node need in the mean, and the one that is followed


def variation(model: Model, tree: SearchTree, steps: int, index: int) -> Array:
    """One of the root's actions, and the most visited ones of the states most visited then, [any, action_dim].

    It ends where it is the other player's turn, and at a state with fewer than two visits for each action: the most
    visited one is a random one there.

    Args:
        model: that was searched.
        tree: of the search.
        steps: of a simulation, at most.
        index: of the root's action.
    """
    plan = np.empty((steps, tree.action.shape[1]))
    return plan[: run(_follow_visits, model, tree, index, plan)]


@kernel(SEARCH_TREE, int64, MATRIX)
def _follow_visits(tree: SearchTree, index: int, plan: Array) -> int:
    """Write the actions of the variation; their number."""
    edge, count = tree.nodes[0]["first_edge"] + index, 0
    while edge >= 0:
        copy(tree.action[edge], plan[count])
        count += 1
        node, outcome = 0, tree.edges[edge]["first_outcome"]
        while outcome != 0:
            if node == 0 or tree.nodes[outcome]["visits"] > tree.nodes[node]["visits"]:
                node = outcome
            outcome = tree.nodes[outcome]["sibling"]
        if count == len(plan) or node == 0 or tree.nodes[node]["player"] != tree.nodes[0]["player"]:
            break
        if tree.nodes[node]["visits"] < FEWEST * tree.nodes[node]["actions"]:
            break
        edge, most = -1, FEWEST - 1
        first = tree.nodes[node]["first_edge"]
        for other in range(first, first + tree.nodes[node]["actions"]):
            if tree.edges[other]["visits"] > most:
                edge, most = other, tree.edges[other]["visits"]
    return count
