import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bonspiel.planners.core.hash_table import fill_slots, find_slot, new_slots
from bonspiel.planners.core.zobrist import LEVELS, box_cells, combine, fraction, hash_vector, mix

U64 = st.integers(0, 2**64 - 1).map(np.uint64)


def test_mix_is_the_finaliser_of_splitmix64():
    # the first outputs of splitmix64 seeded with 1234567, published with the algorithm
    state, outputs = 1234567, []
    for _ in range(3):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        outputs.append(int(mix(np.uint64(state))))
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(U64, U64)
def test_combine_depends_on_the_order(a, b):
    """But for pairs that differ in their two highest bits alone, as the golden ratio's constant is 1 modulo 4."""
    assert (combine(a, b) == combine(b, a)) == ((int(a) - int(b)) % 2**62 == 0)


@given(st.floats(-2, 3), st.integers(0, LEVELS))
def test_fraction_counts_equal_parts(x, depth):
    part = int(fraction(x, 0.0, 1.0) >> np.uint64(LEVELS - depth))
    inside = min(max(x, 0.0), 1.0 - 2.0**-LEVELS)
    assert part == int(inside * 2**depth)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=2), st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_cells_refine(a, b):
    bounds = np.array([0.0, 0.0, 1.0, 1.0])
    cells = np.empty((2, LEVELS + 1), np.uint64)
    for x, out in zip((a, b), cells, strict=True):
        box_cells(np.array(x), 0, LEVELS + 1, bounds, out)
    same = cells[0] == cells[1]
    assert same[0]
    assert (np.diff(same.astype(int)) <= 0).all()
    for depth in range(12):
        corner = [tuple(int(min(v, 1 - 2.0**-LEVELS) * 2**depth) for v in x) for x in (a, b)]
        assert same[depth] == (corner[0] == corner[1])


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5])
def test_cells_tell_all_coordinates_apart(dim):
    bounds = np.concatenate([np.zeros(dim), np.ones(dim)])
    hashes = {}
    for corner in itertools.product(range(4), repeat=dim):
        out = np.empty(1, np.uint64)
        box_cells((np.array(corner) + 0.5) / 4.0, 2, 3, bounds, out)
        hashes[int(out[0])] = corner
    assert len(hashes) == 4**dim


def test_cells_of_any_range_of_depths_agree():
    bounds, x = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.3, 0.7])
    whole, part = np.empty(20, np.uint64), np.empty(5, np.uint64)
    box_cells(x, 0, 20, bounds, whole)
    box_cells(x, 8, 13, bounds, part)
    np.testing.assert_array_equal(part, whole[8:13])


def test_hash_vector_sees_every_bit():
    vectors = np.random.default_rng(0).normal(size=(1000, 3))
    vectors[500:, 0] = np.nextafter(vectors[:500, 0], 10.0)
    vectors[500:, 1:] = vectors[:500, 1:]
    keys = {int(hash_vector(np.uint64(1), v)) for v in vectors}
    assert len(keys) == 1000


@given(st.lists(U64, unique=True, max_size=50))
def test_hash_table_finds_what_was_entered_and_nothing_else(keys):
    table = np.array([*keys, 0], np.uint64)
    slots = new_slots(len(table))
    fill_slots(slots, table, 0, len(keys))
    for i, key in enumerate(keys):
        assert slots[find_slot(slots, table, key)] == i + 1
    other = np.uint64(12345)
    assert other in keys or slots[find_slot(slots, table, other)] == 0
