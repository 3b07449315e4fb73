"""The abstraction tree's search where each state has its own set of actions (a 2017 thesis, algorithm 8).

In every cell each action has `new_visits` visits of the cell's mean return from the start. (In the thesis the first
trial of an action sets its return to 0, which favours one of two players whose returns are above and below 0.)
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.abstraction.per_state.trie import (
    CELL_BLOCK,
    RETURNS,
    SQUARES,
    VISITS,
    PerStateTrie,
    PerStateWalk,
    add_entry,
    enter_actions,
    find,
    has_room,
    new_trie,
    new_walk,
)
from bonspiel.planners.abstraction.spread import cell_exploration, root_exploration
from bonspiel.planners.core.hash_table import NOWHERE, find_slot
from bonspiel.planners.core.jit import Problem, actions, cells, gain_of, helper, model_helper, player, rollout, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.rounds import next_index
from bonspiel.planners.core.tree.bandit import choose_arm, update_arm
from bonspiel.planners.core.tree.nodes import INV_SQRT, MEAN
from bonspiel.planners.core.tree.selection import ucb1
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Array, Rng

LEAST_WITH_ACTIONS = 0.2  # part of the root's C: a state has few actions, and the best may have been unlucky at first


class PerStateSettings(NamedTuple):
    """The parameters of `AbstractionTree` for sets of actions; two rows by depth; `tree_steps` -1 for no rollout."""

    exploration: float
    spread: float
    weights: Array
    thresholds: Array
    exponent: float
    new_visits: float
    policy_visits: float
    tree_steps: int


@helper
def _gather(trie: PerStateTrie, walk: PerStateWalk, node: int, level: int, count: int, weight: float) -> None:
    """Add a node's weighted statistics of the actions of the current state."""
    found = walk.found[level]
    for i in range(count):
        found[i] = NOWHERE
    entry = trie.first[node]
    while entry != NOWHERE:
        i = walk.slots[find_slot(walk.slots, walk.keys, trie.action[entry])] - 1
        if i >= 0:
            found[i] = entry
            walk.sums[i, VISITS] += weight * trie.stats[entry, VISITS]
            walk.sums[i, RETURNS] += weight * trie.stats[entry, RETURNS]
        entry = trie.following[entry]


@model_helper
def _descend(
    trie: PerStateTrie,
    walk: PerStateWalk,
    problem: Problem,
    state: Array,
    mover: float,
    depth: int,
    count: int,
    settings: PerStateSettings,
) -> float:
    """Sum the weighted statistics of the cells that hold the state, coarse to fine, and create the cells that are due.

    `count` is the number of actions of the state.

    Returns:
        C of UCB1 in this state.
    """
    weights = settings.weights
    enter_actions(walk, count)
    prior_visits, prior_returns = 0.0, 0.0
    all_visits, all_returns, squares = 0.0, 0.0, 0.0
    cells(problem, state, 0, min(CELL_BLOCK, len(weights)), walk.cells)
    node = find(trie, walk.cells[0], 0, mover, True)
    level = 0
    while True:
        weight = weights[level]
        visits = trie.totals[node, VISITS]
        if visits > 0.0:
            prior_visits += weight * settings.new_visits
            prior_returns += weight * settings.new_visits * trie.totals[node, RETURNS] / visits
        all_visits += weight * visits
        all_returns += weight * trie.totals[node, RETURNS]
        squares += weight * trie.totals[node, SQUARES]
        _gather(trie, walk, node, level, count, weight)
        walk.nodes[depth, level] = node
        level += 1
        if level == len(weights):
            break
        if level % CELL_BLOCK == 0:
            cells(problem, state, level, min(level + CELL_BLOCK, len(weights)), walk.cells)
        node = find(trie, walk.cells[level % CELL_BLOCK], level, mover, visits >= settings.thresholds[level - 1])
        if node == NOWHERE:
            break
    walk.levels[depth] = level
    for i in range(count):
        walk.sums[i, VISITS] += prior_visits
        walk.sums[i, RETURNS] += prior_returns
    at_root = root_exploration(trie.returns, settings.exploration, settings.spread)
    return cell_exploration(all_visits, all_returns, squares, at_root, settings.spread, LEAST_WITH_ACTIONS)


@helper
def _choose(walk: PerStateWalk, count: int, exploration: float, settings: PerStateSettings, rng: Rng) -> int:
    """UCB1 on the sums, scaled so that they count for f(z) = z^q visits in all; any action where nothing is known."""
    visits = 0.0
    for i in range(count):
        visits += walk.sums[i, VISITS]
    if visits == 0.0:
        return int(rng.random() * count)
    scale = visits ** (settings.exponent - 1.0)
    known = visits * scale + settings.policy_visits * count
    width = exploration * math.sqrt(2.0 * math.log(max(known, 1.0)) / scale)
    for i in range(count):
        inverse = 1.0 / walk.sums[i, VISITS]
        walk.arms[i, MEAN] = walk.sums[i, RETURNS] * inverse
        walk.arms[i, INV_SQRT] = math.sqrt(inverse)
    return ucb1(walk.arms, 0, count, width, rng)


@helper
def _take(trie: PerStateTrie, walk: PerStateWalk, depth: int, choice: int) -> None:
    """Note the entries of the action chosen, new ones where it is tried for the first time."""
    for level in range(walk.levels[depth]):
        entry = walk.found[level, choice]
        if entry == NOWHERE:
            entry = add_entry(trie, walk.nodes[depth, level], walk.keys[choice])
        walk.taken[depth, level] = entry


@helper
def _back_up(
    trie: PerStateTrie, walk: PerStateWalk, first: int, last: int, total: float, discount: float, validity: Array
) -> float:
    """Add the discounted return to every cell of the steps first..last-1, the last first; the return of them all."""
    for i in range(last - 1, first - 1, -1):
        total = walk.reward[i, 0] + discount * total
        gain = gain_of(validity, i, walk.reward[i, 1], total)
        for level in range(walk.levels[i]):
            node, entry = walk.nodes[i, level], walk.taken[i, level]
            trie.totals[node, VISITS] += 1.0
            trie.totals[node, RETURNS] += gain
            trie.totals[node, SQUARES] += gain * gain
            trie.stats[entry, VISITS] += 1.0
            trie.stats[entry, RETURNS] += gain
    return total


@model_helper
def _simulate(
    trie: PerStateTrie, walk: PerStateWalk, problem: Problem, first: int, rng: Rng, settings: PerStateSettings
) -> float:
    """The return from `walk.state[first % 2]`: algorithm 8 to the end, or for `tree_steps` and then by a rollout."""
    depth, terminated, leaf_value = first, False, 0.0
    while depth < problem.steps and not terminated:
        state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
        if depth - first == settings.tree_steps:
            leaf_value = rollout(problem, state, next_state, problem.steps - depth, rng)
            break
        mover = player(problem, state)
        count = actions(problem, state, walk.actions, walk.keys)
        exploration = _descend(trie, walk, problem, state, mover, depth, count, settings)
        choice = _choose(walk, count, exploration, settings, rng)
        _take(trie, walk, depth, choice)
        walk.reward[depth, 1] = mover
        walk.reward[depth, 0], terminated = step(problem, state, walk.actions[choice], next_state, rng)
        depth += 1
    return _back_up(trie, walk, first, depth, leaf_value, problem.discount, problem.validity)


_kernel = search_kernel(
    new_trie(1, 1, 1), new_walk(1, 1, 1, 1, 1), PerStateSettings(1.0, 0.0, np.empty(1), np.empty(1), 1.0, 1.0, 1.0, 1)
)


@_kernel
def evaluate(
    trie: PerStateTrie, walk: PerStateWalk, problem: Problem, simulations: int, rng: Rng, settings: PerStateSettings
) -> int:
    """Simulate from the states of `trie.rounds`, and add the returns, player +1's, to its sums."""
    mover = player(problem, problem.state)  # who chooses among these states
    for simulation in range(simulations):
        if not has_room(trie, walk):
            return simulation
        index = next_index(trie.rounds)
        copy(trie.rounds.states[index], walk.state[0])
        total = _simulate(trie, walk, problem, 0, rng, settings)
        note_return(trie.returns, total)
        trie.rounds.sums[index] += mover * gain_of(problem.validity, 0, mover, total)
    return simulations


@_kernel
def search(
    trie: PerStateTrie, walk: PerStateWalk, problem: Problem, simulations: int, rng: Rng, settings: PerStateSettings
) -> int:
    """Simulate from the root, a bandit of its own (algorithm 7)."""
    mover = player(problem, problem.state)
    for simulation in range(simulations):
        if not has_room(trie, walk):
            return simulation
        exploration = root_exploration(trie.returns, settings.exploration, settings.spread)
        arm = choose_arm(trie.bandit, exploration, rng)
        total, terminated = step(problem, problem.state, trie.bandit.actions[arm], walk.state[1], rng)
        if problem.steps > 1 and not terminated:
            total += problem.discount * _simulate(trie, walk, problem, 1, rng, settings)
        note_return(trie.returns, total)
        update_arm(trie.bandit, arm, gain_of(problem.validity, 0, mover, total))
    return simulations
