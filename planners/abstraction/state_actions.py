"""The abstraction tree's search where each state has its own set of actions (a 2017 thesis, algorithm 8).

In every cell each action has `new_visits` visits of the cell's mean return from the start. (In the thesis the first
trial of an action sets its return to 0, which favours one of two players whose returns are above and below 0.)
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planners.abstraction.action_trie import (
    ACTION_TRIE,
    RETURNS,
    VISITS,
    ActionTrie,
    add_entry,
    enter_actions,
    find,
    has_room,
)
from planners.abstraction.trie import CELL_BLOCK
from planners.base import Array, Rng
from planners.core.backup import average
from planners.core.hash_table import NOWHERE, find_slot
from planners.core.jit import (
    MATRIX,
    RNG,
    TABLE,
    VECTOR,
    actions,
    cells,
    float64,
    helper,
    int64,
    kernel,
    part,
    player,
    rollout,
    step,
)
from planners.core.selection import sqrt_2_log, ucb1
from planners.core.tree import copy


@helper
def _gather(trie: ActionTrie, node: int, level: int, count: int, weight: float) -> None:
    """Add the weighted statistics that a node has of the actions of the state under way."""
    found, action_slots = trie.found[level], trie.action_slots
    for i in range(count):
        found[i] = NOWHERE
    entry = trie.first[node]
    while entry != NOWHERE:
        i = action_slots[find_slot(action_slots, trie.action_keys, trie.action[entry])] - 1
        if i >= 0:
            found[i] = entry
            trie.sums[i, VISITS] += weight * trie.stats[entry, VISITS]
            trie.sums[i, RETURNS] += weight * trie.stats[entry, RETURNS]
        entry = trie.following[entry]


@part
def _walk(
    trie: ActionTrie,
    functions: Any,
    cell_params: Array,
    state: Array,
    mover: float,
    depth: int,
    count: int,
    weights: Array,
    thresholds: Array,
    new_visits: float,
) -> None:
    """Sum the weighted statistics of the cells that hold the state, coarse to fine, and let new cells come to be."""
    enter_actions(trie, count)
    prior_visits, prior_returns = 0.0, 0.0
    cells(functions, state, 0, min(CELL_BLOCK, len(weights)), cell_params, trie.cells)
    node = find(trie, trie.cells[0], 0, mover, True)
    level = 0
    while True:
        weight = weights[level]
        visits = trie.totals[node, VISITS]
        if visits > 0.0:
            prior_visits += weight * new_visits
            prior_returns += weight * new_visits * trie.totals[node, RETURNS] / visits
        _gather(trie, node, level, count, weight)
        trie.walk[depth, level] = node
        level += 1
        if level == len(weights):
            break
        if level % CELL_BLOCK == 0:
            cells(functions, state, level, min(level + CELL_BLOCK, len(weights)), cell_params, trie.cells)
        node = find(trie, trie.cells[level % CELL_BLOCK], level, mover, visits >= thresholds[level - 1])
        if node == NOWHERE:
            break
    trie.walked[depth] = level
    for i in range(count):
        trie.sums[i, VISITS] += prior_visits
        trie.sums[i, RETURNS] += prior_returns


@helper
def _choose(trie: ActionTrie, count: int, exploration: float, exponent: float, policy_visits: float, rng: Rng) -> int:
    """UCB1 on the sums, scaled so that they count for f(z) = z^q visits in all; any action where nothing is known."""
    visits = 0.0
    for i in range(count):
        visits += trie.sums[i, VISITS]
    if visits == 0.0:
        return int(rng.random() * count)
    scale = visits ** (exponent - 1.0)
    width = exploration * math.sqrt(2.0 * math.log(max(visits * scale + policy_visits * count, 1.0)) / scale)
    best, best_mean, best_score = 0, -math.inf, -math.inf
    for i in range(count):
        inverse = 1.0 / trie.sums[i, VISITS]
        mean = trie.sums[i, RETURNS] * inverse
        score = mean + width * math.sqrt(inverse)
        if score > best_score or (score == best_score and mean > best_mean):
            best, best_mean, best_score = i, mean, score
    return best


@helper
def _take(trie: ActionTrie, depth: int, choice: int) -> None:
    """Note the entries of the action chosen, new ones where it is tried for the first time."""
    for level in range(trie.walked[depth]):
        entry = trie.found[level, choice]
        if entry == NOWHERE:
            entry = add_entry(trie, trie.walk[depth, level], trie.action_keys[choice])
        trie.taken[depth, level] = entry


@helper
def _back_up(trie: ActionTrie, first: int, last: int, total: float, discount: float) -> float:
    """Add the discounted return to every cell of the steps first..last-1, the last first; the return of them all."""
    for i in range(last - 1, first - 1, -1):
        total = trie.reward[i, 0] + discount * total
        gain = trie.reward[i, 1] * total
        for level in range(trie.walked[i]):
            node, entry = trie.walk[i, level], trie.taken[i, level]
            trie.totals[node, VISITS] += 1.0
            trie.totals[node, RETURNS] += gain
            trie.stats[entry, VISITS] += 1.0
            trie.stats[entry, RETURNS] += gain
    return total


@part
def _simulate(
    trie: ActionTrie,
    functions: Any,
    params: Array,
    cell_params: Array,
    first: int,
    discount: float,
    steps: int,
    rng: Rng,
    exploration: float,
    weights: Array,
    thresholds: Array,
    exponent: float,
    new_visits: float,
    policy_visits: float,
    tree_steps: int,
) -> float:
    """The return from `trie.state[first % 2]`: algorithm 8 to the end, or for `tree_steps` and then by a rollout."""
    depth, terminated, leaf_value = first, False, 0.0
    while depth < steps and not terminated:
        state, next_state = trie.state[depth % 2], trie.state[1 - depth % 2]
        if depth - first == tree_steps:
            leaf_value = rollout(functions, state, next_state, steps - depth, params, rng)
            break
        mover = player(functions, state, params)
        count = actions(functions, state, params, trie.actions, trie.action_keys)
        _walk(trie, functions, cell_params, state, mover, depth, count, weights, thresholds, new_visits)
        choice = _choose(trie, count, exploration, exponent, policy_visits, rng)
        _take(trie, depth, choice)
        trie.reward[depth, 1] = mover
        trie.reward[depth, 0], terminated = step(functions, state, trie.actions[choice], next_state, params, rng)
        depth += 1
    return _back_up(trie, first, depth, leaf_value, discount)


@kernel(
    int64(
        ACTION_TRIE,
        TABLE,
        VECTOR,
        VECTOR,
        MATRIX,
        float64,
        int64,
        int64,
        int64,
        RNG,
        int64[::1],
        VECTOR,
        float64,
        VECTOR,
        VECTOR,
        float64,
        float64,
        float64,
        int64,
    )
)
def evaluate(
    trie: ActionTrie,
    functions: Any,
    params: Array,
    cell_params: Array,
    states: Array,
    discount: float,
    steps: int,
    before: int,
    simulations: int,
    rng: Rng,
    order: NDArray[np.int64],
    sums: Array,
    exploration: float,
    weights: Array,
    thresholds: Array,
    exponent: float,
    new_visits: float,
    policy_visits: float,
    tree_steps: int,
) -> int:
    """Simulate from one state of [n, state_dim] after another, in the given order, round and round.

    `order`, int64 [n], are the indices of the states; `before` simulations were run already, so the next one is from
    state order[before % n]. The returns, player +1's, are added to `sums`, [n].

    Returns:
        How many were run before the trie was full.
    """
    for simulation in range(simulations):
        if not has_room(trie):
            return simulation
        index = order[(before + simulation) % len(order)]
        copy(states[index], trie.state[0])
        sums[index] += _simulate(
            trie,
            functions,
            params,
            cell_params,
            0,
            discount,
            steps,
            rng,
            exploration,
            weights,
            thresholds,
            exponent,
            new_visits,
            policy_visits,
            tree_steps,
        )
    return simulations


@kernel(
    int64(
        ACTION_TRIE,
        TABLE,
        VECTOR,
        VECTOR,
        VECTOR,
        float64,
        int64,
        int64,
        int64,
        RNG,
        MATRIX,
        int64[::1],
        MATRIX,
        float64,
        VECTOR,
        VECTOR,
        float64,
        float64,
        float64,
        int64,
    )
)
def search(
    trie: ActionTrie,
    functions: Any,
    params: Array,
    cell_params: Array,
    root: Array,
    discount: float,
    steps: int,
    before: int,
    simulations: int,
    rng: Rng,
    root_actions: Array,
    root_visits: NDArray[np.int64],
    root_value: Array,
    exploration: float,
    weights: Array,
    thresholds: Array,
    exponent: float,
    new_visits: float,
    policy_visits: float,
    tree_steps: int,
) -> int:
    """Simulate from the root, whose actions are a bandit of their own (algorithm 7).

    The actions are [B, action_dim]; `root_visits`, int64 [B], and `root_value`, mean return and 1/sqrt(visits), [B, 2],
    are theirs.

    Returns:
        How many simulations were run before the trie was full.
    """
    mover = player(functions, root, params)
    for simulation in range(simulations):
        if not has_room(trie):
            return simulation
        arm = ucb1(root_value, 0, len(root_actions), exploration * sqrt_2_log(before + simulation))
        total, terminated = step(functions, root, root_actions[arm], trie.state[1], params, rng)
        if steps > 1 and not terminated:
            total += discount * _simulate(
                trie,
                functions,
                params,
                cell_params,
                1,
                discount,
                steps,
                rng,
                exploration,
                weights,
                thresholds,
                exponent,
                new_visits,
                policy_visits,
                tree_steps,
            )
        root_visits[arm] += 1
        average(root_value, arm, mover * total, root_visits[arm])
    return simulations
