"""The abstraction tree's search with one set of actions for all states (a 2017 thesis, algorithms 5 and 7)."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.cells import CELL_BLOCK
from bonspiel.planners.abstraction.fixed.trie import (
    GUESSED_BY,
    GUESSES,
    FixedTrie,
    FixedWalk,
    add_child,
    find,
    has_room,
    new_trie,
    new_walk,
)
from bonspiel.planners.abstraction.spread import cell_exploration, root_exploration
from bonspiel.planners.core.argmax import argmax, entry
from bonspiel.planners.core.hash_table import NOWHERE
from bonspiel.planners.core.jit import Problem, cells, gain_of, helper, model_helper, player, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.tree.bandit import choose_arm, update_arm
from bonspiel.planners.core.tree.selection import UCB1, Terms, upper_bound
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.zobrist import mix
from bonspiel.planners.model import Array, Rng


class FixedSettings(NamedTuple):
    """The parameters of `AbstractionTree` for one set of actions, [A, action_dim]; two rows by depth.

    `like_root` has for each of the root's actions the index of the nearest one of the set, int64 [B].
    """

    exploration: float
    spread: float
    inherited_visits: float
    actions: Array
    like_root: NDArray[np.int64]
    weights: Array
    thresholds: Array
    exponent: float
    prior_visits: float
    prior_value: float
    root_in_trie: bool


@helper
def _inherit(sums: Array, stats: Array, inherited_visits: float) -> float:
    """Add a cell's statistics to those of coarser cells, reduced to at most `inherited_visits` of each action.

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
def find_cells(
    trie: FixedTrie, walk: FixedWalk, problem: Problem, state: Array, mover: float, depth: int, settings: FixedSettings
) -> None:
    """Find the cells that hold the state (algorithm 5, steps 2 and 3).

    The finest one knows the others. It is searched for from the depth where it was found last time near here.

    A cell that was visited often enough gets the child that holds the state, and the descent enters it at once.
    """
    thresholds, hashes = settings.thresholds, walk.cells
    known = min(CELL_BLOCK, len(thresholds))
    cells(problem, state, 0, known, hashes)
    place = mix(hashes[min(GUESSED_BY, known - 1)]) & np.uint64(GUESSES - 1)
    level = min(int(walk.guesses[place]), known - 1)
    node = find(trie, hashes[level], level, mover, level == 0)
    if node < 0:
        while node < 0:
            level -= 1
            node = find(trie, hashes[level], level, mover, level == 0)
    else:
        while level + 1 < len(thresholds):
            if level + 1 == known:
                known = min(known + CELL_BLOCK, len(thresholds))
                cells(problem, state, level + 1, known, hashes[level + 1 :])
            finer = find(trie, hashes[level + 1], level + 1, mover, False)
            if finer < 0:
                break
            node, level = finer, level + 1
    walk.guesses[place] = level
    if level + 1 < len(thresholds) and trie.stats[node, 2 * len(settings.actions)] >= thresholds[level]:
        level += 1
        node = add_child(trie, node, hashes[level], level, mover)
    walk.nodes[depth] = node
    walk.levels[depth] = level + 1


@helper
def sum_up(trie: FixedTrie, walk: FixedWalk, depth: int, settings: FixedSettings) -> tuple[float, float, float]:
    """Sum the weighted statistics of the cells that hold the state, coarse to fine (algorithm 5, step 4).

    With `inherited_visits` the sums of coarser cells are cut down instead, so that many visits there do not outvote few
    here: those of each action, and by one factor, so that no variance is negative, those of the state.

    Returns:
        The weighted number of visits and, if there is a `spread`, the weighted sums of returns and of their squares.
    """
    weights, inherited, sums = settings.weights, settings.inherited_visits, walk.sums
    actions = len(sums) // 2
    visits, returns, squares = 0.0, 0.0, 0.0
    for i in range(actions):
        sums[i] = settings.prior_visits
        sums[actions + i] = settings.prior_visits * settings.prior_value
    path = trie.paths[walk.nodes[depth]]
    for level in range(walk.levels[depth]):
        weight, kept = weights[level], 1.0
        stats = trie.stats[path[level]]
        if inherited > 0.0:
            weight, kept = 1.0, actions * inherited / (actions * inherited + visits)
            returns = kept * returns + _inherit(sums, stats, inherited)
        else:
            for i in range(2 * actions):
                sums[i] += weight * stats[i]
        visits = kept * visits + weight * stats[2 * actions]
        if settings.spread > 0.0:
            squares = kept * squares + weight * stats[2 * actions + 1]
    if settings.spread > 0.0 and inherited == 0.0:
        for i in range(actions, 2 * actions):
            returns += sums[i] - settings.prior_visits * settings.prior_value
    return visits, returns, squares


@helper
def choose(walk: FixedWalk, visits: float, exploration: float, exponent: float, last: int, rng: Rng) -> int:
    """UCB1 on the sums with their visits scaled to f(z) = z^q in all (algorithm 5, step 5; equations 3.4 to 3.7).

    With n~ and S = sum n~, or as `sum_up` cuts it down, it maximises
    r~/n~ + C sqrt(2 ln max(S^q, 1) / (n~ S^(q-1))); one division an action is left. Loops
    without branches, since the winner is unpredictable.

    Of equals it is the action before, `last`, if it is one of them, else one is drawn: in states of which nothing is
    known a simulation holds an action, where actions drawn anew in every step would cancel each other.
    """
    sums, means, scores = walk.sums, walk.arms[0], walk.arms[1]
    actions = len(means)
    log_visits = math.log(visits)
    log_scaled = max(exponent * log_visits, 0.0)
    terms = Terms(exploration, math.sqrt(2.0 * log_scaled * math.exp((1.0 - exponent) * log_visits)), math.inf, UCB1)
    for action in range(actions):
        inverse = 1.0 / sums[action]
        means[action] = sums[actions + action] * inverse
        scores[action] = upper_bound(means[action], math.sqrt(inverse), 0.0, terms)
    top, best, ties = scores[0], actions, 0
    for action in range(1, actions):
        top = max(top, scores[action])
    for action in range(actions):
        is_top = scores[action] == top
        best = min(best, action if is_top else actions)
        ties += is_top
    if ties == 1:
        return best
    if last != NOWHERE and scores[last] == top:
        return last
    return argmax(entry, scores, 0, actions, rng)


@helper
def add(trie: FixedTrie, walk: FixedWalk, depth: int, gain: float, spread: float) -> None:
    """Add a return to every node of a step, and its square if there is a `spread`."""
    actions, action = len(walk.sums) // 2, walk.chosen[depth]
    path = trie.paths[walk.nodes[depth]]
    for level in range(walk.levels[depth]):
        stats = trie.stats[path[level]]
        stats[action] += 1.0
        stats[actions + action] += gain
        stats[2 * actions] += 1.0
        if spread > 0.0:
            stats[2 * actions + 1] += gain * gain


@helper
def _back_up(trie: FixedTrie, walk: FixedWalk, depth: int, discount: float, validity: Array, spread: float) -> None:
    """Add the discounted return to every node of every step, and to the root's bandit."""
    total = 0.0
    for i in range(depth - 1, -1, -1):
        total = walk.reward[i, 0] + discount * total
        gain = gain_of(validity, i, walk.reward[i, 1], total)
        add(trie, walk, i, gain, spread)
    note_return(trie.returns, gain)
    update_arm(trie.bandit, walk.chosen[0], gain)


_EXAMPLE = FixedSettings(
    1.0, 0.0, 0.0, np.empty((1, 1)), np.empty(1, np.int64), np.empty(1), np.empty(1), 1.0, 1.0, 1.0, False
)


@search_kernel(new_trie(1, 1, np.empty((1, 1)), 1, 1), new_walk(1, 1, 1, 1), _EXAMPLE)
def search(
    trie: FixedTrie, walk: FixedWalk, problem: Problem, simulations: int, rng: Rng, settings: FixedSettings
) -> int:
    """Simulate from the root; its actions are a bandit of their own (algorithm 7) unless `root_in_trie`."""
    n_actions = len(settings.actions)
    for simulation in range(simulations):
        if not has_room(trie, problem.steps):
            return simulation
        copy(problem.state, walk.state[0])
        depth, last, terminated = 0, NOWHERE, False
        exploration = root_exploration(trie.returns, settings.exploration, settings.spread)
        while depth < problem.steps and not terminated:
            state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
            mover = player(problem, state)
            if depth == 0 and not settings.root_in_trie:
                walk.chosen[0] = choose_arm(trie.bandit, exploration, rng)
                walk.levels[0] = 0
                action = trie.bandit.actions[walk.chosen[0]]
                last = settings.like_root[walk.chosen[0]]
            else:
                find_cells(trie, walk, problem, state, mover, depth, settings)
                visits, returns, squares = sum_up(trie, walk, depth, settings)
                c = cell_exploration(visits, returns, squares, exploration, settings.spread)
                visits = n_actions * settings.prior_visits + visits
                walk.chosen[depth] = choose(walk, visits, c, settings.exponent, last, rng)
                last = walk.chosen[depth]
                action = settings.actions[last]
            walk.reward[depth, 1] = mover
            walk.reward[depth, 0], terminated = step(problem, state, action, next_state, rng)
            depth += 1
        _back_up(trie, walk, depth, problem.discount, problem.validity, settings.spread)
    return simulations
