"""Workers of the abstraction tree that share what they learn from round to round.

In each round every worker goes on from a copy of the common trie; afterwards what each of them added is added up, cell
by cell and action by action at the root. It is not the trie that one search would have built: a cell is split after
its threshold of visits in one worker, so that deep cells have fewer visits.
"""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.fixed.episode import empty_trie, task_of, walk_for
from bonspiel.planners.abstraction.fixed.search import search
from bonspiel.planners.abstraction.fixed.trie import FixedTrie, FixedWalk, grow
from bonspiel.planners.abstraction.planner import AbstractionTree
from bonspiel.planners.checks import require
from bonspiel.planners.core.bandit import Bandit
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.core.tree.nodes import INV_SQRT, MEAN
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision
from bonspiel.planners.wrappers.root.pool import pooled
from bonspiel.planners.wrappers.root.workers import Run, run_all


def plan_with_tries(
    planner: AbstractionTree,
    model: Model,
    state: Array,
    budgets: Sequence[Budget],
    seeds: Sequence[int],
    root_actions: Array | None,
    rounds: int,
    run: Run,
    start: float,
) -> Decision:
    """Plan in rounds, with a budget and a seed for each worker; `start` is the clock when the plan began."""
    least = min((budget.simulations for budget in budgets if budget.simulations is not None), default=rounds)
    require(rounds <= least, "rounds", rounds, f"at most the simulations of a worker, {least}")
    problem, settings, at_root = task_of(planner, model, state, root_actions)
    common, done = empty_trie(problem, settings, at_root, budgets[0]), 0
    rngs = [np.random.default_rng(seed) for seed in seeds]
    for number in range(rounds):
        parts = [_part(budget, number, rounds, start) for budget in budgets]
        held = 0 if number == 0 else done // len(rngs)
        tasks = [
            (planner, model, state, root_actions, common, part, rng, held)
            for part, rng in zip(parts, rngs, strict=True)
        ]
        ends = run_all(run, _search_on, tasks, together=budgets[0].seconds is not None)
        rngs = [rng for _, _, rng in ends]
        done += sum(more for _, more, _ in ends)
        common = merged(common, [trie for trie, _, _ in ends])
    return decide(common.bandit.actions, common.bandit.visits, common.bandit.value, done, start)


def _part(budget: Budget, number: int, rounds: int, start: float) -> Budget:
    """A worker's budget in the round of this number, from 0."""
    if budget.simulations is not None:
        first, last = (budget.simulations * index // rounds for index in (number, number + 1))
        return Budget(simulations=last - first)
    until = start + (budget.seconds or 0.0) * (number + 1) / rounds
    return Budget(seconds=max(until - time.perf_counter(), 1e-6))


def _search_on(
    planner: AbstractionTree,
    model: Model,
    state: Array,
    root_actions: Array | None,
    common: FixedTrie,
    budget: Budget,
    rng: Rng,
    held: int,
) -> tuple[FixedTrie, int, Rng]:
    """A worker's round: its trie, its simulations, and its generator, which another process has a copy of."""
    start = time.perf_counter()
    problem, settings, _ = task_of(planner, model, state, root_actions)
    walk = walk_for(problem, settings)
    trie = branch(common, walk)
    trie, done = extend(search, model, trie, walk, problem, settings, grow, budget, rng, start, held)
    return trie, done, rng


def branch(common: FixedTrie, walk: FixedWalk) -> FixedTrie:
    """A copy to go on from, with room for a simulation."""
    copy = grow(common, walk, 1.0)
    bandit = Bandit._make(part.copy() for part in common.bandit)
    return copy._replace(size=common.size.copy(), bandit=bandit, returns=common.returns.copy())


def merged(common: FixedTrie, tries: Sequence[FixedTrie]) -> FixedTrie:
    """The common trie and what these, which went on from it, have added to it; without slots, which `branch` makes."""
    keys = np.unique(np.concatenate([_keys(trie) for trie in (common, *tries)]))
    before = np.zeros((len(keys), common.stats.shape[1]))
    before[np.searchsorted(keys, _keys(common))] = common.stats[: common.size[0]]
    stats, paths = before.copy(), np.zeros((len(keys), common.paths.shape[1]), np.uint32)
    for trie in tries:
        rows = np.searchsorted(keys, _keys(trie))
        # beyond a node's own depth its path is whatever was in memory
        paths[rows] = rows[np.minimum(trie.paths[: len(rows)], max(len(rows) - 1, 0))]
        stats[rows] += trie.stats[: trie.size[0]] - before[rows]
    returns = np.array([min(trie.returns[0] for trie in tries), max(trie.returns[1] for trie in tries)])
    slots, bandit = common.slots[:0], _merged_bandit(common.bandit, tries)
    return FixedTrie(np.array([len(keys)]), stats, paths, keys, slots, bandit, returns)


def _keys(trie: FixedTrie) -> NDArray[np.uint64]:
    return trie.keys[: trie.size[0]]


def _merged_bandit(common: Bandit, tries: Sequence[FixedTrie]) -> Bandit:
    """The root: each report counts, and all but one of the copies of what they began with are taken away."""
    count, bandits = len(common.visits), [trie.bandit for trie in tries]
    visits = np.concatenate([*(bandit.visits for bandit in bandits), (1 - len(bandits)) * common.visits])
    means = np.concatenate([*(bandit.value[:, MEAN] for bandit in bandits), common.value[:, MEAN]])
    totals, values = pooled(np.tile(np.arange(count), len(bandits) + 1), visits, means, count)
    value = common.value.copy()
    tried = totals > 0
    value[tried, MEAN], value[tried, INV_SQRT] = values[tried], 1.0 / np.sqrt(totals[tried])
    return Bandit(common.actions, totals, value, np.array([totals.sum()]))
