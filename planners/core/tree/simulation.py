"""The loop of tree searches, each of which has its own way to choose an edge and to follow it."""

from collections.abc import Callable
from typing import Any

from bonspiel.planners.core.jit import Problem, model_helper
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.nodes import ENDED, SearchTree, has_room
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Rng


@model_helper
def descend(
    tree: Any,
    walk: TreeWalk,
    problem: Problem,
    rng: Rng,
    settings: Any,
    choose: Callable[[Any, TreeWalk, Problem, int, Rng, Any], int],
    follow: Callable[..., tuple[int, float, int]],
) -> tuple[int, float, int]:
    """Choose and follow edges from the root to the end of a simulation.

    A kernel is compiled with its two functions: chosen while it runs, they would cost up to 4 % of its time.

    Args:
        tree: what the search knows, as `choose` and `follow` take it; its root is node 0.
        walk: the simulation under way.
        problem: the decision.
        rng: the source of every random draw.
        settings: the planner's parameters.
        choose: (tree, walk, problem, node, rng, settings) returns the edge to follow from a node.
        follow: (tree, walk, problem, depth, node, edge, rng, settings) records the step and returns the next node, or
            ENDED, and the value of the leaf and the number of visits that it counts for, as `descent.follow` does.

    Returns:
        The number of steps, the value of the leaf, and the number of visits that it counts for.
    """
    node, depth, leaf_value, weight = 0, 0, 0.0, 1
    while node != ENDED:
        edge = choose(tree, walk, problem, node, rng, settings)
        node, leaf_value, weight = follow(
            tree, walk, problem, depth=depth, node=node, edge=edge, rng=rng, settings=settings
        )
        depth += 1
    return depth, leaf_value, weight


@model_helper
def simulate(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    simulations: int,
    rng: Rng,
    settings: Any,
    choose: Callable[[SearchTree, TreeWalk, Problem, int, Rng, Any], int],
    follow: Callable[..., tuple[int, float, int]],
) -> int:
    """Simulate from the root; the number of simulations run before the tree was full.

    See `descend` for the functions.
    """
    done = 0
    while done < simulations and has_room(tree, problem.steps):
        depth, leaf_value, weight = descend(tree, walk, problem, rng, settings, choose, follow)
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, weight)
        walk.left[0] -= weight
        done += weight
    return done
