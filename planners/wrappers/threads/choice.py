"""The edge that a thread follows from a node of a shared tree, where other threads have visits under way.

A visit under way counts in the bonus: o of them at an edge, and O at its node, count as v o and v O visits, so that
threads choose different edges.
Returns have any scale, so it is not assumed lost unless `virtual_loss` says so (Chaslot, Winands, van den Herik 2008).
"""

import math
from typing import Any, NamedTuple

from bonspiel.planners.core.jit import Problem, actions, helper, model_helper, sample_action
from bonspiel.planners.core.jit.atomics import add_to, load, publish, read_published
from bonspiel.planners.core.tree.new_actions import TRIES
from bonspiel.planners.core.tree.nodes import NEVER, UNTRIED
from bonspiel.planners.core.tree.selection import Selection, Terms, lowest_return, sqrt_2_log, upper_bound
from bonspiel.planners.core.tree.widening import due
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.wrappers.threads.additions import add_edge, may_add, next_edge, publish_edge
from bonspiel.planners.wrappers.threads.shared_tree import (
    ACTIONS,
    ADDING,
    COUNT,
    DUE,
    FIRST_EDGE,
    NONE,
    PLAYER,
    SHIFT,
    SHOWN_INV_SQRT,
    SHOWN_MEAN,
    STOPPED,
    TOTAL,
    UNDER_WAY,
    VISITS,
    SharedTree,
    SharedWalk,
)


class Virtual(NamedTuple):
    """The weight of visits under way.

    Attributes:
        visits: v, of each.
        loss: whether each also counts as a visit with the lowest return that this thread has met.
    """

    visits: float
    loss: bool


@helper
def _under_way(tree: SharedTree, node: int, count: int) -> int:
    """Visits under way over the first `count` edges."""
    known, edge = 0, tree.nodes[node, FIRST_EDGE]
    for rank in range(count):
        known += load(tree.edges, edge, COUNT)
        edge = next_edge(tree, edge, rank)
    return known & UNDER_WAY


@helper
def _mean_of_node(tree: SharedTree, node: int, count: int) -> float:
    """Mean return over the first `count` edges; 0 before the first visit."""
    visits, total, edge = 0, 0.0, tree.nodes[node, FIRST_EDGE]
    for rank in range(count):
        visits += load(tree.edges, edge, COUNT) >> SHIFT
        total += load(tree.edge_values, edge, TOTAL)
        edge = next_edge(tree, edge, rank)
    return total / max(visits, 1)


@helper
def _score(tree: SharedTree, walk: SharedWalk, node: int, edge: int, terms: Terms, rule: Virtual, count: int) -> float:
    """The score of an edge, UNTRIED without visits; one with visits under way alone has the mean of its node."""
    known, inv_sqrt = load(tree.edges, edge, COUNT), read_published(tree.edge_values, edge, SHOWN_INV_SQRT)
    if known == 0:
        return UNTRIED
    visits, under_way = known >> SHIFT, known & UNDER_WAY
    if under_way == 0 and inv_sqrt > 0.0:
        return upper_bound(load(tree.edge_values, edge, SHOWN_MEAN), inv_sqrt, 0.0, terms)
    total = load(tree.edge_values, edge, TOTAL)
    if rule.loss and walk.returns[0] <= walk.returns[1]:
        mean = (total + under_way * terms.lowest) / (visits + under_way)
    else:
        mean = total / visits if visits > 0 else _mean_of_node(tree, node, count)
    return upper_bound(mean, 1.0 / math.sqrt(max(visits + rule.visits * under_way, 1.0)), 0.0, terms)


@helper
def best_edge(
    tree: SharedTree, walk: SharedWalk, node: int, count: int, selection: Selection, rule: Virtual, rng: Rng
) -> int:
    """Argmax of the score with N + v O and n + v o visits among the first `count` edges, 1 or more; untried ones first.

    Equals are drawn as by `planners.core.argmax`; where another thread has changed their scores meanwhile, it is the
    first of them. The first edge, too, where no score is a number above -inf.
    """
    visits = load(tree.nodes, node, VISITS) + rule.visits * _under_way(tree, node, count)
    lowest = lowest_return(walk.returns, tree.node_values[node, PLAYER])
    terms = Terms(selection.exploration, sqrt_2_log(int(visits)), lowest, selection.bonus)
    edge = tree.nodes[node, FIRST_EDGE]
    best, top, equals = edge, -math.inf, 0
    for rank in range(count):
        score = _score(tree, walk, node, edge, terms, rule, count)
        if score > top:
            best, top, equals = edge, score, 1
        elif score == top:
            equals += 1
        edge = next_edge(tree, edge, rank)
    if equals > 1:
        skip, edge = int(rng.random() * equals), tree.nodes[node, FIRST_EDGE]
        for rank in range(count):
            if _score(tree, walk, node, edge, terms, rule, count) == top:
                if skip == 0:
                    return edge
                skip -= 1
            edge = next_edge(tree, edge, rank)
    return best


@helper
def _follow_edge(tree: SharedTree, walk: SharedWalk, node: int, rng: Rng, settings: Any) -> int:
    """An old edge of the node, with a visit more under way.

    A thread waits for a node's first edge, unless rollouts can value the node: then, or if the search is to stop, NONE.
    At the root it waits for each: while the thread that adds one is without a processor, all visits would go to the
    edges before, among which the most visited one is played.
    """
    count = read_published(tree.nodes, node, ACTIONS)
    while count == 0 or (node == 0 and read_published(tree.nodes, node, DUE) == ADDING):
        if (settings.inner.playouts > 0 and node != 0) or load(tree.size, 0, STOPPED) != 0:
            return NONE
        count = read_published(tree.nodes, node, ACTIONS)
    edge = best_edge(tree, walk, node, count, settings.inner.selection, settings.virtual, rng)
    add_to(tree.edges, edge, COUNT, 1)
    return edge


@helper
def _is_tried(tree: SharedTree, node: int, count: int, action: Array) -> bool:
    """True if one of the first `count` edges has exactly this action."""
    edge = tree.nodes[node, FIRST_EDGE]
    for rank in range(count):
        same = True
        for i in range(len(action)):
            same = same and tree.action[edge, i] == action[i]
        if same:
            return True
        edge = next_edge(tree, edge, rank)
    return False


@model_helper
def choose_of_set(tree: SharedTree, walk: SharedWalk, problem: Problem, node: int, rng: Rng, settings: Any) -> int:
    """The edge that UCT follows, a new one while actions are untried; see `planners.core.tree.descent`."""
    if may_add(tree.nodes, node, 0):
        edge, tried = add_edge(tree, walk, node), load(tree.nodes, node, ACTIONS)
        if edge != NONE:
            candidates = settings.inner.actions
            if len(walk.walk.keys) > 0:
                count = actions(problem, tree.state[node], walk.walk.actions, walk.walk.keys)
                candidates = walk.walk.actions[:count]
            skip, chosen = int(rng.random() * (len(candidates) - tried)), 0
            for candidate in range(len(candidates)):
                chosen, untried = candidate, not _is_tried(tree, node, tried, candidates[candidate])
                if untried and skip == 0:
                    break
                skip -= untried
            copy(candidates[chosen], tree.action[edge])
            publish_edge(tree, node, NEVER if tried + 1 == len(candidates) else 0)
            return edge
        publish(tree.nodes, node, DUE, 0)
    return _follow_edge(tree, walk, node, rng, settings)


@model_helper
def _draw_action(tree: SharedTree, problem: Problem, node: int, edge: int, tried: int, rng: Rng, distinct: int) -> bool:
    """Draw the action of a new edge; False if there are `distinct` > 0 actions and all `TRIES` draws are tried ones."""
    for _ in range(TRIES):
        sample_action(problem, tree.state[node], tree.action[edge], rng)
        if distinct == 0 or not _is_tried(tree, node, tried, tree.action[edge]):
            return True
    return False


@model_helper
def choose_widening(tree: SharedTree, walk: SharedWalk, problem: Problem, node: int, rng: Rng, settings: Any) -> int:
    """The edge that progressive widening follows, a new one where it is due; see `planners.core.tree.new_actions`."""
    inner, visits = settings.inner, load(tree.nodes, node, VISITS)
    if may_add(tree.nodes, node, visits):
        edge = add_edge(tree, walk, node)
        if edge != NONE:
            tried = load(tree.nodes, node, ACTIONS)
            if _draw_action(tree, problem, node, edge, tried, rng, inner.distinct):
                all_tried = tried + 1 == inner.distinct
                publish_edge(tree, node, NEVER if all_tried else due(tried + 1, inner.k_action, inner.alpha_action))
                return edge
            visits = 2 * visits + 1
        publish(tree.nodes, node, DUE, visits)
    return _follow_edge(tree, walk, node, rng, settings)
