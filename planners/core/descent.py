"""The step down from a node: sample the model and go to the child that has the next state, or keep a few outcomes."""

import numpy as np

from planners.base import Array, Rng
from planners.core.hash_table import find_slot
from planners.core.jit import Problem, helper, model_helper, player, rollout, step
from planners.core.selection import draw_outcome, least_visited_outcome
from planners.core.tree import ENDED, SearchTree, add_child, add_node, child_key
from planners.core.walk import TreeWalk, record
from planners.core.widening import due


@model_helper
def follow(
    tree: SearchTree, walk: TreeWalk, problem: Problem, depth: int, node: int, edge: int, rng: Rng, use_rollout: bool
) -> tuple[int, float]:
    """Step the model from `node` along `edge` and record it.

    Returns:
        The child with exactly the next state, new if there is none; ENDED at the end of the episode or of the horizon,
        and after the rollout that values a new child.
        The value of that rollout, else 0.
    """
    next_state, scratch = walk.state[0], walk.state[1]
    reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
    record(walk, depth, node, edge, reward)
    if terminated or depth + 1 == problem.steps:
        return ENDED, 0.0
    key = np.uint64(child_key(tree, node, edge, next_state))
    slot = find_slot(tree.slots, tree.keys, key)
    if tree.slots[slot] != 0:
        return tree.slots[slot] - 1, 0.0
    child = add_child(tree, slot, key, next_state, player(problem, next_state))
    if use_rollout:
        return ENDED, rollout(problem, next_state, scratch, problem.steps - depth - 1, rng)
    return child, 0.0


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


@model_helper
def follow_outcome(
    tree: SearchTree,
    walk: TreeWalk,
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
        The node of the outcome; with ENDED actions where the episode is over.
    """
    next_state = walk.state[0]
    if tree.edges[edge]["visits"] >= tree.edges[edge]["due"]:
        reward, terminated = step(problem, tree.state[node], tree.action[edge], next_state, rng)
        child = _keep_outcome(tree, edge, next_state, reward, terminated, player(problem, next_state))
        tree.edges[edge]["due"] = due(tree.edges[edge]["outcomes"], k_state, alpha_state)
    elif least_visited:
        child = least_visited_outcome(tree, edge)
    else:
        child = draw_outcome(tree, edge, rng)
    record(walk, depth, node, edge, tree.nodes[child]["reward"])
    return child
