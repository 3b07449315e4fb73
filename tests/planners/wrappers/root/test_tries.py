"""Workers of the abstraction tree that share their cells from round to round."""

import itertools

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.fixed.episode import empty_trie, task_of, walk_for
from bonspiel.planners.abstraction.fixed.search import search
from bonspiel.planners.abstraction.fixed.trie import grow
from bonspiel.planners.core.search import extend
from bonspiel.planners.wrappers.root.tries import branch, merged


def plan(text, budget, seed=0, root_actions=None):
    return planners.parse(text).plan(
        envs.Trap(), np.zeros(2), Budget(budget), np.random.default_rng(seed), root_actions
    )


@pytest.mark.parametrize("inner", ["abstraction", "scaled_abstraction", "(abstraction:root=trie)"])
@pytest.mark.parametrize("share", ["each", "split"])
def test_one_round_decides_as_sum(inner, share):
    for seed in range(3):
        by_sum, by_tries = (
            plan(f"root:inner={inner},workers=5,share={share},combine={combine},run=one", 203, seed)
            for combine in ("sum", "tries")
        )
        assert by_tries.action.tolist() == by_sum.action.tolist()
        assert by_tries.visits.tolist() == by_sum.visits.tolist()
        assert by_tries.values.tolist() == by_sum.values.tolist()
        assert by_tries.simulations == by_sum.simulations


@pytest.mark.parametrize(("share", "total"), [("each", 5 * 203), ("split", 203)])
@pytest.mark.parametrize("rounds", [2, 7])
def test_rounds_spend_the_budget_and_root_actions_are_the_only_ones(share, total, rounds):
    actions = np.array([[0.1], [0.75]])
    decision = plan(
        f"root:inner=abstraction,workers=5,share={share},combine=tries,rounds={rounds}", 203, root_actions=actions
    )
    assert decision.simulations == decision.visits.sum() == total
    assert decision.actions.tolist() == actions.tolist()


def test_with_one_step_left_there_are_no_cells_to_share():
    planner = planners.parse("root:inner=abstraction,workers=3,combine=tries,rounds=2,run=one")
    decision = planner.plan(envs.Trap(), np.array([0.8, 1.0]), Budget(300), np.random.default_rng(0))
    assert decision.simulations == 900 and decision.action[0] >= 0.9


def test_what_workers_learned_in_one_round_they_know_in_the_next():
    one, two = (plan(f"root:inner=abstraction,workers=5,combine=tries,rounds={rounds}", 60) for rounds in (1, 2))
    assert one.visits.tolist() != two.visits.tolist()


MODEL, PLANNER = envs.Trap(), planners.make("abstraction")
PROBLEM, SETTINGS, AT_ROOT = task_of(PLANNER, MODEL, np.zeros(2), None)


def extended(common, seed, simulations):
    walk = walk_for(PROBLEM, SETTINGS)
    rng = np.random.default_rng(seed)
    return extend(
        search, MODEL, branch(common, walk), walk, PROBLEM, SETTINGS, grow, Budget(simulations), rng, held=100
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
