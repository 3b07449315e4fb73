"""The search of `AdaptiveAbstraction`: below the root the abstraction tree with one set of actions.

Four things differ from `fixed.search`. A state that is hardly known goes on with the action before; returns count
relative to the other simulations' at the same step; they end, step by step, in what is known of the state reached,
as in TD(lambda) (Sutton 1988; for tree search Vodopivec, Samothrakis, Ster 2017); and a part of the simulations follows
the best sequence of actions that is known.
"""

from typing import NamedTuple

import numpy as np

from bonspiel.planners.abstraction.adaptive.root import FIRST, PULLS, RootCells, add_return, choose_cell, move_own, new_root
from bonspiel.planners.abstraction.adaptive.sequence import PLAYS, RETURNED, Sequence, change, new_sequence, remember, repeated
from bonspiel.planners.abstraction.fixed import trie as cells_of_states
from bonspiel.planners.abstraction.fixed.search import FixedSettings, add, choose, find_cells, sum_up
from bonspiel.planners.abstraction.fixed.trie import FixedTrie, FixedWalk
from bonspiel.planners.abstraction.spread import cell_exploration, root_exploration
from bonspiel.planners.core.jit import Problem, gain_of, helper, player, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.returns import note_return
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Array, Rng


class AdaptiveSettings(NamedTuple):
    """The parameters of `AdaptiveAbstraction`; `thresholds` of the root's cells by divisions so far."""

    cells: FixedSettings
    trace: float
    hold_visits: float
    memory: float
    thresholds: Array
    low: Array
    high: Array
    x: Array


class AdaptiveTree(NamedTuple):
    """The statistics of a search.

    Attributes:
        trie: cells of states, whose returns are relative to the baseline.
        root: the actions of the decision's own state.
        baseline: number and mean of the returns from each step on, [steps, 2].
        sequence: the best sequence of actions known.
    """

    trie: FixedTrie
    root: RootCells
    baseline: Array
    sequence: Sequence


class AdaptiveWalk(NamedTuple):
    """The simulation under way: that of a search with one set of actions, and the relative values of its states."""

    fixed: FixedWalk
    value: Array


def new_tree(n_actions: int, root: RootCells, steps: int, nodes: int, max_depth: int, sequence: Array | None = None) -> AdaptiveTree:
    """An empty tree with room for `nodes` nodes."""
    nobody = np.empty((0, root.action.shape[1]))
    trie = cells_of_states.new_trie(steps, n_actions, nobody, nodes, max_depth, squares=True)
    return AdaptiveTree(trie, root, np.zeros((steps, 2)), new_sequence(np.zeros((steps, root.action.shape[1])) if sequence is None else sequence))


def new_walk(state_dim: int, steps: int, n_actions: int, max_depth: int) -> AdaptiveWalk:
    """Room for simulations of at most this many steps."""
    return AdaptiveWalk(cells_of_states.new_walk(state_dim, steps, n_actions, max_depth), np.zeros(steps))


def grow(tree: AdaptiveTree, walk: AdaptiveWalk, factor: float) -> AdaptiveTree:
    """The same tree with room for `factor` times its contents."""
    return tree._replace(trie=cells_of_states.grow(tree.trie, walk.fixed, factor))


@helper
def _back_up(
    tree: AdaptiveTree, walk: AdaptiveWalk, depth: int, discount: float, validity: Array, settings: AdaptiveSettings
):
    """Add the returns to all cells of every step, and to the root's action; the return of the simulation."""
    fixed, baseline = walk.fixed, tree.baseline
    total, target, expected, gain, returned, hasty = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    urgent = discount * (1.0 - settings.x[5] / max(150.0, len(baseline)))
    for i in range(depth - 1, -1, -1):
        reward, mover = fixed.reward[i, 0], fixed.reward[i, 1]
        total = reward + discount * total
        hasty = reward + urgent * hasty
        if i == depth - 1:
            target = reward
        else:
            target = reward + urgent * (settings.trace * target + (1.0 - settings.trace) * expected)
        returned = gain_of(validity, i, mover, total)
        hasted = returned if total - total != 0.0 else mover * hasty
        if total - total != 0.0:  # of an invalid rollout: the next step's is invalid as well
            target = mover * returned
        baseline[i, 0] += 1.0
        baseline[i, 1] += (mover * hasted - baseline[i, 1]) / baseline[i, 0]
        expected = baseline[i, 1] + mover * walk.value[i]
        gain = mover * (target - baseline[i, 1])
        if i > 0:
            add(tree.trie, fixed, i, gain, settings.cells.spread)
    note_return(tree.trie.returns, total)
    if fixed.chosen[0] >= 0:
        add_return(tree.root, fixed.chosen[0], gain, hasty if total - total == 0.0 else returned, settings.thresholds)
    return fixed.reward[0, 1] * returned, hasty


_ROOT = new_root(np.zeros((1, 1)), np.zeros(1), np.zeros(1), np.zeros(1, np.int64))
_EXAMPLE = AdaptiveSettings(
    FixedSettings(
        1.0, 0.0, 0.0, np.empty((1, 1)), np.empty(1, np.int64), np.empty(1), np.empty(1), 1.0, 1.0, 1.0, False
    ),
    1.0,
    1.0,
    1.0,
    np.empty(1),
    np.empty(1),
    np.empty(1),
    np.empty(1),
)
TREE, FOLLOW, REPEAT, CHANGE = 0, 1, 2, 3


@helper
def _nearest(actions: Array, action: Array, scale: Array) -> int:
    best, least = 0, np.inf
    for i in range(len(actions)):
        apart = 0.0
        for k in range(len(action)):
            d = (actions[i, k] - action[k]) * scale[k]
            apart += d * d
        if apart < least:
            best, least = i, apart
    return best


@helper
def noisiness(sequence: Sequence) -> float:
    """Variance of the sequence's returns by that of all simulations."""
    r = sequence.record
    v = r[8] / max(r[6] - 1.0, 1.0)
    return min(r[3] / max(r[4], 1.0) / max(v, 1e-300), 1.0)


@helper
def note_all(sequence: Sequence, total: float) -> None:
    r = sequence.record
    r[6] += 1.0
    d = total - r[7]
    r[7] += d / r[6]
    r[8] += d * (total - r[7])


@helper
def change_share(sequence: Sequence, p: float, most: float, x: Array) -> float:
    r = sequence.record
    one, other = p * (r[9] + x[20]) / (r[10] + 10.0), (1.0 - p) * (r[11] + x[20]) / (r[12] + 10.0)
    return min(one / (one + other), most)


@search_kernel(new_tree(1, _ROOT, 1, 1, 1), new_walk(1, 1, 1, 1), _EXAMPLE)
def search(
    tree: AdaptiveTree, walk: AdaptiveWalk, problem: Problem, simulations: int, rng: Rng, settings: AdaptiveSettings
) -> int:
    """Simulate from the root."""
    trie, root, sequence, fixed, cells = tree.trie, tree.root, tree.sequence, walk.fixed, settings.cells
    n_actions, steps = len(cells.actions), problem.steps
    given = len(settings.thresholds) == 0
    x = settings.x
    for simulation in range(simulations):
        if not cells_of_states.has_room(trie, problem.steps):
            return simulation
        copy(problem.state, fixed.state[0])
        exploration = root_exploration(trie.returns, cells.exploration, cells.spread)
        mode, leave, first_change = TREE, 0, 0
        if settings.memory > 0.0:
            if sequence.record[PLAYS] == 0.0:
                mode = REPEAT
            elif rng.random() < change_share(sequence, x[7], x[0], x):
                mode = CHANGE
                if sequence.record[5] < 1.0 or sequence.record[PLAYS] - 1.0 < min(x[11] * sequence.record[13], np.inf if sequence.record[3] > 0.0 else 2.0):
                    mode = REPEAT
            elif root.counts[PULLS] >= root.counts[FIRST] and rng.random() < x[3]:
                mode, leave = FOLLOW, 1 + int(rng.random() * steps)
        if mode == CHANGE:
            first_change = change(sequence, settings.low, settings.high, root.whole.kinds, x[4], given, x[17], x[18], x[19], rng)
        if mode >= REPEAT:
            leave = steps
        plan = sequence.tried if mode == CHANGE else sequence.actions
        cell = choose_cell(root, exploration, rng) if mode == TREE else sequence.cell[0]
        if mode == CHANGE and not given and first_change == 0:
            cell = -1
        chosen = root.grid[max(cell, 0)]
        fixed.chosen[0] = cell
        depth, last, terminated = 0, 0.0, False
        while depth < problem.steps and not terminated:
            state, next_state = fixed.state[depth % 2], fixed.state[1 - depth % 2]
            mover = player(problem, state)
            if depth == 0:
                action = plan[0] if cell < 0 else root.action[cell]
            else:
                find_cells(trie, fixed, problem, state, mover, depth, cells)
                visits, returns, squares = sum_up(trie, fixed, depth, cells)
                walk.value[depth] = returns / (visits + cells.weights[fixed.levels[depth] - 1])
                own = trie.stats[fixed.nodes[depth], 2 * n_actions]
                if depth < leave:
                    action = plan[depth]
                    chosen = _nearest(cells.actions, action, root.scale)
                elif (
                    depth == leave
                    or mover != last
                    or rng.random() * (settings.hold_visits + own) >= settings.hold_visits
                ):
                    c = cell_exploration(visits, returns, squares, exploration, cells.spread)
                    chosen = choose(fixed, n_actions * cells.prior_visits + visits, c, cells.exponent, chosen, rng)
                    action = cells.actions[chosen]
                elif depth > 1:
                    action = cells.actions[chosen]
                fixed.chosen[depth] = chosen
            if mode != CHANGE:
                copy(action, sequence.tried[depth])
            last = mover
            fixed.reward[depth, 1] = mover
            fixed.reward[depth, 0], terminated = step(problem, state, action, next_state, rng)
            depth += 1
        total, hasty = _back_up(tree, walk, depth, problem.discount, problem.validity, settings)
        if mode == TREE:
            note_all(sequence, hasty)
        if mode == REPEAT:
            repeated(sequence, hasty)
        elif settings.memory > 0.0:
            r = 9 if mode == CHANGE else 11
            sequence.record[r + 1] += 1.0
            sequence.record[13] += 1.0
        if mode != REPEAT and settings.memory > 0.0 and remember(sequence, depth, hasty, x[1]):
            sequence.record[r] += 1.0
            sequence.record[13] = 0.0
            if cell < 0:
                cell = 0
                move_own(root, sequence.actions[0], cells.actions, fixed.chosen[1])
            sequence.cell[0] = cell
    return simulations
