"""The search of `AdaptiveAbstraction`: below the root the abstraction tree with one set of actions.

Five things differ from `fixed.search`. A state that is hardly known goes on with the action before; returns count
relative to the other simulations' at the same step; they end, step by step, in what is known of the state reached,
as in TD(lambda) (Sutton 1988; for tree search Vodopivec, Samothrakis, Ster 2017); rewards far ahead count less (Petrik,
Scherrer 2008; Jiang, Kulesza, Singh, Lewis 2015); and a part of the simulations changes, repeats or follows the best
sequence of actions that is known.
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.abstraction.adaptive.root import (
    FIRST,
    NEXT,
    RootCells,
    add_return,
    choose_cell,
    nearest_of,
    new_root,
    own_cell,
    place_of,
)
from bonspiel.planners.abstraction.adaptive.sequence import (
    Sequence,
    change,
    is_itself,
    is_to_repeat,
    new_sequence,
    repeat,
    share_of_changes,
    take,
    worth,
)
from bonspiel.planners.abstraction.adaptive.sight import new_sights, note_rewards
from bonspiel.planners.abstraction.fixed import trie as cells_of_states
from bonspiel.planners.abstraction.fixed.search import FixedSettings, add, choose, find_cells, sum_up
from bonspiel.planners.abstraction.fixed.trie import FixedTrie, FixedWalk
from bonspiel.planners.abstraction.spread import cell_exploration, root_exploration
from bonspiel.planners.core.jit import Problem, gain_of, helper, player, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Array, Rng

TREE, FOLLOW, REPEAT, CHANGE = range(4)  # what a simulation does with the best sequence


class AdaptiveSettings(NamedTuple):
    """The parameters of `AdaptiveAbstraction`, and what the search has to know of the actions.

    `sight` is in steps, infinite for rewards as they are. `thresholds` are of the root's cells by divisions so far, and
    none where the root's actions are given.
    """

    cells: FixedSettings
    trace: float
    sight: float
    hold_visits: float
    memory: float
    changes: float
    thresholds: Array
    low: Array
    high: Array


class AdaptiveTree(NamedTuple):
    """The statistics of a search.

    Attributes:
        trie: cells of states, whose returns are relative to the baseline.
        root: the actions of the decision's own state.
        baseline: number and mean of the returns from each step on, as far as the search sees, [steps, 2].
        sequence: the best sequence of actions known.
        sights: sums of returns with several sights, see `sight`, [9, 5].
    """

    trie: FixedTrie
    root: RootCells
    baseline: Array
    sequence: Sequence
    sights: Array


class AdaptiveWalk(NamedTuple):
    """The simulation under way: that of a search with one set of actions, and the relative values of its states."""

    fixed: FixedWalk
    value: Array


def new_tree(
    n_actions: int, root: RootCells, sequence: Sequence, sights: Array, nodes: int, max_depth: int
) -> AdaptiveTree:
    """An empty tree with room for `nodes` nodes."""
    steps, nobody = len(sequence.actions), np.empty((0, root.action.shape[1]))
    trie = cells_of_states.new_trie(steps, n_actions, nobody, nodes, max_depth, squares=True)
    return AdaptiveTree(trie, root, np.zeros((steps, 2)), sequence, sights)


def new_walk(state_dim: int, steps: int, n_actions: int, max_depth: int) -> AdaptiveWalk:
    """Room for simulations of at most this many steps."""
    return AdaptiveWalk(cells_of_states.new_walk(state_dim, steps, n_actions, max_depth), np.zeros(steps))


def grow(tree: AdaptiveTree, walk: AdaptiveWalk, factor: float) -> AdaptiveTree:
    """The same tree with room for `factor` times its contents."""
    return tree._replace(trie=cells_of_states.grow(tree.trie, walk.fixed, factor))


@helper
def _back_up(
    tree: AdaptiveTree, walk: AdaptiveWalk, depth: int, discount: float, validity: Array, settings: AdaptiveSettings
) -> tuple[float, float, float, bool]:
    """Add the returns to all cells of states of every step.

    Returns:
        The simulation's gain, its return as far as the search sees, its return, and whether it is valid.
    """
    fixed, baseline = walk.fixed, tree.baseline
    near = discount * (1.0 - 1.0 / settings.sight)
    total, ahead, target, expected, gain, seen, returned = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(depth - 1, -1, -1):
        reward, mover = fixed.reward[i, 0], fixed.reward[i, 1]
        total = reward + discount * total
        ahead = reward + near * ahead
        if i == depth - 1:
            target = reward
        else:
            target = reward + near * (settings.trace * target + (1.0 - settings.trace) * expected)
        returned = gain_of(validity, i, mover, total)
        seen = mover * ahead
        if total - total != 0.0:  # of an invalid rollout: the next step's is invalid as well
            seen, target = returned, mover * returned
        baseline[i, 0] += 1.0
        baseline[i, 1] += (mover * seen - baseline[i, 1]) / baseline[i, 0]
        expected = baseline[i, 1] + mover * walk.value[i]
        gain = mover * (target - baseline[i, 1])
        if i > 0:
            add(tree.trie, fixed, i, gain, settings.cells.spread)
    note_return(tree.trie.returns, total)
    if total - total == 0.0:
        note_rewards(tree.sights, fixed.reward, depth, discount)
    return gain, seen, returned, total - total == 0.0


_ROOT = new_root(np.zeros((1, 1)), np.zeros(1), np.zeros(1), np.zeros(1, np.int64))
_EXAMPLE = AdaptiveSettings(
    FixedSettings(
        1.0, 0.0, 0.0, np.empty((1, 1)), np.empty(1, np.int64), np.empty(1), np.empty(1), 1.0, 1.0, 1.0, False
    ),
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    np.empty(1),
    np.empty(1),
    np.empty(1),
)


@helper
def has_sequence(settings: AdaptiveSettings) -> bool:
    """True if the search keeps a best sequence."""
    return settings.memory > 0.0 or settings.changes > 0.0


@helper
def _use_of_sequence(tree: AdaptiveTree, settings: AdaptiveSettings, rng: Rng) -> int:
    """Choose how the next simulation uses the best sequence: TREE for not at all, or FOLLOW, REPEAT, CHANGE.

    Given actions are all tried before it is followed or changed.
    """
    sequence, counts, is_given = tree.sequence, tree.root.counts, len(settings.thresholds) == 0
    if not has_sequence(settings):
        return TREE
    if worth(sequence) == math.inf or is_to_repeat(sequence):
        return REPEAT
    all_tried = counts[NEXT] == counts[FIRST]
    can_change = len(sequence.actions) > 1 and all_tried if is_given else True
    if can_change and rng.random() < share_of_changes(sequence, settings.changes):
        return CHANGE
    return FOLLOW if all_tried and rng.random() < settings.memory else TREE


@helper
def _note_sequence(
    tree: AdaptiveTree, use: int, cell: int, depth: int, seen: float, is_valid: bool, grid: Array, rng: Rng
) -> int:
    """Note a simulation of `depth` steps as a repeat of the best sequence, or take its actions if they are better.

    Returns:
        The root's cell of its first action, -1 if there is none: the sequence's own cell once that has the action.
    """
    root, sequence, returns = tree.root, tree.sequence, tree.trie.returns
    if use == REPEAT or (use != TREE and is_itself(sequence, depth)):
        repeat(sequence, seen, is_valid)
    elif take(sequence, depth, seen, max(returns[1] - returns[0], 0.0), use == CHANGE):
        if cell < 0:
            cell = own_cell(root, sequence.actions[0], grid, rng)
        sequence.cell[0] = cell
    return cell


_TREE = new_tree(1, _ROOT, new_sequence(np.zeros((1, 1)), 0), new_sights(), 1, 1)


@search_kernel(_TREE, new_walk(1, 1, 1, 1), _EXAMPLE)
def search(
    tree: AdaptiveTree, walk: AdaptiveWalk, problem: Problem, simulations: int, rng: Rng, settings: AdaptiveSettings
) -> int:
    """Simulate from the root."""
    trie, root, sequence, fixed, cells = tree.trie, tree.root, tree.sequence, walk.fixed, settings.cells
    n_actions, kinds, begin = len(cells.actions), root.whole.kinds, int(len(settings.thresholds) == 0)
    for simulation in range(simulations):
        if not cells_of_states.has_room(trie, problem.steps):
            return simulation
        copy(problem.state, fixed.state[0])
        exploration = root_exploration(trie.returns, cells.exploration, cells.spread)
        use, leave, plan, changed = _use_of_sequence(tree, settings, rng), 0, sequence.actions, 1
        if use == CHANGE:
            changed = change(sequence, settings.low, settings.high, kinds, begin, rng)
            plan = sequence.tried
        if use == FOLLOW:
            leave = 1 + int(rng.random() * problem.steps)
        elif use != TREE:
            leave = problem.steps
        cell = choose_cell(root, exploration, rng) if use == TREE else sequence.cell[0]
        if changed == 0:
            cell = place_of(root, plan[0])
        chosen, action = root.grid[max(cell, 0)], root.action[cell] if cell >= 0 else plan[0]
        depth, last, terminated = 0, 0.0, False
        while depth < problem.steps and not terminated:
            state, next_state = fixed.state[depth % 2], fixed.state[1 - depth % 2]
            mover = player(problem, state)
            if depth > 0:
                find_cells(trie, fixed, problem, state, mover, depth, cells)
                visits, returns, squares = sum_up(trie, fixed, depth, cells)
                walk.value[depth] = returns / (visits + cells.weights[fixed.levels[depth] - 1])
                own = trie.stats[fixed.nodes[depth], 2 * n_actions]
                if depth < leave:
                    action = plan[depth]
                    chosen = nearest_of(cells.actions, action, root.scale, kinds, rng)
                else:
                    if (
                        depth == leave
                        or mover != last
                        or rng.random() * (settings.hold_visits + own) >= settings.hold_visits
                    ):
                        c = cell_exploration(visits, returns, squares, exploration, cells.spread)
                        chosen = choose(fixed, n_actions * cells.prior_visits + visits, c, cells.exponent, chosen, rng)
                    action = cells.actions[chosen]
            fixed.chosen[depth] = chosen
            if use != CHANGE:
                copy(action, sequence.tried[depth])
            last = mover
            fixed.reward[depth, 1] = mover
            fixed.reward[depth, 0], terminated = step(problem, state, action, next_state, rng)
            depth += 1
        gain, seen, returned, is_valid = _back_up(tree, walk, depth, problem.discount, problem.validity, settings)
        if has_sequence(settings):
            cell = _note_sequence(tree, use, cell, depth, seen, is_valid, cells.actions, rng)
        if cell >= 0:
            add_return(root, cell, gain, seen, returned, settings.thresholds)
    return simulations
