"""The search of HOOT and POLY-HOOT: in every step, HOO in the tree of the abstract state chooses the action."""

import numpy as np

from bonspiel.planners.cells.hoot.forest import (
    FOREST,
    NODES,
    Forest,
    ForestWalk,
    HOOTSettings,
    has_room,
    new_forest_walk,
    plant,
)
from bonspiel.planners.cells.hoot.hoo import middle, select, update
from bonspiel.planners.core.hash_table import find_or_add
from bonspiel.planners.core.jit import Problem, cells, gain_of, model_helper, player, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.bandit import choose_arm, update_arm
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.zobrist import combine
from bonspiel.planners.model import Rng


@model_helper
def _node_of(forest: Forest, walk: ForestWalk, problem: Problem, depth: int, cell_depth: int) -> int:
    """The node of the current abstract state and player, a new one if there is none; the root's at depth 0."""
    if depth == 0:
        return 0
    state = walk.state[depth % 2]
    cells(problem, state, cell_depth, cell_depth + 1, walk.hash)
    key = np.uint64(combine(walk.hash[0], np.uint64(player(problem, state) < 0.0)))
    node, new = find_or_add(forest.slots, forest.keys, forest.size[NODES:], key, True)
    if new:
        plant(forest, node)
    return node


_EXAMPLE = HOOTSettings(1.0, 1.0, 1.0, np.empty(1), 1, np.empty(1), np.empty(1))


@search_kernel(FOREST, new_forest_walk(1, 1, 1, 1), _EXAMPLE)
def search(
    forest: Forest, walk: ForestWalk, problem: Problem, simulations: int, rng: Rng, settings: HOOTSettings
) -> int:
    """Simulate from the root; actions that are given for it are a bandit instead of a tree."""
    given = len(forest.bandit.actions) > 0
    for simulation in range(simulations):
        if not has_room(forest, problem.steps):
            return simulation
        copy(problem.state, walk.state[0])
        depth, arm, terminated = 0, 0, False
        while depth < problem.steps and not terminated:
            state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
            if depth == 0 and given:
                arm = choose_arm(forest.bandit, settings.exploration, rng)
                copy(forest.bandit.actions[arm], walk.action)
            else:
                node = _node_of(forest, walk, problem, depth, settings.cell_depth)
                cell = select(forest, walk, depth, node, len(settings.diameter), rng)
                middle(forest, cell, settings.low, settings.high, walk.action)
            walk.reward[depth, 1] = player(problem, state)
            walk.reward[depth, 0], terminated = step(problem, state, walk.action, next_state, rng)
            depth += 1
        total = 0.0
        for i in range(depth - 1, -1, -1):
            total = walk.reward[i, 0] + problem.discount * total
            gain = gain_of(problem.validity, i, walk.reward[i, 1], total)
            if i == 0 and given:
                update_arm(forest.bandit, arm, gain)
            else:
                update(forest, walk, i, gain, settings)
    return simulations
