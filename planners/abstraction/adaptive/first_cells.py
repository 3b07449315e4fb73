"""The cells of the box of actions that the root begins with."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.adaptive.smoothing import MOST_CELLS
from bonspiel.planners.core.actions import spread_points
from bonspiel.planners.kinds import ALL_REAL, BOOLEAN, CATEGORICAL, LEAST_PLACES, REAL, choices, drawn_set, kind_codes
from bonspiel.planners.model import Array, Model, Rng

START, PLACE, END = 0, 1, 2  # entries of Whole.parts


class Whole(NamedTuple):
    """The values that cells hold in coordinates of whole numbers.

    The values of a coordinate have places in a row: integers in their order, others in an order that is drawn, so that
    no value is near another one by its number. A cell holds the values of some places in a row, and has the action of
    one of them.

    Attributes:
        kinds: codes of the kinds of the coordinates, int64 [action_dim]; [0] where all are real.
        parts: first place, place of the action, and last place of each cell in each coordinate, [m, 3, action_dim].
        values: by place, of coordinates whose order is drawn, [action_dim, values].
        axes: the order in which a cell is divided along its coordinates, int64 [action_dim].
    """

    kinds: NDArray[np.int64]
    parts: Array
    values: Array
    axes: NDArray[np.int64]


def no_whole(dim: int) -> Whole:
    """Of actions whose coordinates are all real."""
    return Whole(ALL_REAL, np.zeros((0, 3, dim)), np.zeros((0, 0)), np.arange(dim))


def first_cells(low: Array, high: Array, most: int) -> tuple[Array, Array]:
    """The actions in the middle of the first cells, [A, action_dim], and the width of these, [action_dim].

    One coordinate is cut into `most` parts. Several are cut into the same odd number each, so that the middle of the
    box is one of the actions. Where even three are too many, they are an odd number of `spread_points` in the middle
    two thirds of the box, so that the parts of a cell lie in it, and the cells around them overlap. Coordinates without
    width are not cut.
    """
    free = high > low
    if not free.any():
        return np.array([low], np.float64), np.zeros(len(low))
    if not free.all():
        found, width = first_cells(low[free], high[free], most), np.zeros(len(low))
        middles = np.tile(np.asarray(low, np.float64), (len(found[0]), 1))
        middles[:, free], width[free] = found
        return middles, width
    dim = len(low)
    number = most if dim == 1 else int(most ** (1.0 / dim) + 1e-9 + 1) // 2 * 2 - 1
    if dim > 1 and number < 3:
        places = spread_points(most - 1 + most % 2, dim)
        return low + (high - low) * (1.0 + 4.0 * places) / 6.0, (high - low) / 3.0
    indices = np.stack(np.unravel_index(np.arange(number**dim), (number,) * dim), -1)
    return np.ascontiguousarray(low + (high - low) * ((indices + 0.5) / number)), (high - low) / number


def first_cells_of_kinds(model: Model, state: Array, most: int, rng: Rng) -> tuple[Array, Array, Whole]:
    """The actions of the first cells of a model whose coordinates are not all real, the cells' width, and the rest.

    All choices of the whole numbers where these are few, each with cells of the real coordinates; else `most` actions
    that the model draws in the state, whose cells overlap: each holds all whole numbers, and a third of the real ones,
    moved to the middle two thirds of the box as in `first_cells`.
    """
    low, high, codes = model.action_low, model.action_high, kind_codes(model)
    reals, listed = codes == REAL, choices(model)
    width = np.where(reals, high - low, 0.0)
    if listed is not None and reals.any():
        middles, width[reals] = first_cells(low[reals], high[reals], max(LEAST_PLACES, most // len(listed)))
        actions = np.repeat(listed, len(middles), axis=0)
        actions[:, reals] = np.tile(middles, (len(listed), 1))
        listed = actions if len(actions) <= MOST_CELLS // 2 else None
    is_listed = listed is not None
    if listed is not None:
        actions = listed
    else:
        actions = drawn_set(model, state, most, rng)
        width = np.where(reals, (high - low) / 3.0, 0.0)
        middle = 0.5 * (low + high)
        actions = np.where(reals, middle + (actions - middle) * (2.0 / 3.0), actions)
    unordered = (codes == BOOLEAN) | (codes == CATEGORICAL)
    most_values = int((high - low)[unordered].max() + 1.0) if unordered.any() else 0
    values, parts = np.zeros((len(low), most_values)), np.zeros((len(actions), 3, len(low)))
    for k in np.flatnonzero(~reals):
        place, start, end = actions[:, k], low[k], high[k]
        if unordered[k]:
            order = low[k] + rng.permutation(int(high[k] - low[k]) + 1)
            values[k, : len(order)] = order
            place, start, end = np.argsort(order)[(place - low[k]).astype(int)], 0.0, len(order) - 1.0
        parts[:, PLACE, k] = place
        parts[:, START, k], parts[:, END, k] = (place, place) if is_listed else (start, end)
    return actions, width, Whole(codes, parts, values, rng.permutation(len(low)))


def spread_out(count: int, dim: int, rng: Rng) -> NDArray[np.int64]:
    """An order of the first cells of which the first few lie far apart: by the golden ratio's multiples.

    It begins in any corner of their grid. Cells that are none may come in any order.
    """
    number = round(count ** (1.0 / dim))
    if number**dim == count:
        turned = tuple(np.flatnonzero(rng.random(dim) < 0.5).tolist())
        cells = np.flip(np.arange(count).reshape((number,) * dim), turned).ravel()
    else:
        cells = rng.permutation(count)
    return cells[np.argsort(np.arange(count) * (math.sqrt(5.0) - 1.0) / 2.0 % 1.0, kind="stable")]
