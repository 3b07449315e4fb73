"""Continuous rapid action value estimates on double progressive widening (Couetoux et al. 2011).

From Continuous Rapid Action Value Estimates: a simulation through a node s informs an action a of s as far as
actions similar to a were played in it, from s on. The RAVE value of (s, a) is the mean of the returns from s, weighted
by exp(-ln m (|a - a'|^2 / sigma_a^2 + |s - s'|^2 / sigma_s^2)) for every action a' that was played, in s', at s or
later; m simulations went through s. Selection mixes it with the mean of the edge,
beta RAVE + (1 - beta) mean with beta = sqrt(k / (3 n + k)) (Gelly and Silver 2007), and adds a bonus.

Unlike in the paper, m is rounded down to a power of two, so that the sums of a node are renewed rarely and extended in
between; distances of actions are in widths of the box; the opponent's actions do not count in games of two players.
"""

import math

import numpy as np

from bonspiel.planners.core.jit import Problem, helper, model_helper
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.new_actions import add_sampled_action
from bonspiel.planners.core.tree.nodes import EXAMPLE_TREE, INV_SQRT, MEAN, VARIANCE, SearchTree, has_room
from bonspiel.planners.core.tree.selection import UCB1, Terms, best_by, selection_of, terms_of, upper_bound
from bonspiel.planners.core.tree.simulation import descend
from bonspiel.planners.core.tree.widening import is_due
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.model import Rng
from bonspiel.planners.trees.crave.rave import (
    PLAYED,
    RAVE,
    WEIGHT,
    CRAVESettings,
    RaveTree,
    remember,
    renew,
    update_rave,
)


@helper
def _score(known: tuple[tuple[SearchTree, float], Terms], edge: int) -> float:
    """The score of beta RAVE + (1 - beta) mean; untried first."""
    (tree, equivalence), terms = known
    visits, mean = tree.edges[edge]["visits"], tree.value[edge, MEAN]
    if visits > 0 and tree.value[edge, WEIGHT] > 0.0:
        beta = math.sqrt(equivalence / (3.0 * visits + equivalence))
        mean += beta * (tree.value[edge, RAVE] / tree.value[edge, WEIGHT] - mean)
    variance = 0.0 if terms.bonus == UCB1 else tree.value[edge, VARIANCE]
    return upper_bound(mean, tree.value[edge, INV_SQRT], variance, terms)


@model_helper
def _choose(known: RaveTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: CRAVESettings) -> int:
    tree = known.tree
    if is_due(tree, node):
        k, alpha = settings.k_action, settings.alpha_action
        edge = add_sampled_action(tree, problem, node, tree.state[node], rng, k, alpha)
        renew(known, node, edge, settings)
        return edge
    terms, first, count = (
        terms_of(tree, node, settings.selection),
        tree.nodes[node]["first_edge"],
        tree.nodes[node]["actions"],
    )
    return best_by(_score, (tree, settings.equivalence), terms, first, count, rng)


@model_helper
def _follow(
    known: RaveTree,
    walk: TreeWalk,
    problem: Problem,
    depth: int,
    node: int,
    edge: int,
    rng: Rng,
    settings: CRAVESettings,
) -> tuple[int, float, int]:
    return follow_outcome(known.tree, walk, problem, depth=depth, node=node, edge=edge, rng=rng, settings=settings)


_NUMBERS = np.zeros(1, np.int64)
_EXAMPLE = RaveTree(EXAMPLE_TREE, np.empty(1, PLAYED), np.empty((1, 1)), _NUMBERS, _NUMBERS)
_SETTINGS = CRAVESettings(selection_of(1.0), 1.0, 1.0, Outcomes(1.0, 1.0, False), 1.0, np.empty(1), np.empty(1), 1)


@search_kernel(_EXAMPLE, TREE_WALK, _SETTINGS)
def search(
    known: RaveTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: CRAVESettings
) -> int:
    """Simulate from the root: DPW, but that an edge is chosen by its RAVE value as well."""
    tree = known.tree
    for simulation in range(simulations):
        if not has_room(tree, problem.steps) or known.used[0] + problem.steps > len(known.steps):
            return simulation
        depth, leaf_value, _ = descend(known, walk, problem, rng, settings, _choose, _follow)
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity)
        remember(known, walk, depth, leaf_value, problem.discount, problem.validity)
        for i in range(depth):
            update_rave(known, walk.path[i]["node"], settings)
    return simulations
