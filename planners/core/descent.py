"""The step down from a node that UCT and PW share: sample the model, and go to the child that has the next state."""

import numpy as np

from planners.base import Rng
from planners.core.hash_table import find_slot
from planners.core.jit import Problem, model_helper, player, rollout, step
from planners.core.tree import ENDED, SearchTree, add_child, child_key
from planners.core.walk import TreeWalk, record


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
