"""Statistics of the owners of regions after playouts: for scores of actions, and the pruning of a node's children.

Sums are of player +1's view; what player -1 owns counts negative.
"""

import math

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import NEVER
from bonspiel.planners.model import Array
from bonspiel.planners.trees.rave_uct.tree import SHIFT, RaveTree, RaveWalk, Territory

OWNERS, WON, LOST, OWNED_BY_FIRST, OWNED_BY_SECOND, OWNED_BY_WINNER = range(6)  # rows of Territory.sums
ALL, WINS, LOSSES = range(3)  # entries of Territory.playouts
FIRST_USE, RENEWAL = 32, 16  # playouts before the statistic is used, and between two renewals
PRUNED_AT = 64  # playouts through each child
PTS, CRITICALITY = 0, 1  # kinds of statistic


@helper
def note_owners(territory: Territory, owners: Array) -> None:
    """Count the owners after a playout, and its winner, [n_regions + 1]."""
    sums, playouts, regions = territory.sums, territory.playouts, len(territory.statistic)
    winner = owners[regions]
    playouts[ALL] += 1.0
    if winner != 0.0:
        playouts[WINS if winner > 0.0 else LOSSES] += 1.0
    for region in range(regions):
        owner = owners[region]
        sums[OWNERS, region] += owner
        if owner > 0.0:
            sums[OWNED_BY_FIRST, region] += 1.0
        elif owner < 0.0:
            sums[OWNED_BY_SECOND, region] += 1.0
        if winner != 0.0:
            sums[WON if winner > 0.0 else LOST, region] += owner
            sums[OWNED_BY_WINNER, region] += owner * winner > 0.0


@helper
def pts(territory: Territory, region: int) -> float:
    """(1 - |MO|) |B_MO - W_MO|: undecided regions whose mean owner differs most between the two players' wins."""
    sums, playouts = territory.sums, territory.playouts
    if playouts[WINS] == 0.0 or playouts[LOSSES] == 0.0:
        return 0.0
    mean = sums[OWNERS, region] / playouts[ALL]
    return (1.0 - abs(mean)) * abs(sums[WON, region] / playouts[WINS] - sums[LOST, region] / playouts[LOSSES])


@helper
def criticality(territory: Territory, region: int) -> float:
    """v/n - (w/n W/n + b/n B/n): covariance of owning the region and winning (Coulom 2009)."""
    sums, playouts = territory.sums, territory.playouts
    n = playouts[ALL]
    by_chance = sums[OWNED_BY_SECOND, region] * playouts[LOSSES] + sums[OWNED_BY_FIRST, region] * playouts[WINS]
    return sums[OWNED_BY_WINNER, region] / n - by_chance / (n * n)


@helper
def renew_statistic(territory: Territory, kind: int) -> None:
    """Compute the statistic of all regions anew where that is due."""
    n = territory.playouts[ALL]
    if n < FIRST_USE or n % RENEWAL != 0.0:
        return
    for region in range(len(territory.statistic)):
        territory.statistic[region] = pts(territory, region) if kind == PTS else criticality(territory, region)


@helper
def note_children(known: RaveTree, walk: RaveWalk, depth: int, leaf: int) -> None:
    """Take the owners after a playout into every node passed and the one where the tree was left."""
    children, regions = known.territory.children, len(known.territory.statistic)
    for i in range(depth + 1):
        node = walk.walk.path[i]["node"] if i < depth else leaf
        if node > 0 or i == 0:
            for region in range(regions):
                children[node, region] += walk.owners[region]
            children[node, regions] += 1.0


@helper
def _summed(known: RaveTree, edge: int, column: int) -> float:
    """A column of `Territory.children`, summed over the outcomes of an edge."""
    tree, total, outcome = known.tree, 0.0, known.tree.edges[edge]["first_outcome"]
    while outcome != 0:
        total += known.territory.children[outcome, column]
        outcome = tree.nodes[outcome]["sibling"]
    return total


@helper
def owner_variance(known: RaveTree, node: int, edge: int) -> float:
    """D(B): variance over the regions of T_p(node) - T_p(B), the mean owners through the node and through its child."""
    children, regions, mean, squares = known.territory.children, len(known.territory.statistic), 0.0, 0.0
    through = _summed(known, edge, regions)
    for region in range(regions):
        off = children[node, region] / children[node, regions] - _summed(known, edge, region) / through
        mean += off / regions
        squares += off * off / regions
    return squares - mean * mean


@helper
def prune(known: RaveTree, node: int, low: float, high: float) -> None:
    """Once, after PRUNED_AT playouts through each child, drop those whose share of D is outside the bounds.

    The bounds are in equal shares: a child whose D is the mean of the siblings', itself included, is at 1. All stay
    where none is within.
    """
    tree = known.tree
    visits, count, first = tree.nodes[node]["visits"], tree.nodes[node]["actions"], tree.nodes[node]["first_edge"]
    if tree.nodes[node]["due"] == NEVER or visits < count * PRUNED_AT or visits % RENEWAL != 0:
        return
    for edge in range(first, first + count):
        if _summed(known, edge, len(known.territory.statistic)) < PRUNED_AT:
            return
    tree.nodes[node]["due"] = NEVER
    total = 0.0
    for edge in range(first, first + count):
        tree.value[edge, SHIFT] = owner_variance(known, node, edge)
        total += tree.value[edge, SHIFT]
    within = 0
    for edge in range(first, first + count):
        inside = low * total <= count * tree.value[edge, SHIFT] <= high * total
        tree.value[edge, SHIFT] = 0.0 if inside else -math.inf
        within += inside
    if within == 0:
        for edge in range(first, first + count):
            tree.value[edge, SHIFT] = 0.0
