"""The loop of UCT, PW, DPW and VOOT, of which each has its way to choose an edge and to follow it."""

from collections.abc import Callable
from typing import Any

from bonspiel.planners.core.jit import Problem, model_helper
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.nodes import ENDED, SearchTree, has_room
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Rng


@model_helper
def simulate(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    simulations: int,
    rng: Rng,
    settings: Any,
    choose: Callable[[SearchTree, TreeWalk, Problem, int, Rng, Any], int],
    follow: Callable[[SearchTree, TreeWalk, Problem, int, int, int, Rng, Any], tuple[int, float, int]],
) -> int:
    """Simulate from the root; the number of simulations run before the tree was full.

    A kernel is compiled with its two functions: chosen while it runs, they would cost up to 4 % of its time.
    """
    done = 0
    while done < simulations and has_room(tree, problem.steps):
        node, depth, leaf_value, weight = 0, 0, 0.0, 1
        while node != ENDED:
            edge = choose(tree, walk, problem, node, rng, settings)
            node, leaf_value, weight = follow(tree, walk, problem, depth, node, edge, rng, settings)
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, weight)
        walk.left[0] -= weight
        done += weight
    return done
