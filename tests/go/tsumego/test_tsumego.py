"""Life and death: shapes that Go players know, and verdicts of a search without a table."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from bonspiel.go.neighbourhoods import BLACK, WHITE
from bonspiel.go.tsumego.game import PASSES
from bonspiel.go.tsumego.generator import make_problem
from bonspiel.go.tsumego.problem import ALL, KO, LOST, WON, SwitchesOfTsumego, Tsumego, solve_tsumego
from bonspiel.go.vertices import index_of
from bonspiel.planners.dfpn.solve import ProofLimits, solve
from tests.go.shapes import ALIVE, DEAD, UNSETTLED, enclosed

SOME_SETS = [SwitchesOfTsumego(*on) for on in product((False, True), repeat=5)]


def search_without_table(tsumego, nodes=20_000):
    """The verdict by trying all lines; None if there are more than so many nodes. To repeat a position is illegal."""
    problem, met = tsumego.problem(SwitchesOfTsumego()), 0

    def mover_wins(row, keys):
        nonlocal met
        met += 1
        if met > nodes:
            raise OverflowError
        verdict = problem.rules.verdict(problem.game, row)
        if verdict:
            return (verdict > 0) == (row % 2 == 0)
        moves, after = np.zeros((2, problem.moves), np.int64)
        count = problem.rules.moves(problem.game, row, moves, after)
        for move, key in zip(moves[:count], after[:count], strict=True):
            problem.rules.play(problem.game, row, move, row + 1)
            if key not in keys and not mover_wins(row + 1, [*keys, key]):
                return True
        return False

    try:
        return mover_wins(0, [problem.key])
    except OverflowError:
        return None


@pytest.mark.parametrize("shape", UNSETTLED)
def test_unsettled_shapes_belong_to_who_moves_first(shape):
    for mover in (BLACK, WHITE):
        for switches in (SwitchesOfTsumego(), ALL):
            assert solve_tsumego(enclosed(UNSETTLED[shape], mover), switches).verdict == WON


@pytest.mark.parametrize(("shape", "winner"), [*((name, BLACK) for name in ALIVE), *((name, WHITE) for name in DEAD)])
def test_settled_shapes_belong_to_one_side_whoever_moves_first(shape, winner):
    for mover in (BLACK, WHITE):
        for switches in (SwitchesOfTsumego(), ALL):
            found = solve_tsumego(enclosed((ALIVE | DEAD)[shape], mover), switches).verdict
            assert found == (WON if mover == winner else LOST)


def test_every_set_of_switches_gives_the_same_verdicts():
    for shape in ("bulky five", "pyramid four"):
        for mover in (BLACK, WHITE):
            found = {solve_tsumego(enclosed(UNSETTLED[shape], mover), switches).verdict for switches in SOME_SETS}
            assert found == {WON}


def random_problem(rng, size=6, points=8):
    """A blob of points in the corner with stones in it; the attacker's wall around it has liberties beyond."""
    region = {(0, 0)}
    while len(region) < points:
        row, column = rng.choice(sorted(region))
        down, right = rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
        if 0 <= row + down < 4 and 0 <= column + right < 4:
            region.add((row + down, column + right))
    stones = np.zeros((size, size), int)
    stones[:5, :5] = -1
    for point in region:
        stones[point] = rng.choice([0, 0, 1, 1, -1])
    numbers = tuple(sorted(row * size + column for row, column in region))
    flat = tuple(stones.ravel().tolist())
    crucial = tuple(number for number in numbers if flat[number] > 0)
    try:
        return Tsumego(size, flat, numbers, crucial, rng.choice([BLACK, WHITE]))
    except ValueError:
        return None


def test_small_problems_agree_with_a_search_without_a_table():
    rng, judged = random.Random(1), {True: 0, False: 0}
    while sum(judged.values()) < 40:
        tsumego = random_problem(rng, points=rng.randint(5, 8))
        expected = None if tsumego is None else search_without_table(tsumego, 3000)
        if expected is not None:
            judged[expected] += 1
            for switches in (SwitchesOfTsumego(), ALL, *rng.sample(SOME_SETS, 4)):
                assert (solve_tsumego(tsumego, switches).verdict == WON) == expected, (tsumego, switches)
    assert min(judged.values()) >= 5


def test_a_ko_decides():
    """Black has an eye at D6 and needs A6 for another, but White takes there first, at B6."""
    stones = np.zeros((6, 6), int)
    stones[0] = [0, 0, 1, 0, 1, -1]
    stones[1] = [-1, 1, 1, 1, 1, -1]
    stones[2] = -1
    flat = tuple(stones.ravel().tolist())
    tsumego = Tsumego(6, flat, (0, 1, 3), tuple(point for point, stone in enumerate(flat) if stone > 0), BLACK)
    for switches in (SwitchesOfTsumego(), ALL):
        found = solve_tsumego(tsumego, switches)
        assert (found.verdict, found.line[0]) == (KO, 0)
        assert solve_tsumego(replace(tsumego, mover=WHITE), switches).verdict == WON


def drawn(lines, region, mover):
    """A position from rows of B, W and points; all Black stones are crucial."""
    size = len(lines[0].split())
    rows = [line.split() for line in lines] + [["."] * size] * (size - len(lines))
    flat = tuple({"B": 1, "W": -1, ".": 0}[mark] for row in rows for mark in row)
    return Tsumego(size, flat, region, tuple(point for point, stone in enumerate(flat) if stone > 0), mover)


CORNER = [". W B B B B W", "W B . B . B W", ". W B B B W .", ". . W W W . ."]


@pytest.mark.parametrize(
    ("region", "crucial"),
    [((8, 9, 11), (8,)), ((9, 11), None)],
    ids=["the last crucial stone is taken", "the taken stone stands where nobody may play"],
)
def test_a_ko_that_cannot_be_taken_back_is_taken_whoever_has_threats(region, crucial):
    tsumego = drawn(CORNER, region, BLACK)
    if crucial is not None:
        tsumego = replace(tsumego, crucial=crucial)
    assert {solve_tsumego(tsumego, switches).verdict for switches in SOME_SETS} == {LOST}


@pytest.mark.parametrize(
    ("lines", "region", "crucial", "mover", "verdict"),
    [
        (
            [". . B W W . . .", "W B B W W . . .", "B . B . W . . .", "B B W W W . . .", *["W W W W W . . ."] * 2],
            "A8 B8 A7 B7 A6 B6 D6",
            "A5 B5 C8 C7 C6",
            WHITE,
            LOST,
        ),
        (
            [". W . B W W . .", ". B W B W W . .", "B B B W W W . .", "W . W W W W . .", "W W W W W W . ."],
            "A8 B8 C8 A7 B7 C7 B5",
            "A6 B6 C6 D8 D7",
            BLACK,
            WON,
        ),
    ],
)
def test_a_second_pass_saves_stones_in_atari(lines, region, crucial, mover, verdict):
    tsumego = drawn(lines, tuple(sorted(index_of(vertex, 8) for vertex in region.split())), mover)
    tsumego = replace(tsumego, crucial=tuple(index_of(vertex, 8) for vertex in crucial.split()))
    assert {solve_tsumego(tsumego, switches).verdict for switches in SOME_SETS} == {verdict}


@pytest.mark.parametrize(
    ("beyond", "added", "words"),
    [
        (".", "G7", "open at G7: stones may escape through G6, which is empty"),
        ("B", "F7", "open at F7: stones may escape to G7, which has liberties outside"),
    ],
)
def test_a_region_through_which_stones_may_escape_is_refused(beyond, added, words):
    tsumego = drawn([". . B . B W .", "W B B B B W .", "W W W W W W ."], (0, 1, 3), BLACK)
    stones = tuple(1 if beyond == "B" and index == 6 else stone for index, stone in enumerate(tsumego.stones))
    assert replace(tsumego, stones=stones) is not None
    with pytest.raises(ValueError, match=words):
        replace(tsumego, stones=stones, region=(*tsumego.region, index_of(added, 7)))


def test_life_by_a_double_ko_is_told_as_a_ko():
    lines = ["W B B . B . B . B B W", "W B . B B B B B W B W", ". W B W W W W W . W .", ". . W . . . . . W . ."]
    tsumego = drawn(lines, (3, 5, 7, 13, 24, 19, 30), WHITE)
    tsumego = replace(tsumego, crucial=(15,))
    assert {solve_tsumego(tsumego, switches).verdict for switches in SOME_SETS} == {KO}


def test_a_double_ko_does_not_go_round_and_round():
    """With endless threats for one player the other takes no ko, as it would be taken back at once."""
    found = solve_tsumego(make_problem(10_225, 12), ALL, ProofLimits(nodes=200_000))
    assert found.verdict == LOST and found.second.nodes < 200_000


def test_bent_four_in_the_corner_is_a_ko_that_the_attacker_may_begin_when_it_pleases():
    """White sacrifices four at B7, and takes first in the ko that follows; Black cannot begin it."""
    stones = np.zeros((7, 7), int)
    stones[:6, :4] = -1
    stones[0, 2] = stones[1, 1] = stones[1, 2] = stones[2, 1] = stones[3, 1] = stones[4, 0] = stones[4, 1] = 1
    stones[0, 1] = stones[3, 0] = 0
    flat = tuple(stones.ravel().tolist())
    crucial = tuple(point for point, stone in enumerate(flat) if stone > 0)
    tsumego = Tsumego(7, flat, (0, 1, 7, 14, 21), crucial, WHITE)
    for switches in (SwitchesOfTsumego(), ALL):
        found = solve_tsumego(tsumego, switches)
        assert (found.verdict, found.line[:2]) == (WON, (1, 21))
        assert solve_tsumego(replace(tsumego, mover=BLACK), switches).verdict == KO


def test_a_problem_that_is_none_is_refused_in_a_line():
    good = enclosed("...")
    with pytest.raises(ValueError, match="crucial stones"):
        replace(good, crucial=())
    with pytest.raises(ValueError, match="region is open"):
        stones = list(good.stones)
        stones[10 * 4 + 2] = 0
        replace(good, stones=tuple(stones))
    with pytest.raises(ValueError, match="wall"):
        stones = list(good.stones)
        stones[good.region[0]] = -1
        replace(good, stones=tuple(stones), region=good.region[1:])
    with pytest.raises(ValueError, match="liberty"):
        stones = list(good.stones)
        for point in good.region:
            stones[point] = 1
        replace(good, stones=tuple(stones))


def played_on(tsumego):
    """The verdict where nothing is judged by eye: stones are taken, or both pass; None if that takes too long."""
    problem = tsumego.problem(SwitchesOfTsumego())
    attacker = 3 - tsumego.defender

    def verdict(game, row):
        if game.facts[row, PASSES] >= 2:
            return -1 if tsumego.mover == attacker else 1
        left = (game.boards[row][game.crucial] == tsumego.defender).any()
        return 0 if left else 1 if tsumego.mover == attacker else -1

    rules = problem.rules._replace(verdict=verdict, estimate=lambda game, row: (1, 1))
    answer = solve(replace(problem, rules=rules, kernel=None), limits=ProofLimits(nodes=4000, megabytes=5.0))
    return answer.verdict or None


def test_what_is_judged_by_eye_agrees_with_playing_on():
    rng, judged = random.Random(2), {1: 0, -1: 0}
    while sum(judged.values()) < 25:
        tsumego = random_problem(rng, points=rng.randint(4, 6))
        expected = None if tsumego is None else played_on(tsumego)
        if expected is not None:
            judged[expected] += 1
            for switches in (SwitchesOfTsumego(), ALL):
                assert (solve_tsumego(tsumego, switches).verdict == WON) == (expected > 0), (tsumego, switches)
    assert min(judged.values()) >= 5
