"""Which edge RAVE follows: the mean of its visits and the mean of its RAVE visits, mixed, and a bonus."""

import math
from typing import NamedTuple

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import MEAN, VARIANCE, SearchTree
from bonspiel.planners.core.tree.selection import Terms, lowest_return, sqrt_2_log, upper_bound
from bonspiel.planners.trees.rave_uct.tree import (
    PRIOR_MEAN,
    PRIOR_VISITS,
    RAVE_MEAN,
    RAVE_VISITS,
    REGION,
    SHIFT,
    Territory,
)

NO_REGION = -1.0
FUEGO_FIRST, FUEGO_LAST = 1.0 / 0.9, 1.0 / 20_000.0  # Fuego's weights of the first and of the last RAVE visits


class RaveSelection(NamedTuple):
    """The rule that selects edges, as a kernel takes it.

    Attributes:
        exploration: C, for returns in a range of this width.
        bonus: see `planners.core.tree.selection.Terms`.
        equivalence: k, visits at which mean and RAVE mean count alike; 0: no RAVE.
        fuego: whether RAVE is weighted as in Fuego instead.
        weight: of the statistic of territory.
    """

    exploration: float
    bonus: int
    equivalence: float
    fuego: bool
    weight: float


@helper
def rave_weight(visits: float, rave_visits: float, selection: RaveSelection) -> float:
    """The part of the RAVE mean in the value of an edge.

    sqrt(k / (3 n + k)) (Gelly and Silver 2007), or r / (r + n (1/0.9 + r/20000)) (Enzenberger and Mueller 2009).
    """
    if selection.fuego:
        return rave_visits / (rave_visits + visits * (FUEGO_FIRST + rave_visits * FUEGO_LAST))
    return math.sqrt(selection.equivalence / (3.0 * visits + selection.equivalence))


@helper
def rave_score(tree: SearchTree, territory: Territory, edge: int, terms: Terms, selection: RaveSelection) -> float:
    """The value of an edge and its bonus.

    An edge with neither visits nor RAVE visits has its first-play urgency, which is its mean.
    """
    row = tree.value[edge]
    tried, prior, rave_visits = tree.edges[edge]["visits"], row[PRIOR_VISITS], row[RAVE_VISITS]
    visits = tried + prior
    if visits == 0.0 and rave_visits == 0.0:
        value = row[MEAN]
    else:
        if visits == 0.0:
            value = row[RAVE_MEAN]
        else:
            value = row[MEAN] if prior == 0.0 else (tried * row[MEAN] + prior * row[PRIOR_MEAN]) / visits
            if rave_visits > 0.0:
                value += rave_weight(visits, rave_visits, selection) * (row[RAVE_MEAN] - value)
        if selection.exploration > 0.0:
            inverse_root = 1.0 / math.sqrt(max(visits, 1.0))
            value = upper_bound(value, inverse_root, row[VARIANCE], terms)
    if selection.weight > 0.0 and row[REGION] != NO_REGION:
        value += selection.weight * territory.statistic[int(row[REGION])]
    return value + row[SHIFT]


@helper
def select_rave_edge(tree: SearchTree, territory: Territory, node: int, selection: RaveSelection) -> int:
    """The edge of the largest score; ties by lower index, which is at random."""
    first, lowest = tree.nodes[node]["first_edge"], lowest_return(tree.returns, tree.nodes[node]["player"])
    terms = Terms(selection.exploration, sqrt_2_log(tree.nodes[node]["visits"]), lowest, selection.bonus)
    best, best_score = first, -math.inf
    for edge in range(first, first + tree.nodes[node]["actions"]):
        score = rave_score(tree, territory, edge, terms, selection)
        if score > best_score:
            best, best_score = edge, score
    return best
