"""The root's actions: cells of the box of actions, divided where they are visited, whose mean returns are smoothed.

Actions near each other return nearly the same, and few visits under much noise cannot tell them apart. A kernel average
over the neighbours (Nadaraya 1964; Watson 1964) can, if it is as wide as the noise demands and no wider: the bandwidth
is the one with the least estimate of the risk (Mallows 1973; Stein 1981), the narrowest of those that do equally well.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper
from bonspiel.planners.model import Array

CELLS, FIRST, PULLS, DUE = 0, 1, 2, 3  # entries of Root.counts
VISITS, CHOSEN, MEAN, SQUARES, TOTAL, WEIGHT, RETURN = 0, 1, 2, 3, 4, 5, 6  # columns of Root.stats
MOST_CELLS = 64
DIVISIONS = 16  # of each coordinate, into widths of 2e-8
BANDWIDTHS = 7  # from 1/32 of the range of an action on, doubled up to twice the range
NARROWEST = 1.0 / 32.0
GROWTH = 1.1  # of the visits, after which the bandwidth is chosen anew


class Root(NamedTuple):
    """The root's actions and what they returned.

    Attributes:
        counts: cells in use; the first of these, which are tried once each, in order; visits of all; visits at which
            the means are smoothed next; int64 [4].
        action: the action in the middle of each cell, [m, action_dim].
        divisions: that led to each cell, int64 [m].
        stats: of each action the visits, those for which `choose_cell` chose it, the mean gain of the mover, the
            summed squares of deviations from it, the gains and visits of all actions, summed with their nearness to
            it, and its mean return, [m, 7].
        bandwidth: of the nearness, in ranges of an action; 0 where an action is near itself alone, [1].
        width: of the first cells, [action_dim]; 0 where actions are given, which are not divided.
        scale: 1 / range of an action, [action_dim].
    """

    counts: NDArray[np.int64]
    action: Array
    divisions: NDArray[np.int64]
    stats: Array
    bandwidth: Array
    width: Array
    scale: Array


def first_cells(low: Array, high: Array, most: int) -> tuple[Array, Array]:
    """The actions in the middle of the cells of a grid, [A, action_dim], and their width, [action_dim].

    One coordinate is cut into `most` parts. Several are cut into the same odd number each, so that the middle of the
    box is one of the actions; where even three are too many, the first of them alone, as long as there are no more than
    `most` cells.
    """
    dim = len(low)
    number = most if dim == 1 else max(3, int(most ** (1.0 / dim) + 1e-9 + 1) // 2 * 2 - 1)
    counts, cells = np.ones(dim, np.int64), 1
    for i in range(dim):
        if cells * number <= most:
            counts[i] = number
            cells *= number
    indices = np.stack(np.unravel_index(np.arange(cells), counts), -1)
    return np.ascontiguousarray(low + (high - low) * ((indices + 0.5) / counts)), (high - low) / counts


def spread_out(count: int) -> NDArray[np.int64]:
    """An order of cells of which the first few lie far apart: by the golden ratio's multiples."""
    return np.argsort(np.arange(count) * (math.sqrt(5.0) - 1.0) / 2.0 % 1.0, kind="stable")


def new_root(actions: Array, width: Array, scale: Array) -> Root:
    """Cells without visits, with these actions in the middle, [A, action_dim]."""
    first, dim = actions.shape
    room = max(MOST_CELLS, first)
    root = Root(
        counts=np.array([first, first, 0, 0]),
        action=np.empty((room, dim)),
        divisions=np.zeros(room, np.int64),
        stats=np.zeros((room, 7)),
        bandwidth=np.zeros(1),
        width=width,
        scale=scale,
    )
    root.action[:first] = actions
    return root


@helper
def choose_cell(root: Root, exploration: float) -> int:
    """Choose by UCB1 on the smoothed means, the first cells once each before; an untried part counts as one visit."""
    pulls = root.counts[PULLS]
    if pulls < root.counts[FIRST]:
        root.stats[pulls, CHOSEN] = 1.0
        return int(pulls)
    width = exploration * math.sqrt(2.0 * math.log(pulls))
    best, top = 0, -math.inf
    for cell in range(root.counts[CELLS]):
        stats = root.stats[cell]
        if stats[VISITS] > 0.0:
            score = stats[TOTAL] / stats[WEIGHT] + width / math.sqrt(stats[VISITS])
        else:
            score = (stats[TOTAL] + stats[MEAN]) / (stats[WEIGHT] + 1.0) + width
        if score > top:
            best, top = cell, score
    root.stats[best, CHOSEN] += 1.0
    return best


@helper
def add_return(root: Root, cell: int, gain: float, returned: float, thresholds: Array) -> None:
    """Add a gain to the action of a cell and to all near it; divide the cell and choose the bandwidth when due.

    Args:
        root: changed in place.
        cell: of the action played.
        gain: of the simulation, by which actions are compared.
        returned: the plain return, which alone the decision reports.
        thresholds: visits that divide a cell, by its divisions so far.
    """
    stats = root.stats[cell]
    root.counts[PULLS] += 1
    stats[VISITS] += 1.0
    stats[RETURN] += (returned - stats[RETURN]) / stats[VISITS]
    change = gain - stats[MEAN]
    if stats[VISITS] == 1.0:
        stats[MEAN] = gain
    else:
        stats[MEAN] += change / stats[VISITS]
        stats[SQUARES] += change * (gain - stats[MEAN])
    depth, first_round = root.divisions[cell], root.counts[PULLS] <= root.counts[FIRST]
    due = root.counts[PULLS] >= root.counts[DUE] and not first_round
    if depth < len(thresholds) and stats[VISITS] >= thresholds[depth] and root.counts[CELLS] + 2 <= MOST_CELLS:
        _divide(root, cell)
        due = True
    if due:
        if not first_round:
            if root.counts[CELLS] <= MOST_CELLS:  # the risk takes the square of their number
                root.bandwidth[0] = _best_bandwidth(root)
            root.counts[DUE] = int(GROWTH * root.counts[PULLS]) + 1
        for other in range(root.counts[CELLS]):
            root.stats[other, TOTAL], root.stats[other, WEIGHT] = _sum_near(root, other, root.bandwidth[0])
        return
    for other in range(root.counts[CELLS]):
        near = _nearness(root, cell, other, root.bandwidth[0])
        root.stats[other, TOTAL] += near * gain
        root.stats[other, WEIGHT] += near


@helper
def _divide(root: Root, cell: int) -> None:
    """Cut a cell into three along the coordinate whose turn it is.

    The middle one has the action of the whole and keeps its place (as in Munos 2011, simultaneous optimistic
    optimization); the others begin with its mean.
    """
    dim, depth = root.action.shape[1], root.divisions[cell]
    axis = depth % dim
    offset = root.width[axis] / 3.0 ** (depth // dim + 1)
    root.divisions[cell] = depth + 1
    for side in range(-1, 2, 2):
        part = root.counts[CELLS]
        root.counts[CELLS] = part + 1
        for k in range(dim):
            root.action[part, k] = root.action[cell, k]
        root.action[part, axis] += side * offset
        root.divisions[part] = depth + 1
        root.stats[part, VISITS] = 0.0
        root.stats[part, CHOSEN] = 0.0
        root.stats[part, SQUARES] = 0.0
        root.stats[part, RETURN] = 0.0
        root.stats[part, MEAN] = root.stats[cell, MEAN]


@helper
def _nearness(root: Root, cell: int, other: int, bandwidth: float) -> float:
    """A Gaussian of the distance of two actions in ranges of an action; 1 for one and the same."""
    if cell == other:
        return 1.0
    if bandwidth == 0.0:
        return 0.0
    distance = 0.0
    for k in range(root.action.shape[1]):
        apart = (root.action[cell, k] - root.action[other, k]) * root.scale[k]
        distance += apart * apart
    return math.exp(-0.5 * distance / (bandwidth * bandwidth))


@helper
def _sum_near(root: Root, cell: int, bandwidth: float) -> tuple[float, float]:
    """The gains and the visits of all actions, summed with their nearness to that of a cell."""
    total, weight = 0.0, 0.0
    for other in range(root.counts[CELLS]):
        visits = root.stats[other, VISITS]
        if visits > 0.0:
            near = visits * _nearness(root, cell, other, bandwidth)
            total += near * root.stats[other, MEAN]
            weight += near
    return total, weight


@helper
def _best_bandwidth(root: Root) -> float:
    """The bandwidth of the least estimate of the risk, 0 if that is not to smooth or no action was tried twice.

    With the variance v of a gain, an unbiased estimate of the summed squared error of the smoothed means s, each
    times its visits, is sum n (s - m)^2 + 2 v sum h but for a constant; h is the weight of a mean in its own average.
    """
    squares, degrees, tried = 0.0, 0.0, 0.0
    for cell in range(root.counts[CELLS]):
        squares += root.stats[cell, SQUARES]
        if root.stats[cell, VISITS] > 0.0:
            tried += 1.0
            degrees += root.stats[cell, VISITS] - 1.0
    if degrees == 0.0:
        return 0.0
    noise = squares / degrees
    best, least, bandwidth = 0.0, 2.0 * noise * tried, NARROWEST
    for _ in range(BANDWIDTHS):
        risk = 0.0
        for cell in range(root.counts[CELLS]):
            visits = root.stats[cell, VISITS]
            if visits > 0.0:
                total, weight = _sum_near(root, cell, bandwidth)
                off = total / weight - root.stats[cell, MEAN]
                risk += visits * off * off + 2.0 * noise * visits / weight
        if risk < least:
            best, least = bandwidth, risk
        bandwidth *= 2.0
    return best


def smoothed_means(root: Root) -> Array:
    """The smoothed mean of every action; of one that was not tried, with one visit of the mean that it began with."""
    stats = root.stats[: root.counts[CELLS]]
    untried = stats[:, VISITS] == 0.0
    means: Array = (stats[:, TOTAL] + untried * stats[:, MEAN]) / np.maximum(stats[:, WEIGHT] + untried, 1e-300)
    return means
