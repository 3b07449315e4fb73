"""The abstraction tree's search where cells of actions are divided wherever they are visited.

The rest is the search with a fixed set of actions: the thesis's algorithms 5 and 7, with exploration measured by the
returns. Three parts, of which the middle one keeps the action and its statistics, are those of simultaneous optimistic
optimization (Munos 2011); here a cell is divided by its visits, as cells of states are.
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.abstraction.cells import CELL_BLOCK
from bonspiel.planners.abstraction.refined.trie import (
    PARTS,
    RETURNS,
    SQUARES,
    VISITS,
    RefinedTrie,
    RefinedWalk,
    divide,
    find,
    has_room,
    new_trie,
    new_walk,
)
from bonspiel.planners.abstraction.spread import cell_exploration, root_exploration
from bonspiel.planners.core.bandit import choose_arm, update_arm
from bonspiel.planners.core.hash_table import NOWHERE
from bonspiel.planners.core.jit import Problem, cells, helper, model_helper, player, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.tree.nodes import UNTRIED, copy
from bonspiel.planners.model import Array, Rng

PRIOR_VISITS = 1e-3  # of return 0, that each of the first actions has in a state; in all of its cells together


class RefinedSettings(NamedTuple):
    """The parameters of `RefinedAbstraction`; rows by the depth of cells of states, in the last two of actions."""

    exploration: float
    spread: float
    inherited_visits: float
    weights: Array
    thresholds: Array
    exponent: float
    part_visits: float
    divisions: Array
    root_divisions: Array


@model_helper
def _descend(
    trie: RefinedTrie,
    walk: RefinedWalk,
    problem: Problem,
    state: Array,
    mover: float,
    depth: int,
    settings: RefinedSettings,
) -> tuple[float, float, float]:
    """Walk down the cells that hold the state, coarse to fine, as in `fixed.search`, and create the one that is due.

    Returns:
        The weighted sums of visits, of returns and of their squares; with `inherited_visits` cut down at each level.
    """
    weights, inherited = settings.weights, len(trie.grid) * settings.inherited_visits
    visits, returns, squares = 0.0, 0.0, 0.0
    cells(problem, state, 0, min(CELL_BLOCK, len(weights)), walk.cells)
    node = find(trie, walk.cells[0], 0, mover, True)
    level = 0
    while True:
        weight, kept = weights[level], 1.0
        if inherited > 0.0:
            weight, kept = 1.0, inherited / (inherited + visits)
        visits = kept * visits + weight * trie.totals[node, VISITS]
        returns = kept * returns + weight * trie.totals[node, RETURNS]
        squares = kept * squares + weight * trie.totals[node, SQUARES]
        walk.nodes[depth, level] = node
        level += 1
        if level == len(weights):
            break
        if level % CELL_BLOCK == 0:
            cells(problem, state, level, min(level + CELL_BLOCK, len(weights)), walk.cells)
        deep = trie.totals[node, VISITS] >= settings.thresholds[level - 1]
        node = find(trie, walk.cells[level % CELL_BLOCK], level, mover, deep)
        if node == NOWHERE:
            break
    walk.levels[depth] = level
    return visits, returns, squares


@helper
def _gather(
    trie: RefinedTrie, walk: RefinedWalk, row: int, levels: int, settings: RefinedSettings
) -> tuple[float, float, bool]:
    """Sum the weighted statistics of a pending action cell over the cells of the state.

    Returns:
        Visits and returns, and whether it is divided, by the cells of the state that have at least half of its visits.
    """
    inherited = settings.inherited_visits
    visits, returns = walk.prior[row, VISITS], walk.prior[row, RETURNS]
    tried, divided = 0.0, 0.0
    for level in range(levels):
        weight = settings.weights[level]
        if inherited > 0.0:
            weight, kept = 1.0, inherited / (inherited + visits)
            visits *= kept
            returns *= kept
            tried *= kept
            divided *= kept
        cell = walk.pending[row, level]
        if cell > 0:
            own = weight * trie.stats[cell, VISITS]
            visits += own
            returns += weight * trie.stats[cell, RETURNS]
            tried += own
            if trie.parts[cell] != 0:
                divided += own
    return visits, returns, divided > 0.0 and divided >= 0.5 * tried


@helper
def _push_parts(
    trie: RefinedTrie, walk: RefinedWalk, row: int, levels: int, prior_visits: float, prior_returns: float
) -> None:
    """Put the three parts of a pending action cell into its row and the two after it.

    Where the cell is not divided it goes on as the middle part, which has its action; of the others nothing is known.
    """
    for part in range(PARTS):
        walk.prior[row + part, VISITS] = prior_visits
        walk.prior[row + part, RETURNS] = prior_returns
    for level in range(levels):
        cell = walk.pending[row, level]
        first = trie.parts[cell] if cell > 0 else 0
        for part in range(PARTS):
            kept = cell if part == 1 else -abs(cell)
            walk.pending[row + part, level] = first + part if first != 0 else kept


@helper
def _choose(
    trie: RefinedTrie,
    walk: RefinedWalk,
    depth: int,
    visits: float,
    exploration: float,
    exponent: float,
    settings: RefinedSettings,
) -> int:
    """An action cell that has the chosen action: UCB1 on all that are not divided, with f(z) = z^q visits in all.

    A part has `part_visits` more, of the mean return of the whole. At the root the first actions are tried in order.
    """
    levels = walk.levels[depth]
    log_visits = math.log(max(visits, 1.0))
    width = exploration * math.sqrt(2.0 * exponent * log_visits * math.exp((1.0 - exponent) * log_visits))
    part_visits = settings.part_visits * (1.0 if settings.inherited_visits > 0.0 else settings.weights[levels - 1])
    best_score, best_mean, chosen = -math.inf, -math.inf, NOWHERE
    for first in range(len(trie.grid)):
        for level in range(levels):
            walk.pending[0, level] = trie.first[walk.nodes[depth, level]] + first
        walk.prior[0, VISITS] = 0.0 if depth == 0 else PRIOR_VISITS
        walk.prior[0, RETURNS] = 0.0
        rows = 1
        while rows > 0:
            row = rows - 1
            n, total, divided = _gather(trie, walk, row, levels, settings)
            if divided:
                _push_parts(trie, walk, row, levels, part_visits, part_visits * total / n)
                rows += PARTS - 1
                continue
            rows = row
            mean = total / n if n > 0.0 else 0.0
            score = mean + width / math.sqrt(n) if n > 0.0 else UNTRIED
            if chosen == NOWHERE or score > best_score or (score == best_score and mean > best_mean):
                best_score, best_mean = score, mean
                for level in range(levels):
                    walk.taken[depth, level] = walk.pending[row, level]
                    if walk.pending[row, level] > 0:
                        chosen = walk.pending[row, level]
    return chosen


@helper
def _add(trie: RefinedTrie, walk: RefinedWalk, depth: int, gain: float, divisions: Array) -> None:
    """Add a return to all cells of a step; the finest divides its action cell if that was visited often enough."""
    cell = 0
    for level in range(walk.levels[depth]):
        node, cell = walk.nodes[depth, level], abs(walk.taken[depth, level])
        trie.totals[node, VISITS] += 1.0
        trie.totals[node, RETURNS] += gain
        trie.totals[node, SQUARES] += gain * gain
        while trie.parts[cell] != 0:  # here, though not in most cells of the state
            cell = trie.parts[cell] + 1
        within = cell
        while within != 0:
            trie.stats[within, VISITS] += 1.0
            trie.stats[within, RETURNS] += gain
            within = trie.around[within]
    if trie.depth[cell] < len(divisions) and trie.stats[cell, VISITS] >= divisions[trie.depth[cell]]:
        divide(trie, cell)


_ROW, _TABLE = np.empty(1), np.empty((1, 1))
_EXAMPLE = RefinedSettings(1.0, 1.0, 1.0, _ROW, _ROW, 1.0, 1.0, _ROW, _ROW)


@search_kernel(new_trie(_TABLE, _ROW, _TABLE, 1, 1), new_walk(1, 1, 1, 1), _EXAMPLE)
def search(
    trie: RefinedTrie, walk: RefinedWalk, problem: Problem, simulations: int, rng: Rng, settings: RefinedSettings
) -> int:
    """Simulate from the root, whose action cells are its own; actions that are given are a plain bandit."""
    given = len(trie.bandit.actions) > 0
    for simulation in range(simulations):
        if not has_room(trie, problem.steps):
            return simulation
        copy(problem.state, walk.state[0])
        walk.nodes[0, 0], walk.levels[0] = 0, 1
        depth, arm, terminated = 0, 0, False
        at_root = root_exploration(trie.returns, settings.exploration, settings.spread)
        while depth < problem.steps and not terminated:
            state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
            mover = player(problem, state)
            if depth == 0 and given:
                arm = choose_arm(trie.bandit, at_root)
                action = trie.bandit.actions[arm]
            elif depth == 0:
                action = trie.action[_choose(trie, walk, 0, trie.totals[0, VISITS], at_root, 1.0, settings)]
            else:
                visits, returns, squares = _descend(trie, walk, problem, state, mover, depth, settings)
                c = cell_exploration(visits, returns, squares, at_root, settings.spread)
                action = trie.action[_choose(trie, walk, depth, visits, c, settings.exponent, settings)]
            walk.reward[depth, 1] = mover
            walk.reward[depth, 0], terminated = step(problem, state, action, next_state, rng)
            depth += 1
        total, gain = 0.0, 0.0
        for i in range(depth - 1, -1, -1):
            total = walk.reward[i, 0] + problem.discount * total
            gain = walk.reward[i, 1] * total
            if i == 0 and given:
                update_arm(trie.bandit, arm, gain)
            else:
                _add(trie, walk, i, gain, settings.root_divisions if i == 0 else settings.divisions)
        note_return(trie.returns, gain)
    return simulations
