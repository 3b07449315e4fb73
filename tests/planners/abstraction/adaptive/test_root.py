"""The cells of the root's actions: the grid that they begin with, and that no part of the box is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel.planners.abstraction.adaptive.first_cells import first_cells, spread_out
from bonspiel.planners.abstraction.adaptive.root import CELLS, add_return, new_root
from bonspiel.planners.abstraction.adaptive.smoothing import MOST_CELLS


@pytest.mark.parametrize(
    ("dim", "most", "counts"),
    [(1, 16, [16]), (1, 2, [2]), (1, 1, [1]), (2, 16, [3, 3]), (2, 25, [5, 5]), (3, 27, [3, 3, 3])],
)
def test_first_actions_are_a_grid_which_in_several_dimensions_has_the_middle(dim, most, counts):
    grid, width = first_cells(np.zeros(dim), np.ones(dim), most)
    np.testing.assert_allclose(width, 1.0 / np.array(counts))
    assert len(np.unique(grid.round(9), axis=0)) == np.prod(counts)
    assert dim == 1 or (np.abs(grid - 0.5) < 1e-12).all(1).sum() == 1


@pytest.mark.parametrize(("dim", "most"), [(2, 8), (3, 16), (6, 16)])
def test_few_first_actions_have_the_middle_and_lie_on_both_sides_of_it(dim, most):
    actions, width = first_cells(np.zeros(dim), np.ones(dim), most)
    assert len(actions) == most - 1 and (np.abs(actions - 0.5) < 1e-12).all(1).sum() == 1
    np.testing.assert_allclose(width, 1.0 / 3.0)
    assert (actions >= 1.0 / 6.0).all() and (actions <= 5.0 / 6.0).all()
    assert ((actions < 0.49).sum(0) == (actions > 0.51).sum(0)).all() and (actions > 0.51).any(0).all()
    apart = np.linalg.norm(actions[:, None] - actions, axis=-1)[~np.eye(len(actions), dtype=bool)]
    assert apart.min() > 0.1


@pytest.mark.parametrize(("count", "dim"), [(16, 1), (9, 2), (15, 3)])
def test_first_cells_come_in_an_order_from_any_corner(count, dim):
    rng = np.random.default_rng(0)
    orders = {tuple(spread_out(count, dim, rng).tolist()) for _ in range(100)}
    assert all(sorted(order) == list(range(count)) for order in orders)
    assert len(orders) == 2**dim if dim < 3 else len(orders) > 8


@settings(max_examples=60)
@given(
    st.integers(1, 3), st.integers(1, MOST_CELLS), st.lists(st.integers(0, 10**6), max_size=40), st.integers(0, 10**6)
)
def test_divided_cells_cover_the_box_once(dim, most, choices, seed):
    low, high = -np.ones(dim), np.arange(1.0, dim + 1.0)
    grid, width = first_cells(low, high, max(most, 3**dim) if dim > 1 else most)
    root = new_root(grid, width, 1.0 / (high - low), np.arange(len(grid)))
    for choice in choices:
        add_return(root, choice % int(root.counts[CELLS]), 0.0, 0.0, 0.0, np.ones(100))  # each visit divides its cell
    count = int(root.counts[CELLS])
    assert count == len(grid) + 2 * min(len(choices), (MOST_CELLS - len(grid)) // 2)
    times = (root.divisions[:count, None] + dim - 1 - np.arange(dim)) // dim
    half = 0.5 * width / 3.0**times
    lower, upper = root.action[:count] - half, root.action[:count] + half
    assert (upper - lower).prod(1).sum() == pytest.approx((high - low).prod())
    assert (lower > low - 1e-9).all() and (upper < high + 1e-9).all()
    for point in np.random.default_rng(seed).uniform(low, high, (20, dim)):
        assert ((lower <= point) & (point < upper)).all(1).sum() == 1
