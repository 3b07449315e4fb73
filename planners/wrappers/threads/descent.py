"""The steps down a tree that threads share, and the back-up: those of `planners.core`, with visits under way.

A visit under way counts in the bonus, mean + C sqrt(2 ln(N + v O) / (n + v o)), so that threads choose different edges.
Returns have any scale, so it is not assumed lost unless `virtual_loss` says so (Chaslot, Winands, van den Herik 2008).
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.core.jit import Problem, actions, helper, model_helper, player, sample_action, step
from bonspiel.planners.core.jit.atomics import add_and_publish, add_to, exchange, load, publish, read_published
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.tree.leaf import Leaf, value_leaf
from bonspiel.planners.core.tree.nodes import ENDED, NEVER, copy
from bonspiel.planners.core.tree.selection import sqrt_2_log
from bonspiel.planners.core.tree.widening import due
from bonspiel.planners.core.walk import record
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.wrappers.threads.shared_tree import (
    ACTIONS,
    COUNT,
    DUE,
    FIRST_EDGE,
    FIRST_OUTCOME,
    INV_SQRT,
    MEAN,
    NONE,
    OUTCOMES,
    PLAYER,
    REWARD,
    SHIFT,
    SIBLING,
    STOPPED,
    TOTAL,
    UNDER_WAY,
    VISIT,
    VISITS,
    SharedTree,
    SharedWalk,
    add_edge,
    child_key,
    enter_child,
    find_child,
    keep_node,
    may_add,
    next_edge,
    publish_edge,
    write_node,
)


class Virtual(NamedTuple):
    """How visits under way count.

    Attributes:
        exploration: C.
        visits: v, of each.
        loss: whether each also counts as a visit with the lowest return that this thread has met.
    """

    exploration: float
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
def _score_under_way(
    tree: SharedTree, walk: SharedWalk, node: int, edge: int, known: int, width: float, rule: Virtual, count: int
) -> tuple[float, float]:
    """Score and mean of an edge with visits under way; without others its mean is that of its node."""
    visits, under_way = known >> SHIFT, known & UNDER_WAY
    total = load(tree.edge_values, edge, TOTAL)
    if rule.loss and walk.returns[0] <= walk.returns[1]:
        lowest = walk.returns[0] if tree.node_values[node, PLAYER] > 0.0 else -walk.returns[1]
        mean = (total + under_way * lowest) / (visits + under_way)
    else:
        mean = total / visits if visits > 0 else _mean_of_node(tree, node, count)
    return mean + width / math.sqrt(max(visits + rule.visits * under_way, 1.0)), mean


@helper
def best_edge(tree: SharedTree, walk: SharedWalk, node: int, count: int, rule: Virtual) -> int:
    """Argmax of mean + C sqrt(2 ln(N + v O) / (n + v o)) among the first `count` edges, 1 or more; untried ones first.

    The first edge where no score is a number above -inf.
    """
    visits = load(tree.nodes, node, VISITS) + rule.visits * _under_way(tree, node, count)
    width = rule.exploration * sqrt_2_log(int(visits))
    edge = tree.nodes[node, FIRST_EDGE]
    best, best_score, best_mean = edge, -math.inf, -math.inf
    for rank in range(count):
        known = load(tree.edges, edge, COUNT)
        if known == 0:
            return edge
        inv_sqrt = read_published(tree.edge_values, edge, INV_SQRT)
        if known & UNDER_WAY == 0 and inv_sqrt > 0.0:
            mean = load(tree.edge_values, edge, MEAN)
            score = mean + width * inv_sqrt
        else:
            score, mean = _score_under_way(tree, walk, node, edge, known, width, rule, count)
        if score > best_score or (score == best_score and mean > best_mean):
            best, best_score, best_mean = edge, score, mean
        edge = next_edge(tree, edge, rank)
    return best


@helper
def _follow_edge(tree: SharedTree, walk: SharedWalk, node: int, rule: Virtual, leaf: Leaf) -> int:
    """An old edge of the node, with a visit more under way.

    A thread waits for a node's first edge, unless rollouts can value the node, which is not the root: then, or if the
    search is to stop, NONE.
    """
    count = read_published(tree.nodes, node, ACTIONS)
    while count == 0:
        if (leaf.playouts > 0 and node != 0) or load(tree.size, 0, STOPPED) != 0:
            return NONE
        count = read_published(tree.nodes, node, ACTIONS)
    edge = best_edge(tree, walk, node, count, rule)
    add_to(tree.edges, edge, COUNT, 1)
    return edge


@helper
def _is_tried(tree: SharedTree, node: int, count: int, action: Array) -> bool:
    """Whether one of the first `count` edges has exactly this action."""
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
def choose_of_set(
    tree: SharedTree, walk: SharedWalk, problem: Problem, node: int, rng: Rng, rule: Virtual, fixed: Array, leaf: Leaf
) -> int:
    """The edge that UCT follows, a new one while actions are untried: of the model's set for the state, or `fixed`."""
    if may_add(tree.nodes, node, 0):
        edge, tried = add_edge(tree, walk, node), load(tree.nodes, node, ACTIONS)
        if edge != NONE:
            candidates = fixed
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
    return _follow_edge(tree, walk, node, rule, leaf)


@model_helper
def choose_widening(
    tree: SharedTree,
    walk: SharedWalk,
    problem: Problem,
    node: int,
    rng: Rng,
    rule: Virtual,
    k: float,
    alpha: float,
    leaf: Leaf,
) -> int:
    """The edge that progressive widening follows, a new one where it is due."""
    visits = load(tree.nodes, node, VISITS)
    if may_add(tree.nodes, node, visits):
        edge = add_edge(tree, walk, node)
        if edge != NONE:
            sample_action(problem, tree.state[node], tree.action[edge], rng)
            publish_edge(tree, node, due(load(tree.nodes, node, ACTIONS) + 1, k, alpha))
            return edge
        publish(tree.nodes, node, DUE, visits)
    return _follow_edge(tree, walk, node, rule, leaf)


@model_helper
def follow(
    tree: SharedTree, walk: SharedWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, leaf: Leaf
) -> tuple[int, float, int]:
    """Step the model from `node` along `edge` and record it; see `planners.core.tree.descent.follow`."""
    next_state = walk.walk.state[0]
    reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
    record(walk.walk, depth, node, edge, reward)
    if terminated or depth + 1 == problem.steps:
        return ENDED, 0.0, 1
    key = np.uint64(child_key(tree, node, edge, next_state))
    child, is_new = find_child(tree, key), False
    if child == NONE:
        child, is_new = enter_child(tree, walk, key, next_state, player(problem, next_state))
    if is_new and leaf.playouts > 0:
        value, weight = value_leaf(tree.state[child], walk.walk, problem, depth + 1, rng, leaf)
        return ENDED, value, weight
    return child, 0.0, 1


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
def follow_outcome(
    tree: SharedTree,
    walk: SharedWalk,
    problem: Problem,
    depth: int,
    node: int,
    edge: int,
    rng: Rng,
    k_state: float,
    alpha_state: float,
    least_visited: bool,
) -> int:
    """Go along `edge` to an outcome and record it: to a new one where state widening is due, else to an old one.

    Returns:
        The node of the outcome, NONE if the search is to stop; with ENDED actions where the episode is over.
    """
    next_state = walk.walk.state[0]
    if may_add(tree.edges, edge, load(tree.edges, edge, COUNT) >> SHIFT):
        reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
        child = _keep_outcome(tree, walk, edge, next_state, reward, terminated, player(problem, next_state))
        publish(tree.edges, edge, DUE, due(tree.edges[edge, OUTCOMES], k_state, alpha_state))
    else:
        while read_published(tree.edges, edge, FIRST_OUTCOME) == 0:
            if load(tree.size, 0, STOPPED) != 0:
                return NONE
        child = _old_outcome(tree, edge, rng, least_visited)
    record(walk.walk, depth, node, edge, tree.node_values[child, REWARD])
    return child


@helper
def _renew_mean(tree: SharedTree, edge: int) -> None:
    """Write what selections read of an edge, again if another thread has counted a visit meanwhile.

    Who sees a count also sees the returns of its visits, so that the last thread to write a mean has all of them.
    """
    visits = read_published(tree.edges, edge, COUNT) >> SHIFT
    while True:
        publish(tree.edge_values, edge, MEAN, load(tree.edge_values, edge, TOTAL) / visits)
        exchange(tree.edge_values, edge, INV_SQRT, 1.0 / math.sqrt(visits))  # shown before the count is read again
        now = read_published(tree.edges, edge, COUNT) >> SHIFT
        if now == visits:
            break
        visits = now


@helper
def back_up(
    tree: SharedTree, walk: SharedWalk, depth: int, leaf_value: float, discount: float, end: int, weight: int
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
        add_to(tree.edge_values, edge, TOTAL, tree.node_values[node, PLAYER] * total * weight)
        add_and_publish(tree.edges, edge, COUNT, weight * VISIT - 1)
        _renew_mean(tree, edge)
        add_to(tree.nodes, node, VISITS, weight)
    note_return(walk.returns, total)
