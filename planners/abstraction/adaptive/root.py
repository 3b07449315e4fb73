"""The root's actions: cells of the box of actions, divided where they are visited, whose mean returns are smoothed."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.adaptive.first_cells import END, PLACE, START, Whole, no_whole
from bonspiel.planners.abstraction.adaptive.smoothing import (
    CHOSEN,
    GAIN,
    INV_SQRT,
    MOST_CELLS,
    RETURN,
    ROOM,
    ROWS,
    SEEN,
    SMOOTHED,
    SQUARES,
    TOTAL,
    VISITS,
    WEIGHT,
    Smoothing,
    choose_bandwidth,
    distance,
    new_smoothing,
    note_place,
    smooth,
)
from bonspiel.planners.core.argmax import argmax
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import longer
from bonspiel.planners.core.tree.selection import UCB1, Terms, upper_bound
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.kinds import INTEGER, REAL
from bonspiel.planners.model import Array, Rng

CELLS, FIRST, PULLS, DUE, NEXT, OWN = range(6)  # entries of RootCells.counts
DIVISIONS = 16  # of each coordinate, into widths of 2e-8
UNDIVIDED = 1_000_000  # more divisions than any cell has
GROWTH = 1.1  # of the visits, after which the bandwidth is chosen anew


class RootCells(NamedTuple):
    """The root's actions and what they returned.

    Attributes:
        counts: cells in use; the first of these, which are tried once each, in order; visits of all; visits at which
            the means are smoothed next; the next of the first ones; the best sequence's own
            cell, -1 for none; int64 [6].
        action: the action in the middle of each cell, [m, action_dim].
        divisions: that led to each cell, int64 [m].
        turns: coordinates whose turn it was for these, int64 [m]; more where a coordinate has one value left.
        grid: index of the fixed action nearest to the cell that a cell is a part of, int64 [m].
        stats: of each action, in the rows named in `smoothing`, [10, m].
        smoothing: of the means.
        width: of the first cells, [action_dim]; 0 where actions are given, which are not divided.
        scale: 1 / range of an action, [action_dim].
        whole: of coordinates that hold whole numbers.
    """

    counts: NDArray[np.int64]
    action: Array
    divisions: NDArray[np.int64]
    turns: NDArray[np.int64]
    grid: NDArray[np.int64]
    stats: Array
    smoothing: Smoothing
    width: Array
    scale: Array
    whole: Whole


def new_root(
    actions: Array, width: Array, scale: Array, grid: NDArray[np.int64], whole: Whole | None = None
) -> RootCells:
    """Cells without visits, with these actions in the middle, [A, action_dim].

    Args:
        actions: in the middle of the cells.
        width: of the cells, [action_dim]; 0 where they are not to be divided.
        scale: 1 / range of an action, [action_dim].
        grid: of each the nearest of the actions below the root, int64 [A].
        whole: of these cells; None where all coordinates are real.
    """
    whole = no_whole(actions.shape[1]) if whole is None else whole
    first, dim = actions.shape
    room = max(ROOM, first)
    root = RootCells(
        counts=np.array([first, first, 0, 0, 0, -1]),
        action=np.empty((room, dim)),
        divisions=np.zeros(room, np.int64),
        turns=np.zeros(room, np.int64),
        grid=np.zeros(room, np.int64),
        stats=np.zeros((ROWS, room)),
        smoothing=new_smoothing(actions, scale, whole.kinds),
        width=width,
        scale=scale,
        whole=whole._replace(parts=longer(whole.parts, len(whole.parts), room if len(whole.parts) > 0 else 0)),
    )
    root.action[:first] = actions
    root.grid[:first] = grid
    root.stats[WEIGHT, :first] = root.stats[INV_SQRT, :first] = 1.0
    return root


@helper
def _score(known: tuple[Array, Array, Terms], cell: int) -> float:
    smoothed, inverse_roots, terms = known
    return upper_bound(smoothed[cell], inverse_roots[cell], 0.0, terms)


@helper
def choose_cell(root: RootCells, exploration: float, rng: Rng) -> int:
    """Choose by UCB1 on the smoothed means, equals drawn; before, the first cells that have no visit, in their order.

    An untried part counts as one visit.
    """
    pulls, chosen, best = root.counts[PULLS], root.stats[CHOSEN], root.counts[NEXT]
    while best < root.counts[FIRST] and root.stats[VISITS, best] > 0.0:
        best += 1
    root.counts[NEXT] = best
    if best == root.counts[FIRST]:
        terms = Terms(exploration, math.sqrt(2.0 * math.log(pulls)), math.inf, UCB1)
        known = (root.stats[SMOOTHED], root.stats[INV_SQRT], terms)
        best = argmax(_score, known, 0, root.counts[CELLS], rng)
    chosen[best] += 1.0
    return best


@helper
def nearest_of(actions: Array, action: Array, scale: Array, kinds: NDArray[np.int64], rng: Rng) -> int:
    """The index of the nearest of the actions, [A, action_dim], equals drawn."""
    best, least, equals = 0, math.inf, 0
    for i in range(len(actions)):
        apart = distance(actions[i], action, scale, kinds)
        if apart < least:
            best, least, equals = i, apart, 1
        elif apart == least:
            equals += 1
            if rng.random() * equals < 1.0:
                best = i
    return best


@helper
def place_of(root: RootCells, action: Array) -> int:
    """The cell that has this action, -1 if there is none."""
    for cell in range(root.counts[CELLS]):
        if distance(root.action[cell], action, root.scale, root.whole.kinds) == 0.0:
            return cell
    return -1


@helper
def own_cell(root: RootCells, action: Array, grid: Array, rng: Rng) -> int:
    """The best sequence's own cell, which is not divided: with this action, of which nothing is known.

    It begins with the mean that it had. `grid` are the actions below the root, [A, action_dim].
    """
    stats, counts = root.stats, root.counts
    if counts[OWN] < 0:
        counts[OWN] = counts[CELLS]
        counts[CELLS] += 1
    cell = counts[OWN]
    copy(action, root.action[cell])
    root.grid[cell] = nearest_of(grid, action, root.scale, root.whole.kinds, rng)
    root.divisions[cell] = UNDIVIDED
    gain = stats[GAIN, cell]
    for row in range(len(stats)):
        stats[row, cell] = 0.0
    stats[GAIN, cell] = stats[TOTAL, cell] = stats[SMOOTHED, cell] = gain
    stats[WEIGHT, cell] = stats[INV_SQRT, cell] = 1.0
    if len(root.smoothing.widest) > 0:
        note_place(root.smoothing, cell, root.action, counts[CELLS], root.scale, root.whole.kinds)
        smooth(root.smoothing, stats, counts[CELLS])
    return int(cell)


@helper
def add_return(root: RootCells, cell: int, gain: float, seen: float, returned: float, thresholds: Array) -> None:
    """Add a gain to the action of a cell and to all near it; divide the cell and choose the bandwidth when due.

    Args:
        root: changed in place.
        cell: of the action played.
        gain: of the simulation, by which actions are compared.
        seen: the return as far as the search sees, which is compared with that of the best sequence.
        returned: the plain return, which alone the decision reports.
        thresholds: visits that divide a cell, by its divisions so far.
    """
    stats, near = root.stats, root.smoothing.near
    root.counts[PULLS] += 1
    stats[VISITS, cell] += 1.0
    visits = stats[VISITS, cell]
    stats[RETURN, cell] += (returned - stats[RETURN, cell]) / visits
    stats[SEEN, cell] += (seen - stats[SEEN, cell]) / visits
    stats[INV_SQRT, cell] = 1.0 / math.sqrt(visits)
    if visits == 1.0:  # the one that it counted as before goes
        stats[TOTAL, cell] -= stats[GAIN, cell]
        stats[WEIGHT, cell] -= 1.0
        stats[GAIN, cell] = gain
    else:
        change = gain - stats[GAIN, cell]
        stats[GAIN, cell] += change / visits
        stats[SQUARES, cell] += change * (gain - stats[GAIN, cell])
    depth, first_round = root.divisions[cell], root.counts[PULLS] <= root.counts[FIRST]
    due = root.counts[PULLS] >= root.counts[DUE] and not first_round
    if depth < len(thresholds) and visits >= thresholds[depth] and root.counts[CELLS] + 2 <= MOST_CELLS:
        due = _divide(root, cell) or due
    used = root.counts[CELLS]
    if due:
        if not first_round:
            if used <= ROOM:  # the risk takes the square of their number
                choose_bandwidth(root.smoothing, stats, used)
            root.counts[DUE] = int(GROWTH * root.counts[PULLS]) + 1
        smooth(root.smoothing, stats, used)
    elif root.smoothing.bandwidth[0] == 0.0:
        stats[TOTAL, cell] += gain
        stats[WEIGHT, cell] += 1.0
        stats[SMOOTHED, cell] = stats[TOTAL, cell] / stats[WEIGHT, cell]
    else:
        total, weight, smoothed = stats[TOTAL], stats[WEIGHT], stats[SMOOTHED]
        for other in range(used):
            total[other] += near[cell, other] * gain
            weight[other] += near[cell, other]
            smoothed[other] = total[other] / weight[other]


@helper
def _take_side(root: RootCells, cell: int, part: int, axis: int, start: float, end: float, side: int) -> None:
    """Give a new part the places on one side of its cell in a coordinate, and the action of their middle.

    Of two places in the middle the one nearer to the cell's is taken on both sides.
    """
    whole = root.whole
    if side < 0:
        first, last = start, whole.parts[cell, START, axis] - 1.0
        place = math.ceil(0.5 * (first + last))
    else:
        first, last = whole.parts[cell, END, axis] + 1.0, end
        place = math.floor(0.5 * (first + last))
    whole.parts[part, START, axis], whole.parts[part, END, axis] = first, last
    whole.parts[part, PLACE, axis] = place
    root.action[part, axis] = place if whole.kinds[axis] == INTEGER else whole.values[axis, int(place)]


@helper
def _divide(root: RootCells, cell: int) -> bool:
    """Cut a cell into three along the coordinate whose turn it is; False if it holds a single action.

    The middle one has the action of the whole and keeps its place; the others begin with its mean. A coordinate that
    holds whole numbers is cut between them, into less than three parts where they are few.
    """
    dim, depth, turns, whole = root.action.shape[1], root.divisions[cell], root.turns[cell], root.whole
    axis = whole.axes[turns % dim]
    if len(whole.kinds) > 0:
        skipped = 0
        while whole.kinds[axis] != REAL and whole.parts[cell, START, axis] == whole.parts[cell, END, axis]:
            skipped += 1
            if skipped == dim:
                return False
            axis = whole.axes[(turns + skipped) % dim]
        turns += skipped
    is_real = len(whole.kinds) == 0 or whole.kinds[axis] == REAL
    offset, half, start, place, end = 0.0, 0.0, 0.0, 0.0, 0.0
    if is_real:
        offset = root.width[axis] / 3.0 ** (turns // dim + 1)
    else:
        start, place, end = whole.parts[cell, START, axis], whole.parts[cell, PLACE, axis], whole.parts[cell, END, axis]
        half = max(math.floor((end - start + 1.0) / 6.0), 0.0)  # of the values of the middle part, about a third
        whole.parts[cell, START, axis] = max(start, place - half)
        whole.parts[cell, END, axis] = min(end, place + half)
    root.divisions[cell] = depth + 1
    root.turns[cell] = turns + 1
    for side in range(-1, 2, 2):
        if not is_real and (place - half <= start if side < 0 else place + half >= end):
            continue  # there is nothing on this side
        part = root.counts[CELLS]
        root.counts[CELLS] = part + 1
        for k in range(dim):
            root.action[part, k] = root.action[cell, k]
            if len(whole.kinds) > 0:
                for entry in range(3):
                    whole.parts[part, entry, k] = whole.parts[cell, entry, k]
        if is_real:
            root.action[part, axis] += side * offset
        else:
            _take_side(root, cell, part, axis, start, end, side)
        root.divisions[part] = depth + 1
        root.turns[part] = turns + 1
        root.grid[part] = root.grid[cell]
        for row in range(len(root.stats)):
            root.stats[row, part] = 0.0
        root.stats[GAIN, part] = root.stats[GAIN, cell]
        root.stats[INV_SQRT, part] = 1.0
        note_place(root.smoothing, part, root.action, part + 1, root.scale, whole.kinds)
    return True
