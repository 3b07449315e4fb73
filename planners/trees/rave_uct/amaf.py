"""All moves as first (AMAF): what a simulation says of the actions that were played later on (Bruegmann 1993).

An edge takes the return as a RAVE visit if its key was played in the simulation from its node on, the playout included,
and by the node's player when it was played first (Gelly and Silver 2007).
"""

import numpy as np

from bonspiel.planners.core.hash_table import NOWHERE, find_or_add
from bonspiel.planners.core.jit import gain_of, helper
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.tree.backup import average, update_variance
from bonspiel.planners.core.tree.nodes import SearchTree
from bonspiel.planners.model import Array
from bonspiel.planners.trees.rave_uct.tree import KEY, MOST_KEYS, NO_KEY, RAVE_MEAN, RAVE_VISITS, RaveTree, RaveWalk


@helper
def number_of(known: RaveTree, key: np.uint64, create: bool) -> int:
    """The number of a key; NO_KEY if it has none and there is no room or it is not to get one."""
    number, _ = find_or_add(known.slots, known.names, known.used, key, create and known.used[0] < MOST_KEYS)
    return NO_KEY if number == NOWHERE else number


@helper
def _take_rave(tree: SearchTree, walk: RaveWalk, node: int, gain: float) -> None:
    """Take a return for the node's player into all edges whose key this player was the first to play."""
    player, first = tree.nodes[node]["player"], tree.nodes[node]["first_edge"]
    for edge in range(first, first + tree.nodes[node]["actions"]):
        number = int(tree.value[edge, KEY])
        if number != NO_KEY and walk.first[number] == player:
            tree.value[edge, RAVE_VISITS] += 1.0
            tree.value[edge, RAVE_MEAN] += (gain - tree.value[edge, RAVE_MEAN]) / tree.value[edge, RAVE_VISITS]


@helper
def back_up_rave(
    known: RaveTree,
    walk: RaveWalk,
    depth: int,
    leaf_value: float,
    traced: bool,
    discount: float,
    validity: Array,
    rave: bool,
) -> None:
    """Take the discounted return into the first `depth` steps of the path, from the last to the first.

    With `rave` also into the RAVE visits of each node passed; `traced`: the playout's keys are in `walk`.
    """
    tree, path, total = known.tree, walk.walk.path, leaf_value
    if rave:
        for number in range(known.used[0]):
            walk.first[number] = 0.0
        if traced:
            plies = 0
            while walk.movers[plies] != 0.0:
                plies += 1
            for ply in range(plies - 1, -1, -1):
                number = number_of(known, walk.keys[ply], False)
                if number != NO_KEY:
                    walk.first[number] = walk.movers[ply]
    for i in range(depth - 1, -1, -1):
        node, edge = path[i]["node"], path[i]["edge"]
        total = path[i]["reward"] + discount * total
        tree.nodes[node]["visits"] += 1
        tree.edges[edge]["visits"] += 1
        gain = gain_of(validity, i, tree.nodes[node]["player"], total)
        visits = tree.edges[edge]["visits"]
        update_variance(tree.value, edge, gain, visits)
        average(tree.value, edge, gain, visits)
        if rave:
            number = int(tree.value[edge, KEY])
            if number != NO_KEY:
                walk.first[number] = tree.nodes[node]["player"]
            _take_rave(tree, walk, node, gain)
    note_return(tree.returns, total)
