"""The steps down a tree that planners share: choose from a set, sample the model, go to the child or keep outcomes."""

from typing import Any, NamedTuple

import numpy as np

from bonspiel.planners.core.hash_table import find_slot
from bonspiel.planners.core.jit import Problem, actions, helper, meet_again, model_helper, player, step
from bonspiel.planners.core.tree.leaf import value_leaf
from bonspiel.planners.core.tree.nodes import ENDED, NEVER, SearchTree, add_child, add_edge, add_node, child_key
from bonspiel.planners.core.tree.selection import draw_outcome, least_visited_outcome, select_edge, tries_new
from bonspiel.planners.core.tree.widening import due
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TreeWalk, record
from bonspiel.planners.model import Array, Rng


@helper
def _try_action(tree: SearchTree, node: int, actions: Array, rng: Rng) -> int:
    """A new edge with an action of the set that has none yet, each with equal probability."""
    tried = tree.nodes[node]["actions"]
    skip = int(rng.random() * (len(actions) - tried))
    first = tree.nodes[node]["first_edge"]
    for candidate in range(len(actions)):
        untried = True
        for edge in range(first, first + tried):
            same = True
            for i in range(actions.shape[1]):
                same = same and tree.action[edge, i] == actions[candidate, i]
            untried = untried and not same
        if untried and skip == 0:
            break
        skip -= untried
    new = add_edge(tree, node)
    copy(actions[candidate], tree.action[new])
    if tried + 1 == len(actions):
        tree.nodes[node]["due"] = NEVER
    return new


@model_helper
def choose_of_set(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: Any) -> int:
    """The edge that UCT follows, a new one while actions are untried.

    These are the model's set for the state, or `settings.actions`; edges are selected by `settings.selection`.
    """
    if not tries_new(tree, node, settings.selection):
        return select_edge(tree, node, settings.selection, rng)
    candidates = settings.actions
    if len(walk.keys) > 0:
        count = actions(problem, tree.state[node], walk.actions, walk.keys)
        candidates = walk.actions[:count]
    return _try_action(tree, node, candidates, rng)


@model_helper
def follow(
    tree: SearchTree, walk: TreeWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, settings: Any
) -> tuple[int, float, int]:
    """Step the model from `node` along `edge` and record it; a new child is valued by `settings.playouts` rollouts.

    Returns:
        The child with exactly the next state, new if there is none; ENDED at the end of the episode or of the horizon,
        and after the rollouts that value a new child.
        Their mean, else 0.
        Their number, else 1.
    """
    next_state = walk.state[0]
    reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
    record(walk, depth, node, edge, reward)
    if terminated or depth + 1 == problem.steps:
        return ENDED, 0.0, 1
    key = np.uint64(child_key(tree, node, edge, next_state))
    slot = find_slot(tree.slots, tree.keys, key)
    if tree.slots[slot] != 0:
        return tree.slots[slot] - 1, 0.0, 1
    child = add_child(tree, slot, key, next_state, player(problem, next_state))
    tree.nodes[child]["sibling"] = tree.edges[edge]["first_outcome"]
    tree.edges[edge]["first_outcome"] = child
    if settings.playouts > 0:
        value, weight = value_leaf(tree.state[child], walk, problem, depth + 1, rng, settings.playouts)
        return ENDED, value, weight
    return child, 0.0, 1


@helper
def _keep_outcome(tree: SearchTree, edge: int, state: Array, reward: float, ended: bool, player: float) -> int:
    """The edge's outcome with exactly this state and reward; a new one if there is none."""
    last = 0
    outcome = tree.edges[edge]["first_outcome"]
    while outcome != 0:
        same = tree.nodes[outcome]["reward"] == reward and (tree.nodes[outcome]["actions"] == ENDED) == ended
        for i in range(len(state)):
            same = same and tree.state[outcome, i] == state[i]
        if same:
            return outcome
        last, outcome = outcome, tree.nodes[outcome]["sibling"]
    node = add_node(tree, state, reward, player)
    if ended:
        tree.nodes[node]["actions"] = ENDED
    if last == 0:
        tree.edges[edge]["first_outcome"] = node
    else:
        tree.nodes[last]["sibling"] = node
    tree.edges[edge]["outcomes"] += 1
    return node


class Outcomes(NamedTuple):
    """The rule by which an edge gets outcomes, as a kernel takes it.

    Attributes:
        k: factor of state widening.
        alpha: its exponent.
        least_visited: whether the old outcome with the fewest visits is revisited, or one in proportion to them.
    """

    k: float
    alpha: float
    least_visited: bool


@model_helper
def take_outcome(
    tree: SearchTree, walk: TreeWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, rule: Outcomes
) -> int:
    """Go along `edge` to an outcome and record it: to a new one where state widening is due, else to an old one.

    Returns:
        The node of the outcome; with ENDED actions where the episode is over.
    """
    next_state = walk.state[0]
    if tree.edges[edge]["visits"] >= tree.edges[edge]["due"]:
        reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
        mover = 1.0 if terminated else player(problem, next_state)
        child = _keep_outcome(tree, edge, next_state, reward, terminated, mover)
        tree.edges[edge]["due"] = due(tree.edges[edge]["outcomes"], rule.k, rule.alpha)
    else:
        child = least_visited_outcome(tree, edge) if rule.least_visited else draw_outcome(tree, edge, rng)
        meet_again(problem, tree.nodes[child]["reward"])
    record(walk, depth, node, edge, tree.nodes[child]["reward"])
    return child


@model_helper
def follow_outcome(
    tree: SearchTree, walk: TreeWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, settings: Any
) -> tuple[int, float, int]:
    """Go along `edge` to an outcome, record it, and count the simulation's visits where it ends.

    Outcomes widen by `settings.outcomes`; a new one is valued by `settings.playouts` rollouts.

    Returns:
        The node of the outcome; ENDED at the end of the episode or of the horizon, and after the rollouts that value a
        new one.
        Their mean, else 0.
        Their number, else 1.
    """
    child = take_outcome(tree, walk, problem, depth, node, edge, rng, settings.outcomes)
    if depth + 1 == problem.steps or tree.nodes[child]["actions"] == ENDED:
        tree.nodes[child]["visits"] += 1
        return ENDED, 0.0, 1
    if settings.playouts > 0 and tree.nodes[child]["visits"] == 0:
        value, weight = value_leaf(tree.state[child], walk, problem, depth + 1, rng, settings.playouts)
        tree.nodes[child]["visits"] += weight
        return ENDED, value, weight
    return child, 0.0, 1
