"""Tries of several workers, added up cell by cell."""

import itertools

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.fixed.episode import empty_trie, task_of, walk_for
from bonspiel.planners.abstraction.fixed.mergeable import branch, merged
from bonspiel.planners.abstraction.fixed.search import search
from bonspiel.planners.abstraction.fixed.trie import grow
from bonspiel.planners.core.search import extend

MODEL, PLANNER = envs.Trap(), planners.make("abstraction")
PROBLEM, SETTINGS, AT_ROOT = task_of(PLANNER, MODEL, np.zeros(2), None, Budget(10), np.random.default_rng(0))


def extended(common, seed, simulations):
    walk = walk_for(PROBLEM, SETTINGS)
    rng = np.random.default_rng(seed)
    return extend(
        search,
        branch(common, walk),
        walk,
        PROBLEM,
        model=MODEL,
        settings=SETTINGS,
        budget=Budget(simulations),
        rng=rng,
        grow=grow,
        earlier=100,
    )[0]


def empty():
    return empty_trie(PROBLEM, SETTINGS, AT_ROOT, Budget(10))


def by_key(trie):
    """The statistics of every cell, found again by its key."""
    return {int(key): trie.stats[i] for i, key in enumerate(trie.keys[: trie.size[0]])}


@pytest.fixture
def rounds():
    """A common trie of two workers, and three that went on from it."""
    common = merged(empty(), [extended(empty(), seed, 200) for seed in (1, 2)])
    return common, [extended(common, seed, 100 * seed) for seed in (3, 4, 5)]


def test_merging_is_commutative(rounds):
    common, tries = rounds
    first, *others = (merged(common, order) for order in itertools.permutations(tries))
    for other in others:
        assert first.keys.tolist() == other.keys.tolist()
        np.testing.assert_allclose(first.stats, other.stats, rtol=1e-12, atol=1e-12)
        assert first.bandit.visits.tolist() == other.bandit.visits.tolist()
        np.testing.assert_allclose(first.bandit.value, other.bandit.value, rtol=1e-12)
        assert first.returns.tolist() == other.returns.tolist()


def test_what_each_worker_added_is_added_cell_by_cell(rounds):
    common, tries = rounds
    together, before, parts = by_key(merged(common, tries)), by_key(common), [by_key(trie) for trie in tries]
    assert set(together) == set().union(*parts) and len(together) > len(before)
    nothing = np.zeros(common.stats.shape[1])
    for key, stats in together.items():
        start = before.get(key, nothing)
        added = sum(part.get(key, start) - start for part in parts)
        np.testing.assert_allclose(stats, start + added, rtol=1e-12, atol=1e-12)


def test_counts_of_depth_0_add_up(rounds):
    """Every simulation passes the cell of depth 0 at its second step, and the bandit at its first."""
    common, tries = rounds
    for trie, simulations in ((common, 400), (merged(common, tries), 400 + 300 + 400 + 500)):
        n_actions = len(SETTINGS.actions)
        visits = trie.stats[: trie.size[0], 2 * n_actions]
        assert visits.max() == simulations == trie.bandit.visits.sum() == trie.bandit.pulls[0]
        np.testing.assert_allclose(trie.stats[: trie.size[0], :n_actions].sum(axis=1), visits)


def test_a_worker_goes_on_from_a_copy(rounds):
    common, _ = rounds
    parts = common.size, common.stats, common.keys, common.bandit.visits, common.bandit.value, common.returns
    before = [part.tobytes() for part in parts]
    again = [extended(common, 9, 50) for _ in range(2)]
    assert [part.tobytes() for part in parts] == before
    assert by_key(again[0]).keys() == by_key(again[1]).keys()


def test_every_cell_of_a_merged_trie_is_found_again(rounds):
    """A search goes on in cells that there are: it adds none for a key that is there."""
    common, tries = rounds
    on = extended(merged(common, tries), 6, 300)
    assert len(by_key(on)) == on.size[0]
