"""Invariants of a shared tree after a search, whatever its threads did."""

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.tree.nodes import ENDED
from bonspiel.planners.wrappers.threads.shared_tree import (
    ACTIONS,
    COUNT,
    EDGES,
    FIRST_OUTCOME,
    NODES,
    OUTCOMES,
    SHIFT,
    SHOWN_MEAN,
    SIBLING,
    TOTAL,
    UNDER_WAY,
    VISITS,
    SharedTree,
    edges_below,
)

Rows = NDArray[np.int64]


def faults(tree: SharedTree, simulations: int, by_state: bool, ends_within: bool) -> list[str]:
    """The invariants that do not hold, one line each; none if all is well.

    Args:
        tree: the tree that a search left.
        simulations: run in all.
        by_state: whether children are found by their states, as in UCT and PW, or kept as outcomes, as in DPW.
        ends_within: whether simulations may end in a node that has edges, as with rollouts.
    """
    found = []
    if tree.nodes[0, VISITS] != simulations:
        found.append(f"{tree.nodes[0, VISITS]} visits of the root after {simulations} simulations")
    level = np.append(0, tree.slots[tree.slots != 0] - 1) if by_state else np.zeros(1, np.int64)
    nodes, edges = [level], []
    while len(level) > 0:
        level = level[tree.nodes[level, ACTIONS] != ENDED]
        owner, rows = edges_below(tree, level)
        counts = tree.edges[rows, COUNT]
        edges.append(rows)
        below, visits = np.bincount(owner, counts >> SHIFT, len(level)), tree.nodes[level, VISITS]
        wrong = below > visits if ends_within else below != visits
        if wrong.any():
            found.append(f"{wrong.sum()} nodes whose visits are not those of their edges")
        if (counts & UNDER_WAY).any():
            found.append(f"{np.count_nonzero(counts & UNDER_WAY)} edges with visits still under way")
        means = tree.edge_values[rows, TOTAL] / np.maximum(counts >> SHIFT, 1)
        if not np.allclose(
            np.where(counts > 0, tree.edge_values[rows, SHOWN_MEAN], means), means, rtol=1e-9, atol=1e-12
        ):
            found.append("edges whose mean is not that of their returns")
        if by_state:
            break
        parent, level = _outcomes(tree, rows)
        wrong = np.bincount(parent, tree.nodes[level, VISITS], len(rows)) != counts >> SHIFT
        wrong |= np.bincount(parent, minlength=len(rows)) != tree.edges[rows, OUTCOMES]
        if wrong.any():
            found.append(f"{wrong.sum()} edges whose visits or number are not those of their outcomes")
        nodes.append(level)
    for name, rows, column in (("nodes", np.concatenate(nodes), NODES), ("edges", np.concatenate(edges), EDGES)):
        if len(np.unique(rows)) != len(rows):
            found.append(f"{name} that are reached twice")
        if rows.max() >= tree.size[0, column]:
            found.append(f"{name} beyond those that were taken")
    if by_state and len(np.unique(tree.keys[nodes[0][1:]])) != len(nodes[0]) - 1:
        found.append("keys that the hash table has twice")
    return found


def _outcomes(tree: SharedTree, edges: Rows) -> tuple[Rows, Rows]:
    """The place in `edges` of each of their outcomes, and its node."""
    owners, nodes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    owner, node = np.arange(len(edges)), tree.edges[edges, FIRST_OUTCOME]
    while (node != 0).any():
        owner, node = owner[node != 0], node[node != 0]
        owners.append(owner)
        nodes.append(node)
        node = tree.nodes[node, SIBLING]
    return np.concatenate(owners), np.concatenate(nodes)
