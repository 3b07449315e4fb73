"""The cells of the root's actions: the grid that they begin with, and that no part of the box is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel.planners.abstraction.adaptive.root import CELLS, MOST_CELLS, add_return, first_cells, new_root


@pytest.mark.parametrize(
    ("dim", "most", "counts"),
    [
        (1, 16, [16]),
        (1, 2, [2]),
        (1, 1, [1]),
        (2, 16, [3, 3]),
        (2, 25, [5, 5]),
        (3, 16, [3, 3, 1]),
        (6, 16, [3, 3, 1, 1, 1, 1]),
    ],
)
def test_first_actions_are_a_grid_which_in_several_dimensions_has_the_middle(dim, most, counts):
    grid, width = first_cells(np.zeros(dim), np.ones(dim), most)
    np.testing.assert_allclose(width, 1.0 / np.array(counts))
    assert len(np.unique(grid.round(9), axis=0)) == np.prod(counts)
    assert dim == 1 or (np.abs(grid - 0.5) < 1e-12).all(1).sum() == 1


@settings(max_examples=60)
@given(
    st.integers(1, 6), st.integers(1, MOST_CELLS), st.lists(st.integers(0, 10**6), max_size=40), st.integers(0, 10**6)
)
def test_divided_cells_cover_the_box_once(dim, most, choices, seed):
    low, high = -np.ones(dim), np.arange(1.0, dim + 1.0)
    grid, width = first_cells(low, high, most)
    root = new_root(grid, width, 1.0 / (high - low))
    for choice in choices:
        add_return(root, choice % int(root.counts[CELLS]), 0.0, 0.0, np.ones(100))  # each visit divides its cell
    count = int(root.counts[CELLS])
    assert count == len(grid) + 2 * min(len(choices), (MOST_CELLS - len(grid)) // 2)
    times = (root.divisions[:count, None] + dim - 1 - np.arange(dim)) // dim
    half = 0.5 * width / 3.0**times
    lower, upper = root.action[:count] - half, root.action[:count] + half
    assert (upper - lower).prod(1).sum() == pytest.approx((high - low).prod())
    assert (lower > low - 1e-9).all() and (upper < high + 1e-9).all()
    for point in np.random.default_rng(seed).uniform(low, high, (20, dim)):
        assert ((lower <= point) & (point < upper)).all(1).sum() == 1
