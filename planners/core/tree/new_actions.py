"""New actions of a node under progressive widening: when one is due, and the rule by which it is made."""

from collections.abc import Callable
from typing import Any

from bonspiel.planners.core.jit import Problem, helper, model_helper, sample_action
from bonspiel.planners.core.tree.blind_values import best_by_blind_value
from bonspiel.planners.core.tree.nodes import NEVER, SearchTree, add_edge
from bonspiel.planners.core.tree.selection import select_edge, tries_new
from bonspiel.planners.core.tree.voronoi import near_best
from bonspiel.planners.core.tree.widening import schedule_action
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Array, Rng


@model_helper
def add_sampled_action(
    tree: SearchTree, problem: Problem, node: int, state: Array, rng: Rng, k: float, alpha: float
) -> int:
    """A new edge of the node with an action that the model draws in this state."""
    edge = add_edge(tree, node)
    sample_action(problem, state, tree.action[edge], rng)
    schedule_action(tree, node, k, alpha)
    return edge


MakeAction = Callable[[SearchTree, TreeWalk, Problem, int, int, Rng, Any], None]
Choose = Callable[[SearchTree, TreeWalk, Problem, int, Rng, Any], int]


TRIES = 8  # draws of a new action, before the node waits until it has twice the visits


@helper
def is_known(tree: SearchTree, node: int, edge: int) -> bool:
    """True if the action of the node's last edge is that of an edge before."""
    for other in range(tree.nodes[node]["first_edge"], edge):
        same = True
        for i in range(tree.action.shape[1]):
            if tree.action[other, i] != tree.action[edge, i]:
                same = False
                break
        if same:
            return True
    return False


@helper
def keep_new(tree: SearchTree, node: int, edge: int, k: float, alpha: float, distinct: int) -> bool:
    """Keep the node's last edge if its action is new, else take it away; set the visits at which the next one is due.

    None is due any more once the node has all of the `distinct` actions that there are.
    """
    count = tree.nodes[node]["actions"]
    if is_known(tree, node, edge):
        tree.nodes[node]["actions"] = count - 1
        tree.nodes[node]["due"] = 2 * tree.nodes[node]["visits"] + 1
        return False
    schedule_action(tree, node, k, alpha)
    if count == distinct:
        tree.nodes[node]["due"] = NEVER
    return True


@model_helper
def make_distinct(
    tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, edge: int, rng: Rng, settings: Any, make_action: Any
) -> bool:
    """Make the action of the node's last edge again while an edge before has it; True if the node keeps the edge."""
    for _ in range(TRIES - 1):
        if not is_known(tree, node, edge):
            break
        make_action(tree, walk, problem, node, edge, rng, settings)
    return keep_new(tree, node, edge, settings.k_action, settings.alpha_action, settings.distinct)


def widening(make_action: MakeAction, distinct: bool = False) -> Choose:
    """A function for `simulate` that chooses the edge which progressive widening follows, a new one where it is due.

    Args:
        make_action: (tree, walk, problem, node, edge, rng, settings) writes the action of the node's last edge, which
            is new; a kernel is compiled with its rule. `settings` has `selection`, `k_action`, `alpha_action` and what
            the rule reads.
        distinct: whether a node tries no action twice where `settings.distinct`, the number of all actions, is above 0.
            An action that the node has already is made again up to `TRIES` times.
    """

    @model_helper
    def choose(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: Any) -> int:
        """The edge that progressive widening follows, a new one where it is due and urgent."""
        if not tries_new(tree, node, settings.selection):
            return select_edge(tree, node, settings.selection, rng)
        edge = add_edge(tree, node)
        make_action(tree, walk, problem, node, edge, rng, settings)
        if distinct:  # known to the compiler: settings need the field only then
            if settings.distinct > 0:
                if make_distinct(tree, walk, problem, node, edge, rng, settings, make_action):
                    return edge
                return select_edge(tree, node, settings.selection, rng)
        schedule_action(tree, node, settings.k_action, settings.alpha_action)
        return edge

    return choose


@model_helper
def draw_by_blind_value(
    tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, edge: int, rng: Rng, settings: Any
) -> None:
    """Draw an action from the model, or the best of some by `settings.blind_values`."""
    if settings.blind_values.candidates > 0 and edge > tree.nodes[node]["first_edge"]:
        best_by_blind_value(tree, walk, problem, node, edge, rng, settings.selection, settings.blind_values)
    else:
        sample_action(problem, tree.state[node], tree.action[edge], rng)


@model_helper
def draw_near_best(
    tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, edge: int, rng: Rng, settings: Any
) -> None:
    """Draw an action from the model, or from the cell of the best one, by `settings.voronoi`."""
    if edge > tree.nodes[node]["first_edge"] + 1 and rng.random() >= settings.voronoi.omega:
        near_best(tree, node, edge, walk.actions[0], rng, settings.voronoi)
    else:
        sample_action(problem, tree.state[node], tree.action[edge], rng)


choose_widening = widening(draw_by_blind_value)
choose_new_action = widening(draw_by_blind_value, distinct=True)
choose_by_voronoi = widening(draw_near_best, distinct=True)
