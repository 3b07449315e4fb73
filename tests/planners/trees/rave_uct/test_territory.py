"""Territory by hand: bonuses from few playouts, and which children are dropped."""

import math

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.core.tree.nodes import add_node
from bonspiel.planners.trees.rave_uct.territory import (
    CRITICALITY,
    PTS,
    criticality,
    note_owners,
    prune,
    pts,
    renew_statistic,
)
from bonspiel.planners.trees.rave_uct.tree import SHIFT, Territory, new_rave_tree
from tests.planners.trees.rave_uct.claims import Claims

CLAIMS = Claims()
PLAYOUTS = [([1.0, 1.0, 0.0], 1.0), ([1.0, -1.0, 0.0], -1.0), ([1.0, 1.0, 0.0], 1.0), ([-1.0, -1.0, 1.0], -1.0)]


def territory(playouts):
    made = Territory(np.zeros((6, 3)), np.zeros(3), np.zeros(3), np.zeros((1, 0)))
    for owners, winner in playouts:
        note_owners(made, np.array([*owners, winner]))
    return made


def test_pts_by_hand():
    known = territory(PLAYOUTS)
    # means 0.5, 0, 0.25; in wins 1, 1, 0; in losses 0, -1, 0.5
    assert [pts(known, region) for region in range(3)] == pytest.approx([0.5 * 1, 1.0 * 2, 0.75 * 0.5])


def test_criticality_by_hand():
    known = territory(PLAYOUTS)
    # owned by the winner 3, 4, 0 times; by +1 3, 2, 1; by -1 1, 2, 0; each won 2 of 4
    expected = [3 / 4 - (1 / 4 * 2 / 4 + 3 / 4 * 2 / 4), 4 / 4 - 2 * (2 / 4 * 2 / 4), 0 - 1 / 4 * 2 / 4]
    assert [criticality(known, region) for region in range(3)] == pytest.approx(expected)


def test_both_statistics_mirror_when_the_players_swap():
    one = territory(PLAYOUTS)
    other = territory([(list(-np.array(owners)), -winner) for owners, winner in PLAYOUTS])
    for statistic in (pts, criticality):
        assert [statistic(one, r) for r in range(3)] == pytest.approx([statistic(other, r) for r in range(3)])


def test_a_player_who_never_won_leaves_no_statistic():
    assert pts(territory([([1.0, 1.0, 0.0], 1.0)]), 0) == 0.0


@pytest.mark.parametrize("kind", [PTS, CRITICALITY])
def test_the_statistic_is_renewed_every_16_playouts_from_32_on(kind):
    known = territory(PLAYOUTS * 7)
    renew_statistic(known, kind)
    assert not known.statistic.any()
    for owners, winner in PLAYOUTS:
        note_owners(known, np.array([*owners, winner]))
    renew_statistic(known, kind)
    at_32 = known.statistic.copy()
    assert at_32.any()
    note_owners(known, np.array([1.0, 1.0, 1.0, -1.0]))
    renew_statistic(known, kind)
    np.testing.assert_array_equal(known.statistic, at_32)


def edges(known):
    first, count = (int(known.tree.nodes[0][name]) for name in ("first_edge", "actions"))
    return range(first, first + count)


def stays(known):
    return [bool(known.tree.value[edge, SHIFT] == 0.0) for edge in edges(known)]


def family(shifts, through=64):
    """A root with a child for each of the numbers: that of regions, of 25, in which its mean owner is 1 and not 0."""
    state = CLAIMS.initial_state(None)
    known = new_rave_tree(CLAIMS, problem_of(CLAIMS, state), 16, np.arange(float(len(shifts)))[:, None], 1.0, True)
    children = known.territory.children
    for edge, shift in zip(edges(known), shifts, strict=True):
        child = add_node(known.tree, state, 0.0, -1.0)
        known.tree.edges[edge]["first_outcome"] = child
        children[child, :shift], children[child, 25] = through, through
        children[0] += children[child]
        known.tree.value[edge, SHIFT] = 0.0
    known.tree.nodes[0]["visits"], known.tree.nodes[0]["due"] = 64 * len(shifts), 0
    children[0, :25] = 0.0
    return known


def test_children_outside_the_bounds_are_dropped():
    # variances p (1 - p) of p = 0, 1/5, 2/5: 0, .16, .24; in equal shares 0, 1.2, 1.8
    for low, high, left in ((0.0, 1.5, [True, True, False]), (0.5, math.inf, [False, True, True])):
        known = family([0, 5, 10])
        prune(known, 0, low, high)
        assert stays(known) == left


def test_all_stay_where_none_is_within():
    known = family([0, 5, 10])
    prune(known, 0, 1.3, 1.7)
    assert all(stays(known))


def test_none_is_dropped_before_64_playouts_through_each():
    known = family([0, 5, 10], through=63)
    prune(known, 0, 0.5, math.inf)
    assert all(stays(known))


def test_a_weight_of_nothing_searches_as_rave_does():
    state = CLAIMS.initial_state(None)
    found = [
        planners.make(name, **parameters).plan(CLAIMS, state, Budget(simulations=500), np.random.default_rng(3)).visits
        for name, parameters in (("rave_uct", {}), ("territory_uct", {"weight": 0.0}))
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("root_actions", [None, np.array([[0.0], [6.0], [7.0], [12.0]])], ids=["all", "given"])
def test_a_search_drops_children_and_plays_another(root_actions):
    planner = planners.make("rave_uct", rave_k=0.0, priors=False, first_play=None, exploration=1.0, prune_high=1.0)
    state, rng = CLAIMS.initial_state(None), np.random.default_rng(0)
    with kept_trees() as trees:
        decision = planner.plan(CLAIMS, state, Budget(simulations=12_000), rng, root_actions)
    left = stays(trees[0])
    assert 0 < sum(left) < len(left)
    assert decision.action[0] in [
        trees[0].tree.action[edge, 0] for edge, kept in zip(edges(trees[0]), left, strict=True) if kept
    ]
