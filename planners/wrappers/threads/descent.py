"""A step along an edge of a tree that threads share, and the back-up; as in `planners.core.tree`, but atomic."""

import math
from typing import Any

import numpy as np

from bonspiel.planners.core.jit import Problem, gain_of, helper, meet_again, model_helper, player, step
from bonspiel.planners.core.jit.atomics import add_and_publish, add_to, exchange, load, publish, read_published
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.tree.descent import Outcomes
from bonspiel.planners.core.tree.leaf import value_leaf
from bonspiel.planners.core.tree.nodes import ENDED
from bonspiel.planners.core.tree.widening import due
from bonspiel.planners.core.walk import record
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.wrappers.threads.additions import (
    child_key,
    enter_child,
    find_child,
    keep_node,
    may_add,
    write_node,
)
from bonspiel.planners.wrappers.threads.shared_tree import (
    ACTIONS,
    COUNT,
    DUE,
    FIRST_OUTCOME,
    NONE,
    OUTCOMES,
    PLAYER,
    REWARD,
    SHIFT,
    SHOWN_INV_SQRT,
    SHOWN_MEAN,
    SIBLING,
    STOPPED,
    TOTAL,
    VISIT,
    VISITS,
    SharedTree,
    SharedWalk,
)


@model_helper
def follow(
    tree: SharedTree, walk: SharedWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, settings: Any
) -> tuple[int, bool, float, int]:
    """Step the model from `node` along `edge` and record it; see `planners.core.tree.descent.follow`.

    Returns:
        The child, ENDED where the simulation ends in no node.
        Whether the simulation ends.
        The value of the leaf and its visits.
    """
    next_state = walk.walk.state[0]
    reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
    record(walk.walk, depth, node, edge, reward)
    if terminated or depth + 1 == problem.steps:
        return ENDED, True, 0.0, 1
    key = np.uint64(child_key(tree, node, edge, next_state))
    child, is_new = find_child(tree, key), False
    if child == NONE:
        child, is_new = enter_child(tree, walk, key, next_state, player(problem, next_state))
    if is_new and settings.inner.playouts > 0:
        value, weight = value_leaf(tree.state[child], walk.walk, problem, depth + 1, rng, settings.inner.playouts)
        return ENDED, True, value, weight
    return child, False, 0.0, 1


@helper
def _keep_outcome(
    tree: SharedTree, walk: SharedWalk, edge: int, state: Array, reward: float, ended: bool, player: float
) -> int:
    """The edge's outcome with exactly this state and reward; a new one if there is none."""
    last, outcome = 0, tree.edges[edge, FIRST_OUTCOME]
    while outcome != 0:
        same = tree.node_values[outcome, REWARD] == reward
        same = same and (load(tree.nodes, outcome, ACTIONS) == ENDED) == ended
        for i in range(len(state)):
            same = same and tree.state[outcome, i] == state[i]
        if same:
            return outcome
        last, outcome = outcome, tree.nodes[outcome, SIBLING]
    node = write_node(tree, walk, state, reward, player)
    if ended:
        tree.nodes[node, ACTIONS] = ENDED
    keep_node(walk)
    if last == 0:
        publish(tree.edges, edge, FIRST_OUTCOME, node)
    else:
        publish(tree.nodes, last, SIBLING, node)
    tree.edges[edge, OUTCOMES] += 1
    return node


@helper
def _old_outcome(tree: SharedTree, edge: int, rng: Rng, least_visited: bool) -> int:
    """The outcome with the fewest visits, or one in proportion to them; see `planners.core.tree.selection`."""
    best = outcome = read_published(tree.edges, edge, FIRST_OUTCOME)
    if least_visited:
        while outcome != 0:
            if load(tree.nodes, outcome, VISITS) < load(tree.nodes, best, VISITS):
                best = outcome
            outcome = read_published(tree.nodes, outcome, SIBLING)
        return best
    left = int(rng.random() * (load(tree.edges, edge, COUNT) >> SHIFT)) - load(tree.nodes, outcome, VISITS)
    while left >= 0:
        outcome = read_published(tree.nodes, outcome, SIBLING)
        if outcome == 0:  # its last visits are not counted yet
            return best
        left -= load(tree.nodes, outcome, VISITS)
    return outcome


@model_helper
def _take_outcome(
    tree: SharedTree, walk: SharedWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, rule: Outcomes
) -> int:
    """Go along `edge` to an outcome and record it: to a new one where state widening is due, else to an old one.

    Returns:
        The node of the outcome, NONE if the search is to stop; with ENDED actions where the episode is over.
    """
    next_state = walk.walk.state[0]
    if may_add(tree.edges, edge, load(tree.edges, edge, COUNT) >> SHIFT):
        reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
        mover = 1.0 if terminated else player(problem, next_state)
        child = _keep_outcome(tree, walk, edge, next_state, reward, terminated, mover)
        publish(tree.edges, edge, DUE, due(tree.edges[edge, OUTCOMES], rule.k, rule.alpha))
    else:
        while read_published(tree.edges, edge, FIRST_OUTCOME) == 0:
            if load(tree.size, 0, STOPPED) != 0:
                return NONE
        child = _old_outcome(tree, edge, rng, rule.least_visited)
        meet_again(problem, tree.node_values[child, REWARD])
    record(walk.walk, depth, node, edge, tree.node_values[child, REWARD])
    return child


@model_helper
def follow_outcome(
    tree: SharedTree, walk: SharedWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, settings: Any
) -> tuple[int, bool, float, int]:
    """Go along `edge` to an outcome; see `planners.core.tree.descent.follow_outcome`.

    Returns:
        The node of the outcome, NONE if the search is to stop.
        Whether the simulation ends.
        The value of the leaf and its visits.
    """
    child = _take_outcome(tree, walk, problem, depth, node, edge, rng, settings.inner.outcomes)
    if child == NONE:
        return NONE, False, 0.0, 1
    if depth + 1 == problem.steps or load(tree.nodes, child, ACTIONS) == ENDED:
        return child, True, 0.0, 1
    if settings.inner.playouts > 0 and load(tree.nodes, child, VISITS) == 0:
        value, weight = value_leaf(tree.state[child], walk.walk, problem, depth + 1, rng, settings.inner.playouts)
        return child, True, value, weight
    return child, False, 0.0, 1


@helper
def _renew_mean(tree: SharedTree, edge: int) -> None:
    """Write what selections read of an edge, again if another thread has counted a visit meanwhile.

    Who sees a count also sees the returns of its visits, so that the last thread to write a mean has all of them.
    """
    visits = read_published(tree.edges, edge, COUNT) >> SHIFT
    while True:
        publish(tree.edge_values, edge, SHOWN_MEAN, load(tree.edge_values, edge, TOTAL) / visits)
        exchange(
            tree.edge_values, edge, SHOWN_INV_SQRT, 1.0 / math.sqrt(visits)
        )  # shown before the count is read again
        now = read_published(tree.edges, edge, COUNT) >> SHIFT
        if now == visits:
            break
        visits = now


@helper
def back_up(
    tree: SharedTree,
    walk: SharedWalk,
    depth: int,
    leaf_value: float,
    discount: float,
    validity: Array,
    end: int,
    weight: int,
) -> None:
    """Add the discounted return to the first `depth` steps of the path, from the last to the first, as `weight` visits.

    The simulation ended in the node `end`, or in none that the tree has, ENDED.
    """
    total, path = leaf_value, walk.walk.path
    if end != ENDED:
        add_to(tree.nodes, end, VISITS, weight)
    for i in range(depth - 1, -1, -1):
        node, edge = path[i]["node"], path[i]["edge"]
        total = path[i]["reward"] + discount * total
        gain = gain_of(validity, i, tree.node_values[node, PLAYER], total)
        add_to(tree.edge_values, edge, TOTAL, gain * weight)
        add_and_publish(tree.edges, edge, COUNT, weight * VISIT - 1)
        _renew_mean(tree, edge)
        add_to(tree.nodes, node, VISITS, weight)
    note_return(walk.returns, total)
