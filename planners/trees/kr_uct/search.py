"""The search of KR-UCT, see `planners.trees.kr_uct.planner`."""

import math

import numpy as np

from bonspiel.planners.core.jit import Problem, actions, meet_again, model_helper, player, step, step_exact
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.leaf import value_leaf
from bonspiel.planners.core.tree.new_actions import add_sampled_action
from bonspiel.planners.core.tree.nodes import BLOCK, ENDED, NEVER, SEARCH_TREE, SearchTree, add_edge, add_node, has_room
from bonspiel.planners.core.tree.simulation import descend
from bonspiel.planners.core.tree.widening import is_due, schedule_action
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, record
from bonspiel.planners.model import Rng
from bonspiel.planners.trees.kr_uct.regression import (
    PROPOSALS,
    KRUCTSettings,
    back_up,
    best_edge,
    edges_of,
    init_edge,
    widen,
)


@model_helper
def _add_candidates(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int) -> None:
    """The model's own choice of actions for this state."""
    count = actions(problem, tree.state[node], walk.actions, walk.keys)
    for i in range(count):
        edge = add_edge(tree, node)
        copy(walk.actions[i], tree.action[edge])
        init_edge(tree, edge)


@model_helper
def _choose(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: KRUCTSettings) -> int:
    """The edge to follow: one of the first actions, a new action near the best one where that is due, or the best."""
    k_action, alpha_action, n_initial = settings.k_action, settings.alpha_action, settings.n_initial
    count = tree.nodes[node]["actions"]
    if count == 0 and len(walk.keys) > 0:
        _add_candidates(tree, walk, problem, node)
        schedule_action(tree, node, k_action, alpha_action)
    if count < n_initial and is_due(tree, node):
        edge = add_sampled_action(tree, problem, node, tree.state[node], rng, k_action, alpha_action)
        init_edge(tree, edge)
        if count + 1 < n_initial:
            tree.nodes[node]["due"] = count + 1
        return edge
    edge = best_edge(tree, node, settings.exploration, rng)
    # an exact end seen again would teach nothing, so the search tries another action: a neighbouring one, or a random
    # one where that end was invalid
    end = tree.nodes[tree.edges[edge]["first_outcome"]]
    ended = settings.exact and end["actions"] == ENDED and tree.nodes[node]["due"] != NEVER
    widens = is_due(tree, node)
    if ended and math.isnan(end["reward"]):
        edge = add_sampled_action(tree, problem, node, tree.state[node], rng, k_action, alpha_action)
        init_edge(tree, edge)
    elif widens or ended:
        edge = widen(tree, node, edge, PROPOSALS if widens else 1, walk.actions[0], rng, settings)
        schedule_action(tree, node, k_action, alpha_action)
    return edge


@model_helper
def _follow(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    depth: int,
    node: int,
    edge: int,
    rng: Rng,
    settings: KRUCTSettings,
) -> tuple[int, float, int]:
    """Take the edge's exact outcome or a sampled one, which widens as in DPW, and record it.

    Returns:
        The child, or ENDED at the end of the episode or of the horizon, and after the rollout that values a new child.
        The value of that rollout, else 0.
        1, the visits that it counts for.
    """
    next_state = walk.state[0]
    if not settings.exact:
        if depth + 1 == problem.steps:  # nothing follows that an outcome would be kept for
            reward, _ = step(problem, tree.state[node], tree.action[edge], next_state, rng)
            record(walk, depth, node, edge, reward)
            return ENDED, 0.0, 1
        return follow_outcome(tree, walk, problem, depth=depth, node=node, edge=edge, rng=rng, settings=settings)
    child = tree.edges[edge]["first_outcome"]
    is_new = child == 0
    if is_new:
        reward, terminated = step_exact(problem, tree.state[node], tree.action[edge], next_state, rng)
        child = add_node(tree, next_state, reward, 1.0 if terminated else player(problem, next_state))
        tree.edges[edge]["first_outcome"] = child
        if terminated or depth + 1 == problem.steps:
            tree.nodes[child]["actions"] = ENDED
    else:
        meet_again(problem, tree.nodes[child]["reward"])
    record(walk, depth, node, edge, tree.nodes[child]["reward"])
    if tree.nodes[child]["actions"] == ENDED:
        return ENDED, 0.0, 1
    if is_new and settings.playouts > 0:
        value, weight = value_leaf(tree.state[child], walk, problem, depth + 1, rng, settings.playouts)
        return ENDED, value, weight
    return child, 0.0, 1


@search_kernel(
    SEARCH_TREE,
    TREE_WALK,
    KRUCTSettings(1.0, 1.0, 1.0, 1.0, 1, Outcomes(1.0, 1.0, False), np.zeros(1), np.zeros(1), np.zeros(1), False, 1),
)
def search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: KRUCTSettings
) -> int:
    """Simulate from the root, whose actions are edges of the tree as those of any node."""
    while tree.size[BLOCK] < len(walk.keys):
        tree.size[BLOCK] *= 2
    if tree.nodes[0]["visits"] == 0:
        for edge in edges_of(tree, 0):
            init_edge(tree, edge)
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        depth, leaf_value, _ = descend(tree, walk, problem, rng, settings, _choose, _follow)
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, settings.sd)
    return simulations
