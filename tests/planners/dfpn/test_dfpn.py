"""Proof-number search on small games: numbers worked by hand, and verdicts of a search without a table."""

import random
from itertools import product

import pytest

from bonspiel.planners.dfpn import search
from bonspiel.planners.dfpn.solve import ProofLimits, ProofSearch, solve
from bonspiel.planners.dfpn.table import INFINITE, NEVER, NOWHERE, find, new_table, store, store_judged
from bonspiel.planners.dfpn.walk import Switches
from tests.planners.dfpn.graphs import problem_of, random_game, search_without_table

ALL_SWITCHES = [Switches(*map(bool, on)) for on in product((0, 1), repeat=3)]


def thresholds(after, verdicts):
    """(node, limits of proof and disproof) in the order in which nodes are entered; the root is to be proved."""
    entered, enter = [], search._enter

    def note(rules, table, walk, game, ply):
        limits = int(walk.phi_limits[ply]), int(walk.delta_limits[ply])
        entered.append((game.rows[ply], limits if ply % 2 == 0 else limits[::-1]))
        return enter(rules, table, walk, game, ply)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_enter", note)
        solve(problem_of(after, verdicts))
    return entered


def test_thresholds_are_those_worked_by_hand():
    """A leads to B and C, B to three nodes (3, 1), C to G and H, G to two (1, 2)."""
    a, b, c, d, e, f, g, h, i, j = range(10)
    after = [[b, c], [d, e, f], [g, h], [], [], [], [i, j], [], [], []]
    found = thresholds(after, [0] * 10)
    assert found[:5] == [
        (a, (INFINITE, INFINITE)),
        (b, (2, INFINITE - 1)),
        (c, (4, INFINITE - 1)),
        (g, (3, 2)),
        (h, (3, 3)),
    ]


def test_a_move_is_widened_by_a_quarter():
    """With the others at 1 it may reach 2, at 4 it may reach 5, at 8 it may reach 10."""
    walk = ProofSearch(problem_of([[1, 2], [], []], [0, 0, 0]), Switches(), ProofLimits(megabytes=0.1)).walk
    walk.counts[0], walk.moves[0, :2], walk.child_phi[0, :2] = 2, (1, 2), 1
    walk.phi_limits[0] = walk.delta_limits[0] = INFINITE
    for second, widened in ((1, 2), (4, 5), (5, 7), (8, 10)):
        walk.child_delta[0, :2] = 1, second
        limits = []
        for widening in (False, True):
            search._choose(walk, 0, 1, 2, widening)
            limits.append(walk.delta_limits[1])
        assert limits == [second + 1, widened]


@pytest.mark.parametrize("best", [False, True])
def test_a_verdict_that_rests_on_a_repetition_holds_for_its_path_alone(best):
    """A-B-D and A-C-D: D leads back to B alone. After A-B that is illegal and D has lost, after A-C it wins."""
    a, b, c, d, e = 0, 1, 3, 2, 4
    after = [[b, c], [d], [b], [d, e], []]
    assert a == 0 and after[d] == [b]
    verdicts = [0, 0, 0, 0, 1 if best else -1]
    assert solve(problem_of(after, verdicts)).verdict == search_without_table(after, verdicts)


@pytest.mark.parametrize("nodes", [4, 6, 8])
def test_random_games_with_repetitions_agree_with_a_search_without_a_table(nodes):
    won = 0
    for seed in range(30):
        after, verdicts = random_game(random.Random(seed), nodes)
        expected = search_without_table(after, verdicts)
        won += expected > 0
        for switches in ALL_SWITCHES:
            assert solve(problem_of(after, verdicts), switches).verdict == expected, (seed, switches)
    assert 5 < won < 25


def test_either_side_may_begin():
    for seed in range(40):
        after, verdicts = random_game(random.Random(seed), 7)
        found = solve(problem_of(after, verdicts, prover_first=False)).verdict
        assert found == search_without_table(after, verdicts, prover_first=False)


def test_a_table_that_is_too_small_for_the_game_still_gives_the_verdict():
    for seed in range(30):
        after, verdicts = random_game(random.Random(seed), 8)
        answer = solve(problem_of(after, verdicts), limits=ProofLimits(nodes=200_000, megabytes=0.002))
        assert answer.verdict in (0, search_without_table(after, verdicts))


def tree(depth, width=3):
    """A tree of which the last leaves alone are judged."""
    after, verdicts, layer = [[]], [0], [0]
    for level in range(depth):
        for node in layer:
            after[node] = list(range(len(after), len(after) + width))
            after += [[] for _ in range(width)]
            verdicts += [int(level + 1 == depth)] * width
        layer = after[layer[0]] if not level else [below for node in layer for below in after[node]]
    return after, verdicts


def test_a_position_that_was_judged_takes_no_place_of_one_that_was_searched():
    table = new_table(0.0)  # one bucket of four slots
    for key in (0, 1, 2):
        store(table, key, 2, 3, 5, 1, NOWHERE, NEVER, 0)
    store_judged(table, 10, 1, 1)
    store_judged(table, 11, 1, 1)
    assert find(table, 10) == NOWHERE != find(table, 11)
    store(table, 3, 2, 3, 5, 1, NOWHERE, NEVER, 0)
    store_judged(table, 12, 1, 1)
    assert [find(table, key) == NOWHERE for key in (0, 1, 2, 3, 11, 12)] == [False] * 4 + [True] * 2
    assert table.counts.tolist() == [4, 0]


def test_the_proof_and_the_main_line_of_a_tree():
    """Of three moves the winner needs one, and all replies: 1 + 1 + 3 + 3 + 9 positions."""
    answer = solve(problem_of(*tree(4)))
    assert (answer.verdict, answer.proof, len(answer.line)) == (1, 17, 4)
    assert (answer.phi, answer.delta) == (0, INFINITE)


def test_a_search_gives_up_at_a_limit_and_says_what_is_known():
    answer = solve(problem_of(*tree(8)), limits=ProofLimits(nodes=50))
    assert (answer.verdict, answer.proof, answer.line) == (0, None, ())
    assert answer.reason == "50 nodes" and answer.phi > 0 and answer.delta > 0


def test_a_search_gives_up_when_its_memory_holds_too_little():
    answer = solve(problem_of(*tree(9)), limits=ProofLimits(megabytes=1e-6, nodes=100_000))
    assert (answer.verdict, answer.reason) == (0, "1e-06 MB of memory")
    assert answer.phi > 0 and answer.delta > 0


@pytest.mark.parametrize(("name", "value"), [("nodes", 0), ("seconds", 0.0), ("megabytes", -1.0)])
def test_limits_out_of_range_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        ProofLimits(**{name: value})
