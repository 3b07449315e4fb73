"""The abstraction tree's search with one set of actions for all states (a 2017 thesis, algorithms 5 and 7)."""

import math
from typing import Any

from planners.abstraction.trie import CELL_BLOCK, TRIE, Trie, find, has_room
from planners.base import Array, Rng
from planners.core.backup import average
from planners.core.hash_table import NOWHERE
from planners.core.jit import (
    MATRIX,
    RNG,
    TABLE,
    VECTOR,
    boolean,
    cells,
    float64,
    helper,
    int64,
    kernel,
    part,
    player,
    step,
)
from planners.core.selection import sqrt_2_log, ucb1
from planners.core.tree import copy


@part
def _walk(
    trie: Trie,
    functions: Any,
    cell_params: Array,
    state: Array,
    mover: float,
    depth: int,
    weights: Array,
    thresholds: Array,
) -> float:
    """Sum the weighted statistics of the cells that hold the state, coarse to fine (algorithm 5, steps 2 to 4).

    A cell without a child where the state goes on gets one once it has been visited often enough, and the walk enters
    it at once.

    Returns:
        The weighted number of visits.
    """
    sums = trie.sums
    actions = len(sums) // 2
    visits = 0.0
    cells(functions, state, 0, min(CELL_BLOCK, len(weights)), cell_params, trie.cells)
    node = find(trie, trie.cells[0], 0, mover, True)
    level = 0
    while True:
        weight = weights[level]
        stats = trie.stats[node]
        for i in range(2 * actions):
            sums[i] += weight * stats[i]
        visits += weight * stats[2 * actions]
        trie.walk[depth, level] = node
        level += 1
        if level == len(weights):
            break
        if level % CELL_BLOCK == 0:
            cells(functions, state, level, min(level + CELL_BLOCK, len(weights)), cell_params, trie.cells)
        deep = stats[2 * actions] >= thresholds[level - 1]
        node = find(trie, trie.cells[level % CELL_BLOCK], level, mover, deep)
        if node == NOWHERE:
            break
    trie.walked[depth] = level
    return visits


@helper
def _choose(sums: Array, visits: float, exploration: float, exponent: float) -> int:
    """UCB1 on the sums with their visits scaled to f(z) = z^q in all (algorithm 5, step 5; equations 3.4 to 3.7).

    With n~ and S = sum n~ it maximises r~/n~ + C sqrt(2 ln max(S^q, 1) / (n~ S^(q-1))); one division an action is left.
    """
    actions = len(sums) // 2
    log_visits = math.log(visits)
    log_scaled = max(exponent * log_visits, 0.0)
    width = exploration * math.sqrt(2.0 * log_scaled * math.exp((1.0 - exponent) * log_visits))
    best, best_mean, best_score = 0, -math.inf, -math.inf
    for action in range(actions):
        inverse = 1.0 / sums[action]
        mean = sums[actions + action] * inverse
        score = mean + width * math.sqrt(inverse)
        if score > best_score or (score == best_score and mean > best_mean):
            best, best_mean, best_score = action, mean, score
    return best


@helper
def _back_up(trie: Trie, depth: int, discount: float) -> None:
    """Add the discounted return to every node of every walk, and to the root's bandit."""
    actions = len(trie.sums) // 2
    total = 0.0
    for i in range(depth - 1, -1, -1):
        total = trie.reward[i, 0] + discount * total
        gain = trie.reward[i, 1] * total
        action = trie.chosen[i]
        for level in range(trie.walked[i]):
            node = trie.walk[i, level]
            trie.stats[node, action] += 1.0
            trie.stats[node, actions + action] += gain
            trie.stats[node, 2 * actions] += 1.0
    trie.root_visits[trie.chosen[0]] += 1
    average(trie.root_value, trie.chosen[0], gain, trie.root_visits[trie.chosen[0]])


@kernel(
    int64(
        TRIE,
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
        MATRIX,
        float64,
        VECTOR,
        VECTOR,
        float64,
        float64,
        float64,
        boolean,
    )
)
def search(
    trie: Trie,
    functions: Any,
    params: Array,
    cell_params: Array,
    root: Array,
    discount: float,
    steps: int,
    before: int,
    simulations: int,
    rng: Rng,
    actions: Array,
    root_actions: Array,
    exploration: float,
    weights: Array,
    thresholds: Array,
    exponent: float,
    prior_visits: float,
    prior_value: float,
    root_in_trie: bool,
) -> int:
    """Simulate from the root; its actions are a bandit of their own (algorithm 7) unless `root_in_trie`.

    Returns:
        How many simulations were run before the trie was full.
    """
    n_actions = len(actions)
    for simulation in range(simulations):
        if not has_room(trie, steps):
            return simulation
        copy(root, trie.state[0])
        depth, terminated = 0, False
        while depth < steps and not terminated:
            state, next_state = trie.state[depth % 2], trie.state[1 - depth % 2]
            mover = player(functions, state, params)
            if depth == 0 and not root_in_trie:
                width = exploration * sqrt_2_log(before + simulation)
                trie.chosen[0] = ucb1(trie.root_value, 0, len(root_actions), width)
                trie.walked[0] = 0
                action = root_actions[trie.chosen[0]]
            else:
                trie.sums[:n_actions] = prior_visits
                trie.sums[n_actions:] = prior_visits * prior_value
                visits = n_actions * prior_visits + _walk(
                    trie, functions, cell_params, state, mover, depth, weights, thresholds
                )
                trie.chosen[depth] = _choose(trie.sums, visits, exploration, exponent)
                action = actions[trie.chosen[depth]]
            trie.reward[depth, 1] = mover
            trie.reward[depth, 0], terminated = step(functions, state, action, next_state, params, rng)
            depth += 1
        _back_up(trie, depth, discount)
    return simulations
