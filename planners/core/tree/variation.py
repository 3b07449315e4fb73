"""The principal variation: what a tree expects to follow one of the root's actions."""

from bonspiel.planners.core.tree.nodes import SearchTree
from bonspiel.planners.model import Array

MOST_OUTCOMES = 64  # looked at, of an edge that noise gave thousands, none of which has a variation worth following


def variation(tree: SearchTree, index: int) -> Array:
    """The most visited actions of the states most visited, [any, action_dim], as long as it is one player's turn.

    Args:
        tree: that was searched.
        index: of the root's action that comes before, which is left out.
    """
    nodes, edges = tree.nodes, tree.edges["visits"]
    first_edge, player = int(nodes[0]["first_edge"]), nodes[0]["player"]
    edge, found = first_edge + index, list[int]()
    while (node := _most_visited(tree, edge)) > 0:
        _, count, first, _, _, _, mover = nodes[node].item()
        if count <= 0 or mover != player:
            break
        edge = first + int(edges[first : first + count].argmax())
        if edges[edge] == 0:
            break
        found.append(edge)
    plan: Array = tree.action[found]
    return plan


def _most_visited(tree: SearchTree, edge: int) -> int:
    """The outcome of an edge that was visited most, or 0 if there is none."""
    best, most, node = 0, -1, int(tree.edges[edge]["first_outcome"])
    for _ in range(MOST_OUTCOMES):
        if node == 0:
            break
        visits, _, _, _, sibling, _, _ = tree.nodes[node].item()
        if visits > most:
            best, most = node, visits
        node = sibling
    return best
