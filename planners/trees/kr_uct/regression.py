"""Kernel regression over the actions of a node (Yee, Lisy, Bowling, IJCAI 2016).

Actions b with n_b visits and mean returns v_b inform about an action a near them:
E[v|a] = sum_b K(a, b) n_b v_b / sum_b K(a, b) n_b with the density W(a) = sum_b K(a, b) n_b. Both are kept for every
edge, so that a selection costs as much as UCB1's.
"""

import math
from typing import NamedTuple

from bonspiel.planners.core.jit import gain_of, helper, model_helper
from bonspiel.planners.core.tree.descent import Outcomes
from bonspiel.planners.core.tree.nodes import COLUMNS, INV_SQRT, MEAN, SearchTree, add_edge
from bonspiel.planners.core.tree.selection import sqrt_2_log, ucb1
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Array, Rng

# columns of SearchTree.value beside MEAN, here E[v|a], and INV_SQRT, here 1/sqrt(W(a)): W(a), and the action's own mean
WEIGHT, OWN = COLUMNS, COLUMNS + 1
CUTOFF = 12.5  # -ln K beyond which actions share nothing: 5 standard deviations
PROPOSALS = 16  # points tried in search of the least explored one


class KRUCTSettings(NamedTuple):
    """The parameters of `KRUCT` as its kernel takes them, and the model's noise and bounds, [action_dim]."""

    exploration: float
    k_action: float
    alpha_action: float
    tau: float
    n_initial: int
    outcomes: Outcomes
    sd: Array
    low: Array
    high: Array
    exact: bool
    playouts: int


@helper
def similarity(a: Array, b: Array, sd: Array) -> float:
    """K(a, b) = exp(-sum (a - b)^2 / (2 sd^2)), where a coordinate of sd 0 has to be equal."""
    distance = 0.0
    for i in range(len(a)):
        difference = a[i] - b[i]
        if difference != 0.0:
            if sd[i] == 0.0:
                return 0.0
            difference /= sd[i]
            distance += 0.5 * difference * difference
            if distance > CUTOFF:
                return 0.0
    return math.exp(-distance)


@helper
def init_edge(tree: SearchTree, edge: int) -> None:
    """Begin an edge that has no visits."""
    tree.value[edge, WEIGHT] = 0.0
    tree.value[edge, OWN] = 0.0


@model_helper
def edges_of(tree: SearchTree, node: int) -> range:
    """The edges of a node."""
    first = tree.nodes[node]["first_edge"]
    return range(first, first + tree.nodes[node]["actions"])


@helper
def density(tree: SearchTree, node: int, action: Array, sd: Array) -> float:
    """W(action) = sum_b K(action, b) n_b."""
    weight = 0.0
    for other in edges_of(tree, node):
        weight += similarity(action, tree.action[other], sd) * tree.edges[other]["visits"]
    return weight


@helper
def regress(tree: SearchTree, node: int, edge: int, sd: Array) -> None:
    """Begin the node's last edge with what those before it know of its action."""
    init_edge(tree, edge)
    total = 0.0
    for other in range(tree.nodes[node]["first_edge"], edge):
        near = similarity(tree.action[edge], tree.action[other], sd)
        if near == 1.0 and tree.value[other, WEIGHT] > 0.0:  # equal actions, as at a bound, have equal values
            tree.value[edge, WEIGHT] = tree.value[other, WEIGHT]
            tree.value[edge, MEAN] = tree.value[other, MEAN]
            tree.value[edge, INV_SQRT] = tree.value[other, INV_SQRT]
            return
        tree.value[edge, WEIGHT] += near * tree.edges[other]["visits"]
        total += near * tree.edges[other]["visits"] * tree.value[other, OWN]
    if tree.value[edge, WEIGHT] > 0.0:
        tree.value[edge, MEAN] = total / tree.value[edge, WEIGHT]
        tree.value[edge, INV_SQRT] = 1.0 / math.sqrt(tree.value[edge, WEIGHT])


@helper
def widen(
    tree: SearchTree, node: int, best: int, proposals: int, proposal: Array, rng: Rng, settings: KRUCTSettings
) -> int:
    """A new edge with the action of least density W among those near the best one: argmin of W where K > tau."""
    sd, low, high = settings.sd, settings.low, settings.high
    rank = best - tree.nodes[node]["first_edge"]
    edge = add_edge(tree, node)
    best = tree.nodes[node]["first_edge"] + rank
    copy(tree.action[best], tree.action[edge])
    least = math.inf
    for _ in range(proposals):
        for i in range(len(proposal)):
            # a proposal outside the bounds goes back towards the best action, so K > tau still holds
            moved = tree.action[best, i] + sd[i] * rng.standard_normal()
            proposal[i] = min(max(moved, low[i]), high[i])
        if similarity(tree.action[best], proposal, sd) > settings.tau:
            found = density(tree, node, proposal, sd) if proposals > 1 else 0.0
            if found < least:
                least = found
                copy(proposal, tree.action[edge])
    regress(tree, node, edge, sd)
    return edge


@helper
def best_edge(tree: SearchTree, node: int, exploration: float, rng: Rng) -> int:
    """Argmax of E[v|a] + C sqrt(2 ln sum_b W(b) / W(a)), equals drawn; actions that know of no visit come first."""
    total = 0.0
    for edge in edges_of(tree, node):
        total += tree.value[edge, WEIGHT]
    width = exploration * sqrt_2_log(int(total))
    return ucb1(tree.value, tree.nodes[node]["first_edge"], tree.nodes[node]["actions"], width, rng)


@helper
def back_up(
    tree: SearchTree, walk: TreeWalk, depth: int, leaf_value: float, discount: float, validity: Array, sd: Array
) -> None:
    """Average the discounted return into every action that is near the one taken, at each step of the path."""
    total = leaf_value
    for i in range(depth - 1, -1, -1):
        node, edge = walk.path[i]["node"], walk.path[i]["edge"]
        total = walk.path[i]["reward"] + discount * total
        gain = gain_of(validity, i, tree.nodes[node]["player"], total)
        tree.nodes[node]["visits"] += 1
        tree.edges[edge]["visits"] += 1
        tree.value[edge, OWN] += (gain - tree.value[edge, OWN]) / tree.edges[edge]["visits"]
        for other in edges_of(tree, node):
            near = similarity(tree.action[other], tree.action[edge], sd)
            if near > 0.0:
                mean = tree.value[other, MEAN] if tree.value[other, WEIGHT] > 0.0 else 0.0
                weight = tree.value[other, WEIGHT] + near
                tree.value[other, WEIGHT] = weight
                tree.value[other, MEAN] = mean + near * (gain - mean) / weight
                tree.value[other, INV_SQRT] = 1.0 / math.sqrt(weight)
