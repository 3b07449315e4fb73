"""Back-up: the return of a simulation is averaged into every step of its path."""

import math

from planners.base import Array
from planners.core.jit import helper
from planners.core.returns import note_return
from planners.core.tree import INV_SQRT, MEAN, VARIANCE, SearchTree
from planners.core.walk import TreeWalk


@helper
def average(value: Array, row: int, gain: float, visits: int) -> None:
    """Take the gain of the visit number `visits` (from 1) into the row's mean."""
    mean = value[row, MEAN] if visits > 1 else 0.0
    value[row, MEAN] = mean + (gain - mean) / visits
    value[row, INV_SQRT] = 1.0 / math.sqrt(visits)


@helper
def update_variance(value: Array, row: int, gain: float, visits: int) -> None:
    """Take the gain of the visit number `visits` into the row's variance, before `average` does into the mean."""
    if visits == 1:
        value[row, VARIANCE] = 0.0
    else:
        off, weight = gain - value[row, MEAN], 1.0 / visits
        value[row, VARIANCE] = (value[row, VARIANCE] + off * off * weight) * (1.0 - weight)


@helper
def back_up(tree: SearchTree, walk: TreeWalk, depth: int, leaf_value: float, discount: float) -> None:
    """Take the discounted return into the first `depth` steps of the path, from the last to the first."""
    total = leaf_value
    for i in range(depth - 1, -1, -1):
        node, edge = walk.path[i]["node"], walk.path[i]["edge"]
        total = walk.path[i]["reward"] + discount * total
        tree.nodes[node]["visits"] += 1
        tree.edges[edge]["visits"] += 1
        gain, visits = tree.nodes[node]["player"] * total, tree.edges[edge]["visits"]
        if tree.value.shape[1] > VARIANCE:
            update_variance(tree.value, edge, gain, visits)
        average(tree.value, edge, gain, visits)
    note_return(tree.returns, total)
