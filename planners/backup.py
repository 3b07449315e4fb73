"""How a simulation's return goes back up its path."""

import math

from planners.jit import helper
from planners.tree import INV_SQRT, MEAN, SearchTree


@helper
def record(tree: SearchTree, depth: int, node: int, edge: int, reward: float) -> None:
    """Note the step taken at this depth."""
    tree.path[depth]["node"] = node
    tree.path[depth]["edge"] = edge
    tree.path[depth]["reward"] = reward


@helper
def back_up(tree: SearchTree, depth: int, leaf_value: float, discount: float) -> None:
    """Average the discounted return into the first `depth` steps of the path, from the last to the first."""
    total = leaf_value
    for i in range(depth - 1, -1, -1):
        node, edge = tree.path[i]["node"], tree.path[i]["edge"]
        total = tree.path[i]["reward"] + discount * total
        gain = tree.nodes[node]["player"] * total
        visits = tree.edges[edge]["visits"] + 1
        mean = tree.value[edge, MEAN] if visits > 1 else 0.0
        tree.nodes[node]["visits"] += 1
        tree.edges[edge]["visits"] = visits
        tree.value[edge, MEAN] = mean + (gain - mean) / visits
        tree.value[edge, INV_SQRT] = 1.0 / math.sqrt(visits)
