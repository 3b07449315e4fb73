"""Searches of several workers from one trie, whose statistics are added up cell by cell.

It is not the trie that one search would have built: a cell is split after its threshold of visits in one worker, so
that deep cells have fewer visits.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.fixed.episode import walk_for
from bonspiel.planners.abstraction.fixed.search import FixedSettings, search
from bonspiel.planners.abstraction.fixed.trie import FixedTrie, FixedWalk, grow
from bonspiel.planners.core.jit import merged_validity
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.core.tree.bandit import Bandit, merged_bandit
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision


@dataclass(frozen=True)
class FixedMergeable:
    """A decision under way, which can be sent to another process; see `planners.planner.MergeableSearch`.

    Attributes:
        planner: an AbstractionTree.
        model: one without `actions`.
        state: the decision's own, checked.
        settings: of the search.
        cell_params: of the problem, the same for all workers.
        trie: the statistics.
        validity: of the rollouts of all workers.
        simulations: run so far by all workers.
        held: simulations of one worker so far, by which `extend` predicts the growth of the trie.
    """

    planner: Any
    model: Model
    state: Array
    settings: FixedSettings
    cell_params: Array
    trie: FixedTrie
    validity: Array
    simulations: int = 0
    held: int = 0

    def extended(self, budget: Budget, rng: Rng) -> "FixedMergeable":
        """A copy with more simulations."""
        start = time.perf_counter()
        problem, settings = self.planner.problem(self.model, self.state), self.settings
        problem = problem._replace(cell_params=self.cell_params, validity=self.validity.copy())
        walk = walk_for(problem, settings)
        trie = branch(self.trie, walk)
        trie, done = extend(
            search,
            trie,
            walk,
            problem,
            model=self.model,
            settings=settings,
            budget=budget,
            rng=rng,
            grow=grow,
            start=start,
            earlier=self.held,
        )
        return replace(self, trie=trie, validity=problem.validity, simulations=self.simulations + done)

    def merged(self, parts: "Sequence[FixedMergeable]") -> "FixedMergeable":
        """This search with all simulations that the parts, each extended from it, have added."""
        simulations = self.simulations + sum(part.simulations - self.simulations for part in parts)
        trie = merged(self.trie, [part.trie for part in parts])
        validity = merged_validity([part.validity for part in parts], self.validity)
        return replace(self, trie=trie, validity=validity, simulations=simulations, held=simulations // len(parts))

    def decide(self, start: float, rng: Rng) -> Decision:
        """The decision by all simulations so far; `start` is the clock when the plan began."""
        bandit = self.trie.bandit
        problem = self.planner.problem(self.model, self.state)._replace(validity=self.validity)
        return decide(bandit.actions, bandit.visits, bandit.value, self.simulations, start, rng, problem=problem)


def branch(common: FixedTrie, walk: FixedWalk) -> FixedTrie:
    """A copy to extend, with room for a simulation."""
    copy = grow(common, walk, 1.0)
    bandit = Bandit._make(part.copy() for part in common.bandit)
    return copy._replace(size=common.size.copy(), bandit=bandit, returns=common.returns.copy())


def merged(common: FixedTrie, tries: Sequence[FixedTrie]) -> FixedTrie:
    """The common trie and what these, extended from it, have added; without slots, which `branch` makes."""
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
    slots, bandit = common.slots[:0], merged_bandit(common.bandit, [trie.bandit for trie in tries])
    return FixedTrie(np.array([len(keys)]), stats, paths, keys, slots, bandit, returns)


def _keys(trie: FixedTrie) -> NDArray[np.uint64]:
    return trie.keys[: trie.size[0]]
