import numpy as np

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import STATE_DIM, state_of
from bonspiel.curling.model import Curling

MODEL = Curling(ends=2)
DEPTHS = 16


def cells(stones, shot=4, **parts):
    out = np.empty(DEPTHS, np.uint64)
    MODEL.cells(state_of(stones, shot, **parts), 0, DEPTHS, MODEL.params, out)
    return out


def shared(one, other):
    """Number of depths, from 0 on, at which two states share a cell."""
    same = one == other
    assert (np.diff(same.astype(int)) <= 0).all()
    return same.sum()


def board(*places):
    stones = no_stones()
    stones[: len(places)] = places
    return stones


def test_fields_distinguished_at_each_depth():
    here = cells(board((0.0, 38.4)))
    assert shared(here, cells(board((0.0, 38.4)), shot=5)) == 0  # whose turn
    assert shared(here, cells(board((0.0, 38.4)), shot=6)) == 1
    assert shared(here, cells(board((0.0, 38.4)), shot=5, hammer=0)) == 1
    assert shared(here, cells(board((0.0, 38.4)), lead=1)) == 1
    assert shared(here, cells(board((0.0, 38.4)), end=1)) == 1
    assert shared(here, cells(board((0.0, 34.0)))) == 2  # in the house or not
    assert shared(here, cells(board((0.0, 38.4), (1.0, 38.0)))) == 2
    assert shared(here, cells(board((1.5, 38.4)))) == 3


def test_depth_grows_with_closeness():
    here = cells(board((0.01, 38.42)))
    depths = [shared(here, cells(board((0.01 + d, 38.42)))) for d in (1e-7, 1e-3, 1e-1, 1.0)]
    assert depths == sorted(depths, reverse=True)
    assert depths[0] == DEPTHS
    assert depths[-1] < depths[0]


def test_draws_to_the_tee_share_cells():
    """The tee is far from every border between cells."""
    tee = cells(board((0.0, 38.405)))
    for depth in range(3, DEPTHS):
        near = 0.3 * 15.8 / 2**depth
        for x, y in [(near, near), (-near, near), (near, -near), (-near, -near)]:
            assert shared(tee, cells(board((x, 38.405 + y)))) > depth


def test_stones_of_a_team_are_interchangeable_and_teams_are_not():
    one, two = (0.0, 38.4), (0.5, 37.9)
    assert shared(cells(board(one, two)), cells(board(two, one))) == DEPTHS
    mixed, swapped = no_stones(), no_stones()
    mixed[0], mixed[8], swapped[0], swapped[8] = one, two, two, one
    assert shared(cells(mixed), cells(swapped)) < DEPTHS


def test_two_stones_in_one_cell_do_not_cancel():
    pair, other = board((0.0, 38.405), (0.0, 38.405)), board((1.5, 38.405), (1.5, 38.405))
    assert shared(cells(pair), cells(other)) == 3


def test_a_range_of_depths_is_a_slice():
    state = state_of(board((0.0, 38.4), (1.0, 37.0)), 4)
    whole = cells(board((0.0, 38.4), (1.0, 37.0)))
    for first, last in [(0, 1), (1, 2), (2, 5), (3, 16), (7, 9)]:
        out = np.empty(last - first, np.uint64)
        MODEL.cells(state, first, last, MODEL.params, out)
        np.testing.assert_array_equal(out, whole[first:last])


def many_states(rng, n=20_000):
    """Boards of up to 16 stones with the same counts, some pairs only tenths of millimetres apart."""
    states = np.zeros((n, STATE_DIM))
    states[:, 0], states[:, 1] = 15, 1
    for row in range(0, n, 2):
        k = int(rng.integers(1, 8))
        xy = np.column_stack([rng.uniform(-1.2, 1.2, k), rng.uniform(37.5, 39.3, k)])
        moved = xy + rng.normal(0.0, 10.0 ** rng.uniform(-4.0, 0.0), (k, 2)) * (rng.random((k, 1)) < 0.5)
        for at, places in ((row, xy), (row + 1, moved)):
            states[at, 3 : 3 + 2 * k] = places.ravel()
    return states


def hashes(states):
    model, out = Curling(), np.empty((len(states), 16), np.uint64)
    for state, row in zip(states, out, strict=True):
        model.cells(state, 0, 16, model.params, row)
    return out


def test_equal_at_a_depth_is_equal_at_the_one_before():
    out = hashes(many_states(np.random.default_rng(5)))
    shared = 0
    for depth in range(1, 16):
        pairs = np.unique(out[:, depth - 1 : depth + 1], axis=0)
        assert len(np.unique(pairs[:, 1])) == len(pairs), depth
        shared += len(out) - len(np.unique(out[:, depth]))
    assert shared > 10_000  # otherwise there was nothing to compare


def test_different_cells_have_different_hashes():
    states = many_states(np.random.default_rng(6))
    out, tee, side = hashes(states), Curling().law.sheet.tee, 15.8
    low = np.array([-side / 3.0, tee - 2.0 * side / 3.0])
    for depth in (3, 8, 15):
        distinct = set()
        for state in states:
            places = state[3:].reshape(16, 2)
            here = places[places[:, 1] > 0.0]
            cells = np.floor((here - low) / side * 2**depth).astype(int)
            house = int((np.hypot(here[:, 0], here[:, 1] - tee) < 1.829 + 0.145).sum())
            distinct.add((len(here), house, tuple(sorted(map(tuple, cells.tolist())))))
        # a border that rounding decides otherwise may differ in a few of 20,000
        assert abs(len(np.unique(out[:, depth])) - len(distinct)) <= 2, depth
