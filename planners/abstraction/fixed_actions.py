"""The abstraction tree's search with one set of actions for all states (a 2017 thesis, algorithms 5 and 7)."""

import math
from typing import NamedTuple

import numpy as np

from planners.abstraction.spread import cell_exploration, root_exploration
from planners.abstraction.trie import CELL_BLOCK, Trie, TrieWalk, find, has_room, new_trie, new_trie_walk
from planners.base import Array, Rng
from planners.core.bandit import choose_arm, update_arm
from planners.core.hash_table import NOWHERE
from planners.core.jit import Problem, cells, helper, model_helper, player, step
from planners.core.problem import search_kernel
from planners.core.returns import note_return
from planners.core.selection import ucb1
from planners.core.tree import INV_SQRT, MEAN, copy


class FixedSettings(NamedTuple):
    """The parameters of `AbstractionTree` for one set of actions, [A, action_dim]; two rows by depth."""

    exploration: float
    spread: float
    inherited_visits: float
    actions: Array
    weights: Array
    thresholds: Array
    exponent: float
    prior_visits: float
    prior_value: float
    root_in_trie: bool


@helper
def _inherit(sums: Array, stats: Array, inherited_visits: float) -> float:
    """Add a cell's statistics to those of coarser cells, cut down to at most so many visits of each action.

    The mean that results is the posterior mean of Gaussian returns whose expectation differs between a cell and the
    next coarser one with the variance of one return divided by `inherited_visits`; but for the cell's own returns,
    which the coarser cells hold as well.

    Args:
        sums: visits and returns of every action in coarser cells, [2 A], changed in place.
        stats: the same of this cell, [2 A or more].
        inherited_visits: above 0.

    Returns:
        The sum of the cell's returns.
    """
    actions = len(sums) // 2
    returns = 0.0
    for i in range(actions):
        kept = inherited_visits / (inherited_visits + sums[i])
        sums[i] = kept * sums[i] + stats[i]
        sums[actions + i] = kept * sums[actions + i] + stats[actions + i]
        returns += stats[actions + i]
    return returns


@model_helper
def _descend(
    trie: Trie, walk: TrieWalk, problem: Problem, state: Array, mover: float, depth: int, settings: FixedSettings
) -> tuple[float, float, float]:
    """Sum the weighted statistics of the cells that hold the state, coarse to fine (algorithm 5, steps 2 to 4).

    With `inherited_visits` the sums of coarser cells are cut down instead, so that many visits there do not outvote few
    here: those of each action, and by one factor, so that no variance is negative, those of the state.

    A cell that was visited often enough gets the child that holds the state, and the descent enters it at once.

    Returns:
        The weighted number of visits and, if there is a `spread`, the weighted sums of returns and of their squares.
    """
    weights, inherited, sums = settings.weights, settings.inherited_visits, walk.sums
    actions = len(sums) // 2
    visits, returns, squares = 0.0, 0.0, 0.0
    cells(problem, state, 0, min(CELL_BLOCK, len(weights)), walk.cells)
    node = find(trie, walk.cells[0], 0, mover, True)
    level = 0
    while True:
        weight, kept = weights[level], 1.0
        stats = trie.stats[node]
        if inherited > 0.0:
            weight, kept = 1.0, actions * inherited / (actions * inherited + visits)
            returns = kept * returns + _inherit(sums, stats, inherited)
        else:
            for i in range(2 * actions):
                sums[i] += weight * stats[i]
        visits = kept * visits + weight * stats[2 * actions]
        if settings.spread > 0.0:
            squares = kept * squares + weight * stats[2 * actions + 1]
        walk.nodes[depth, level] = node
        level += 1
        if level == len(weights):
            break
        if level % CELL_BLOCK == 0:
            cells(problem, state, level, min(level + CELL_BLOCK, len(weights)), walk.cells)
        deep = stats[2 * actions] >= settings.thresholds[level - 1]
        node = find(trie, walk.cells[level % CELL_BLOCK], level, mover, deep)
        if node == NOWHERE:
            break
    walk.levels[depth] = level
    if settings.spread > 0.0 and inherited == 0.0:
        for i in range(actions, 2 * actions):
            returns += sums[i] - settings.prior_visits * settings.prior_value
    return visits, returns, squares


@helper
def _choose(walk: TrieWalk, visits: float, exploration: float, exponent: float) -> int:
    """UCB1 on the sums with their visits scaled to f(z) = z^q in all (algorithm 5, step 5; equations 3.4 to 3.7).

    With n~ and S = sum n~, or as `_descend` cuts it down, it maximises
    r~/n~ + C sqrt(2 ln max(S^q, 1) / (n~ S^(q-1))); one division an action is left.
    """
    arms, sums = walk.arms, walk.sums
    log_visits = math.log(visits)
    log_scaled = max(exponent * log_visits, 0.0)
    width = exploration * math.sqrt(2.0 * log_scaled * math.exp((1.0 - exponent) * log_visits))
    for action in range(len(arms)):
        inverse = 1.0 / sums[action]
        arms[action, MEAN] = sums[len(arms) + action] * inverse
        arms[action, INV_SQRT] = math.sqrt(inverse)
    return ucb1(arms, 0, len(arms), width)


@helper
def _back_up(trie: Trie, walk: TrieWalk, depth: int, discount: float, spread: float) -> None:
    """Add the discounted return to every node of every step, and to the root's bandit."""
    actions = len(walk.sums) // 2
    total = 0.0
    for i in range(depth - 1, -1, -1):
        total = walk.reward[i, 0] + discount * total
        gain = walk.reward[i, 1] * total
        action = walk.chosen[i]
        for level in range(walk.levels[i]):
            node = walk.nodes[i, level]
            trie.stats[node, action] += 1.0
            trie.stats[node, actions + action] += gain
            trie.stats[node, 2 * actions] += 1.0
            if spread > 0.0:
                trie.stats[node, 2 * actions + 1] += gain * gain
    note_return(trie.returns, gain)
    update_arm(trie.bandit, walk.chosen[0], gain)


_EXAMPLE = FixedSettings(1.0, 0.0, 0.0, np.empty((1, 1)), np.empty(1), np.empty(1), 1.0, 1.0, 1.0, False)


@search_kernel(new_trie(1, 1, np.empty((1, 1)), 1), new_trie_walk(1, 1, 1, 1), _EXAMPLE)
def search(trie: Trie, walk: TrieWalk, problem: Problem, simulations: int, rng: Rng, settings: FixedSettings) -> int:
    """Simulate from the root; its actions are a bandit of their own (algorithm 7) unless `root_in_trie`."""
    n_actions = len(settings.actions)
    for simulation in range(simulations):
        if not has_room(trie, problem.steps):
            return simulation
        copy(problem.state, walk.state[0])
        depth, terminated = 0, False
        exploration = root_exploration(trie.returns, settings.exploration, settings.spread)
        while depth < problem.steps and not terminated:
            state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
            mover = player(problem, state)
            if depth == 0 and not settings.root_in_trie:
                walk.chosen[0] = choose_arm(trie.bandit, exploration)
                walk.levels[0] = 0
                action = trie.bandit.actions[walk.chosen[0]]
            else:
                walk.sums[:n_actions] = settings.prior_visits
                walk.sums[n_actions:] = settings.prior_visits * settings.prior_value
                visits, returns, squares = _descend(trie, walk, problem, state, mover, depth, settings)
                c = cell_exploration(visits, returns, squares, exploration, settings.spread)
                visits = n_actions * settings.prior_visits + visits
                walk.chosen[depth] = _choose(walk, visits, c, settings.exponent)
                action = settings.actions[walk.chosen[depth]]
            walk.reward[depth, 1] = mover
            walk.reward[depth, 0], terminated = step(problem, state, action, next_state, rng)
            depth += 1
        _back_up(trie, walk, depth, problem.discount, settings.spread)
    return simulations
