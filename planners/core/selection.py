"""Which edge to follow, which outcome to revisit, which action to choose in the end."""

import math

import numpy as np
from numpy.typing import NDArray

from planners.base import Array, Rng
from planners.core.jit import helper
from planners.core.tree import INV_SQRT, MEAN, SearchTree

_TABLE_SIZE = 4096
_SQRT_2_LOG = np.sqrt(2.0 * np.log(np.maximum(np.arange(_TABLE_SIZE), 1)))


@helper
def sqrt_2_log(visits: int) -> float:
    """sqrt(2 ln max(visits, 1)), from a table where visits are few."""
    if visits < _TABLE_SIZE:
        return _SQRT_2_LOG[visits]
    return math.sqrt(2.0 * math.log(visits))


@helper
def ucb1(value: Array, first: int, count: int, width: float) -> int:
    """Row of the largest mean + width / sqrt(n) among `count` rows from `first`; ties by higher mean, lower index."""
    best = first
    best_mean = value[first, MEAN]
    best_score = best_mean + width * value[first, INV_SQRT]
    for row in range(first + 1, first + count):
        mean = value[row, MEAN]
        score = mean + width * value[row, INV_SQRT]
        if score > best_score or (score == best_score and mean > best_mean):
            best, best_mean, best_score = row, mean, score
    return best


@helper
def best_edge(tree: SearchTree, node: int, exploration: float) -> int:
    """UCB1: argmax of mean + C sqrt(2 ln N / n) (Auer, Cesa-Bianchi, Fischer 2002); untried first."""
    width = exploration * sqrt_2_log(tree.nodes[node]["visits"])
    return ucb1(tree.value, tree.nodes[node]["first_edge"], tree.nodes[node]["actions"], width)


@helper
def draw_outcome(tree: SearchTree, edge: int, rng: Rng) -> int:
    """An outcome of the edge in proportion to its visits (Couetoux et al. 2011); the oldest, met first, have most."""
    left = int(rng.random() * tree.edges[edge]["visits"])
    outcome = tree.edges[edge]["first_outcome"]
    left -= tree.nodes[outcome]["visits"]
    while left >= 0:
        outcome = tree.nodes[outcome]["sibling"]
        left -= tree.nodes[outcome]["visits"]
    return outcome


@helper
def least_visited_outcome(tree: SearchTree, edge: int) -> int:
    """The outcome of the edge with the fewest visits, the oldest of equals."""
    best = tree.edges[edge]["first_outcome"]
    outcome = tree.nodes[best]["sibling"]
    while outcome != 0:
        if tree.nodes[outcome]["visits"] < tree.nodes[best]["visits"]:
            best = outcome
        outcome = tree.nodes[outcome]["sibling"]
    return best


def final_choice(visits: NDArray[np.int64], values: Array) -> int:
    """Index of the action to play: most visits, then higher mean, then lower index."""
    pairs = list(zip(visits.tolist(), values.tolist(), strict=True))
    return pairs.index(max(pairs))
