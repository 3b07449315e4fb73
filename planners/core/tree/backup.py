"""Back-up: the return of a simulation is averaged into every step of its path."""

import math

from bonspiel.planners.core.jit import gain_of, helper
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.tree.nodes import INV_SQRT, MEAN, NEVER, VARIANCE, SearchTree
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Array


@helper
def average(value: Array, row: int, gain: float, visits: int, weight: int = 1) -> None:
    """Take a gain into the row's mean as that of `weight` visits, with which there are `visits`."""
    mean = value[row, MEAN] if visits > weight else 0.0
    value[row, MEAN] = mean + (gain - mean) * weight / visits
    value[row, INV_SQRT] = 1.0 / math.sqrt(visits)


@helper
def update_variance(value: Array, row: int, gain: float, visits: int, weight: int = 1) -> None:
    """Take a gain into the row's variance as that of `weight` visits, before `average` does into the mean."""
    if visits == weight:
        value[row, VARIANCE] = 0.0
    else:
        off, part = gain - value[row, MEAN], weight / visits
        value[row, VARIANCE] = (value[row, VARIANCE] + off * off * part) * (1.0 - part)


@helper
def back_up(
    tree: SearchTree, walk: TreeWalk, depth: int, leaf_value: float, discount: float, validity: Array, weight: int = 1
) -> None:
    """Take the discounted return into the first `depth` steps of the path, from the last to the first.

    It counts as `weight` visits, since the value of the leaf may be the mean of that number of rollouts.
    """
    total = leaf_value
    for i in range(depth - 1, -1, -1):
        node, edge = walk.path[i]["node"], walk.path[i]["edge"]
        total = walk.path[i]["reward"] + discount * total
        tree.nodes[node]["visits"] += weight
        tree.edges[edge]["visits"] += weight
        gain = gain_of(validity, i, tree.nodes[node]["player"], total)
        visits = tree.edges[edge]["visits"]
        if tree.value.shape[1] > VARIANCE:
            update_variance(tree.value, edge, gain, visits, weight)
        average(tree.value, edge, gain, visits, weight)
    note_return(tree.returns, total)
    if validity[0] == math.inf and tree.nodes[0]["due"] != NEVER:  # none was valid so far: the root tries new actions
        tree.nodes[0]["due"] = 0
