"""Continuous rapid action value estimates on double progressive widening (Couetoux et al. 2011).

From Continuous Rapid Action Value Estimates: a simulation through a node s informs an action a of s as far as
actions similar to a were played in it, from s on. The RAVE value of (s, a) is the mean of the returns from s, weighted
by exp(-ln m (|a - a'|^2 / sigma_a^2 + |s - s'|^2 / sigma_s^2)) for every action a' that was played, in s', at s or
later; m simulations went through s. Selection mixes it with the mean of the edge,
beta RAVE + (1 - beta) mean with beta = sqrt(k / (3 n + k)) (Gelly and Silver 2007), and adds the bonus of UCB1.

Unlike in the paper, m is rounded down to a power of two, so that the sums of a node are renewed rarely and extended in
between; distances of actions are in widths of the box; the opponent's actions do not count in games of two players.
"""

import math

import numpy as np

from bonspiel.planners.core.argmax import argmax
from bonspiel.planners.core.jit import Problem, helper
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.new_actions import add_sampled_action
from bonspiel.planners.core.tree.nodes import ENDED, EXAMPLE_TREE, INV_SQRT, MEAN, SearchTree, has_room
from bonspiel.planners.core.tree.selection import sqrt_2_log
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
def _score(known: tuple[SearchTree, float, float], edge: int) -> float:
    """Beta RAVE + (1 - beta) mean + C sqrt(2 ln N / n); untried first."""
    tree, equivalence, width = known
    visits, mean = tree.edges[edge]["visits"], tree.value[edge, MEAN]
    if visits > 0 and tree.value[edge, WEIGHT] > 0.0:
        beta = math.sqrt(equivalence / (3.0 * visits + equivalence))
        mean += beta * (tree.value[edge, RAVE] / tree.value[edge, WEIGHT] - mean)
    return mean + width * tree.value[edge, INV_SQRT]


_NUMBERS = np.zeros(1, np.int64)
_EXAMPLE = RaveTree(EXAMPLE_TREE, np.empty(1, PLAYED), np.empty((1, 1)), _NUMBERS, _NUMBERS)
_SETTINGS = CRAVESettings(1.0, 1.0, 1.0, Outcomes(1.0, 1.0, False), 1.0, np.empty(1), np.empty(1), 1)


@search_kernel(_EXAMPLE, TREE_WALK, _SETTINGS)
def search(
    known: RaveTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: CRAVESettings
) -> int:
    """Simulate from the root: DPW, but that an edge is chosen by its RAVE value as well."""
    tree, k_action, alpha_action = known.tree, settings.k_action, settings.alpha_action
    for simulation in range(simulations):
        if not has_room(tree, problem.steps) or known.used[0] + problem.steps > len(known.steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while node != ENDED:
            if is_due(tree, node):
                edge = add_sampled_action(tree, problem, node, tree.state[node], rng, k_action, alpha_action)
                renew(known, node, edge, settings)
            else:
                place = tree.nodes[node]
                known_here = (tree, settings.equivalence, settings.exploration * sqrt_2_log(place["visits"]))
                edge = argmax(_score, known_here, place["first_edge"], place["actions"], rng)
            node, leaf_value, _ = follow_outcome(tree, walk, problem, depth, node, edge, rng, settings)
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity)
        remember(known, walk, depth, leaf_value, problem.discount, problem.validity)
        for i in range(depth):
            update_rave(known, walk.path[i]["node"], settings)
    return simulations
