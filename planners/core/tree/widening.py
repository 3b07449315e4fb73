"""Progressive widening as an exact rule on integers."""

import math

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import NEVER, SearchTree


@helper
def due(count: int, k: float, alpha: float) -> int:
    """Visits at which one more child is due, after the first `count`.

    Widening adds a child when count <= k N^alpha (Couetoux et al. 2011), that is when N >= (count / k)^(1 / alpha). The
    threshold is computed once a child instead of a power once a visit; what is taken off absorbs the rounding of the
    power, which else is off by one visit where it should be whole.
    """
    threshold = (count / k) ** (1.0 / alpha)
    if threshold > 1e18:
        return NEVER
    return math.ceil(threshold - 1e-9 - 1e-14 * threshold)


@helper
def is_due(tree: SearchTree, node: int) -> bool:
    """True if the node has the visits at which its next action is due."""
    return tree.nodes[node]["visits"] >= tree.nodes[node]["due"]


@helper
def schedule_action(tree: SearchTree, node: int, k: float, alpha: float) -> None:
    """Set the visits at which the node's next action is due."""
    tree.nodes[node]["due"] = due(tree.nodes[node]["actions"], k, alpha)
